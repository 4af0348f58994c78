// Who is in a committee: members as users name them, the usual ones, and classes of words for their features.
//
// learners/committee.cc calls parse_members or default_members, and classes_from_text for members that look
// at word classes. Tested in committee_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/parallel.h"
#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/features/word_lists.h"
#include "espalier/data/sequence.h"

namespace espalier::model {

/// A learner with its settings, the task that it learns, and what it looks at besides.
struct MemberChoice {
  std::string learner;
  std::string task = "label";
  size_t classes = 0;  ///< this many classes of words, made from the training text, are features; 0: none
  std::vector<std::string> settings;
};

/// "LEARNER:NAME=VALUE:…,LEARNER,…". NAME can also be task or classes.
Result<std::vector<MemberChoice>> parse_members(std::string_view text);

/// Whether the parameters of each member make sense together, which parse_members() does not ask. `names`:
/// whether members are to keep the names of features; `dev`: whether there is a development set.
Status check_members(const std::vector<MemberChoice>& members, bool names, bool dev);

enum class CommitteeSize { kSmall, kFull };

/// What the usual members depend on.
struct CommitteeData {
  bool words = false;           ///< features come from columns, the first of which is the word
  bool segments = false;        ///< labels are segments, and all are known
  bool mostly_outside = false;  ///< most tokens are in no segment: names
};
CommitteeData committee_data(const std::vector<data::Sequence>& sequences, bool words, bool segments);

/// members=auto: learners that err differently and tag fast.
std::vector<MemberChoice> default_members(CommitteeSize size, const CommitteeData& data);

/// Different names for all members, to tell their votes apart.
std::vector<std::string> names_of(const std::vector<MemberChoice>& members);

/// Classes of the words in a column, from their neighbours in the same text; labels do not matter.
/// Nothing if no word occurs twice, or if the monitor asks to stop.
std::optional<data::WordList> classes_from_text(const std::vector<data::Sequence>& sequences, size_t column,
                                                size_t classes, const Workers& workers,
                                                const Monitor& monitor);

}  // namespace espalier::model
