// Options that several verbs take, each written down once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/model/train.h"

namespace CLI {
class App;
}

namespace espalier::apps {

/// How files are read.
struct ReadingFlags {
  std::string format = "columns";
  std::string label_column;
  std::string folds;
  std::string encoding = "utf-8";

  void add_to(CLI::App& verb);
  /// `several_labels`: more than one label column may be named.
  Result<data::ReadOptions> resolve(bool several_labels = false) const;
};

/// What is trained, and how.
struct TrainingFlags {
  ReadingFlags reading;
  std::string task = "label";
  std::string learner;  ///< empty: the task's first
  std::string template_file;
  std::string feature_columns;
  std::string constraints;
  std::vector<std::string> settings;
  uint64_t seed = 1;
  int threads = 0;

  void add_to(CLI::App& verb);
  /// The request, but for its files; the learner, its parameters and everything else that can be wrong
  /// without looking at data is checked.
  Result<model::TrainRequest> resolve() const;
};

/// What goes to standard output and standard error.
struct OutputFlags {
  bool json = false;
  bool quiet = false;

  void add_to(CLI::App& verb);
};

void add_model_option(CLI::App& verb, std::string& model);
void add_threads_option(CLI::App& verb, int& threads);

/// "1,2" or "1-3,5" as numbers from 1, ascending.
Result<std::vector<size_t>> parse_columns(std::string_view text);

/// The tasks and the learners with their parameters and defaults, for --help.
std::string learners_help();

}  // namespace espalier::apps
