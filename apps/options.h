// Options that several verbs take, each declared once.
//
// A verb adds a set of flags to its command line with add_to(), and turns them into options of the library
// with resolve(). The library finds contradictions; reading the files that flags name can fail like any
// input. Tested in command_line_test.sh and verbs_test.sh.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/command.h"

namespace espalier::apps {

/// How lines of columns are split. Empty: the default, or what the model was trained with.
struct ColumnFlags {
  std::string separator, comment;

  void add_to(CLI::App& verb);
};

/// How files are read.
struct ReadingFlags {
  std::string format;  ///< empty: as the names of the files say, otherwise columns
  std::string label_column;
  std::string head_column;  ///< task parse alone; TrainingFlags adds the option
  std::string folds;
  std::string encoding = "utf-8";
  ColumnFlags columns;

  void add_to(CLI::App& verb);
  ReadOptions resolve() const;
};

/// What is trained, and how.
struct TrainingFlags {
  ReadingFlags reading;
  std::string task = "label";
  std::string learner;  ///< empty: the default learner of the task
  std::string template_file;
  std::vector<std::string> lexicons, word_classes;
  std::string feature_columns;
  std::string constraints;
  bool allow_contradictions = false;
  std::vector<std::string> parsers;
  std::vector<std::string> settings;
  uint64_t seed = 1;
  int threads = 0;

  void add_to(CLI::App& verb);
  /// All options except the contents of files. Errors are errors of the command line.
  Result<TrainOptions> resolve() const;
  /// Reads the template, the word lists and the constraints.
  Status read_files(TrainOptions& options) const;
  /// The names of these files.
  std::vector<std::string> files() const;
};

/// How labels are found, and under which constraints.
struct DecodeFlags {
  std::string constraints;  ///< empty: those that the model was trained with; "none": no constraints
  std::string decoder = "auto";
  size_t beam = 0;
  std::optional<double> seconds;
  bool why = false;
  bool strict = false;
  bool verbose = false;

  void add_to(CLI::App& verb, bool with_why);
  /// An error of the command line if something was asked for that has no effect on a model that was, or was
  /// not, trained with constraints.
  Status check(bool trained_with_constraints) const;
  /// Whether anything was asked for.
  bool any() const;
  /// Reads the constraints.
  Result<DecodeOptions> resolve() const;
};

/// What goes to standard output and standard error.
struct OutputFlags {
  bool json = false;
  bool quiet = false;

  void add_to(CLI::App& verb);
};

/// An option that may be repeated, with one value each time; `type` stands for the value in the help.
void add_repeated_option(CLI::App& verb, const std::string& names, std::vector<std::string>& values,
                         const std::string& help, const std::string& type);
void add_model_option(CLI::App& verb, std::string& model);
void add_input_format_option(CLI::App& verb, std::string& format);
void add_keep_going_flag(CLI::App& verb, bool& keep_going);
void add_threads_option(CLI::App& verb, int& threads);

/// Splits "name=value" texts; an error if there is no "=".
Result<Settings> parse_settings(const std::vector<std::string>& texts);
/// "1,2" or "1-3,5" as numbers from 1, ascending.
Result<std::vector<size_t>> parse_columns(std::string_view text);

/// Reports on standard error how decoding under constraints and searches ended: what was not exact, or with
/// `all` everything.
void tell_outcomes(const Outcomes& rules, const Searches& searches, bool all);

}  // namespace espalier::apps
