// The report of `espalier train` when training ends, as text and as JSON. Tested in verbs_test.sh and
// terminal_test.cc.
#pragma once

#include <string>

#include "apps/command.h"
#include "apps/terminal.h"
#include "espalier/espalier.h"

namespace espalier::apps {

/// `model` is the file that was written; `ranks` are empty where there was one process.
Json train_report_json(const Training& training, const std::string& model,
                       const std::vector<RankUse>& ranks = {});

/// For people; ends with the command to type next.
std::string train_report_text(const Training& training, const std::string& model,
                              const std::vector<RankUse>& ranks = {});

/// A word as a shell takes it back: in quotes where it needs them.
std::string shell_word(std::string_view text);

}  // namespace espalier::apps
