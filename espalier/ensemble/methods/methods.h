// The methods by name, and one function that runs any of them. Tested in model_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/ensemble/automaton/automaton.h"
#include "espalier/ensemble/methods/espboost.h"
#include "espalier/ensemble/methods/fpl.h"
#include "espalier/ensemble/methods/method_table.h"
#include "espalier/ensemble/methods/online.h"
#include "espalier/ensemble/methods/selection.h"
#include "espalier/ensemble/methods/weight_table.h"

namespace espalier::ensemble {

std::span<const MethodInfo> methods();
std::string_view method_name(Method method);
bool uses_beta(Method method);
/// An unknown name is an error that names the nearest.
Result<Method> parse_method(std::string_view name);

struct MethodOptions {
  OnlineOptions online;
  FplOptions fpl;
  BoostOptions boost;
  SleOptions sle;
  /// Paths that are allowed; null: all. Only mvote, rand, cv, fpl, fpl-cv and espboost support it.
  const ExpertAutomaton* automaton = nullptr;
};

/// What a method learned: the table that votes, and what it has to say about itself.
struct Hypothesis {
  Method method = Method::kMvote;
  WeightTable table;
  DistributionSuffix suffix;  ///< rand only
  size_t rounds = 0;          ///< sequences learned from, where the method counts them
  size_t suffix_begin = 0;
  double gamma = 0;                      ///< Γ of the suffix, or the criterion of the two cv methods
  std::vector<BoostRound> boost_rounds;  ///< espboost only
  std::string words;                     ///< one line about how it went
};
Result<Hypothesis> learn_hypothesis(VoteSource& source, Method method, const MethodOptions& options,
                                    const Monitor& monitor = {});

}  // namespace espalier::ensemble
