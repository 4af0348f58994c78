// Tags and trees for the sentences of a cluster, by models that are stored within a summariser: taggers of
// CoNLL-U columns, then a parser.
//
// add_sentence_models() puts model files into a summariser's file; SentenceModels opens them from there.
// Tested in espalier/model/training/summary_training_test.cc and apps/tests/summary_test.sh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "espalier/base/files/section_file.h"
#include "espalier/model/model.h"
#include "espalier/tasks/summary/cluster.h"

namespace espalier::model {

class SentenceModels {
 public:
  /// Models of files, in the order in which they are applied; the last one is a parser. Errors name the file.
  static Result<std::shared_ptr<const SentenceModels>> open(const std::vector<std::string>& files);
  /// Those of a summariser; null if it has none.
  static Result<std::shared_ptr<const SentenceModels>> load(const SectionFile& summariser);
  void save(SectionWriter& out) const;

  /// In words: columns that a model was trained to look at, but that no model before it fills. One entry per
  /// model that has some.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Sentences that have a tree are left alone, tags of the input are kept.
  Status annotate(tasks::Cluster& cluster) const;

 private:
  Status add(std::vector<std::byte> bytes, const std::string& name);

  struct Member {
    std::vector<std::byte> bytes;
    std::unique_ptr<const Model> model;
    size_t cell = 0;  ///< the column that it fills
  };
  std::vector<Member> members_;
  std::vector<std::string> warnings_;
};

}  // namespace espalier::model
