// Whether linear weights exist that label all of a training set: each token by itself, under constraints, or
// trained through inference (Punyakanok, Roth, Yih and Zimak 2005, section 4). find_separability() trains
// perceptrons until they are right everywhere or the passes are over; costs up to two trainings of kPasses
// passes. Weights that are right everywhere prove that the data are separable; that none were found proves
// nothing. Tested in verbs_test.sh.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/command.h"
#include "apps/terminal.h"

namespace espalier::apps {

struct SeparabilityOptions {
  static constexpr int kPasses = 50;  ///< of a perceptron, at most

  std::string constraints;  ///< a file; empty: `valid SCHEME`, where labels form spans
  std::string scheme;       ///< of the labels, as DataReport has it
  std::optional<std::string> feature_template;
  std::string template_name;
  std::vector<size_t> feature_columns;
  int threads = 0;
  std::function<bool(const Progress&)> on_progress;
  const std::atomic<bool>* stop = nullptr;
};

struct Separability {
  struct Regime {
    std::string name;                  ///< locally, with inference, globally
    bool found = false;                ///< weights that label everything
    double tokens = 0, sequences = 0;  ///< percent labelled right by the last weights
    std::string why_not_tried;         ///< empty: it was
  };
  std::vector<Regime> regimes;
  std::string constraints;  ///< what inference obeyed; empty: nothing
};

Result<Separability> find_separability(const Data& data, const SeparabilityOptions& options);
std::string separability_text(const Separability& separability);
Json separability_json(const Separability& separability);

}  // namespace espalier::apps
