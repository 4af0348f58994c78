#include "espalier/ensemble/methods/methods.h"

#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/ensemble/automaton/automaton_learning.h"

namespace espalier::ensemble {
namespace {

Result<Hypothesis> from_online(VoteSource& source, Method method, const MethodOptions& options,
                               const Monitor& monitor) {
  OnlineOptions online = options.online;
  online.keep_suffix = method == Method::kRand;
  auto result = options.automaton == nullptr ? learn_online(source, online, monitor)
                                             : learn_online(source, *options.automaton, online, monitor);
  if (!result.ok()) return std::move(result).error();
  Hypothesis out;
  const bool cv = method == Method::kCv;
  out.table = cv ? std::move(result->cv) : std::move(result->mvote);
  out.suffix = std::move(result->suffix);
  out.rounds = result->rounds;
  out.suffix_begin = cv ? result->cv_round : result->suffix_begin;
  out.gamma = cv ? result->cv_value : result->gamma;
  out.words = cv ? fmt::format("the distribution of round {} of {}", result->cv_round + 1, result->rounds)
                 : fmt::format("distributions {} to {}, bound {:.4f}", result->suffix_begin + 1,
                               result->rounds, result->gamma);
  return out;
}

Result<Hypothesis> from_fpl(VoteSource& source, Method method, const MethodOptions& options,
                            const Monitor& monitor) {
  auto result = options.automaton == nullptr ? learn_fpl(source, options.fpl, monitor)
                                             : learn_fpl(source, *options.automaton, options.fpl, monitor);
  if (!result.ok()) return std::move(result).error();
  Hypothesis out;
  const bool cv = method == Method::kFplCv;
  out.table = cv ? std::move(result->fpl_cv) : std::move(result->fpl);
  out.rounds = result->rounds;
  out.suffix_begin = cv ? result->cv_round : result->suffix_begin;
  out.gamma = cv ? result->cv_value : result->gamma;
  out.words = cv ? fmt::format("the path of round {} of {}", result->cv_round + 1, result->rounds)
                 : fmt::format("paths {} to {}", result->suffix_begin + 1, result->rounds);
  return out;
}

Result<Hypothesis> from_boost(VoteSource& source, const MethodOptions& options, const Monitor& monitor) {
  ESPALIER_ASSIGN(BoostResult result, learn_espboost(source, options.boost, monitor, options.automaton));
  Hypothesis out;
  out.words = result.in_words();
  out.table = std::move(result.table);
  out.boost_rounds = std::move(result.rounds);
  out.rounds = out.boost_rounds.size();
  return out;
}

Result<Hypothesis> from_selection(VoteSource& source, Method method, const MethodOptions& options,
                                  const Monitor& monitor) {
  Hypothesis out;
  if (method == Method::kSle) {
    ESPALIER_ASSIGN(SleResult result, learn_sle(source, options.sle, monitor));
    out.table = std::move(result.table);
    out.rounds = result.added.size();
    out.words = fmt::format("{} selections, error {:.4f} on the sample", result.added.size(), result.error);
  } else if (method == Method::kMajority) {
    out.table = majority_table(source.experts());
    out.words = "nothing was learned";
  } else {
    ESPALIER_ASSIGN(BestExpert best, best_expert(source));
    out.table = std::move(best.table);
    out.words = fmt::format("expert {}, error {:.4f} on the sample", best.expert + 1, best.loss);
  }
  return out;
}

}  // namespace

std::span<const MethodInfo> methods() { return kMethods; }

std::string_view method_name(Method method) { return kMethods[static_cast<size_t>(method)].name; }
bool uses_beta(Method method) { return kMethods[static_cast<size_t>(method)].uses_beta; }

Result<Method> parse_method(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MethodInfo& info : kMethods) {
    if (info.name == name) return info.method;
    names.push_back(info.name);
  }
  const std::string near = nearest(name, names);
  return fail("unknown method '{}'{}; there are {}", name,
              near.empty() ? "" : fmt::format(" (did you mean {}?)", near), joined(names, ", "));
}

Result<Hypothesis> learn_hypothesis(VoteSource& source, Method method, const MethodOptions& options,
                                    const Monitor& monitor) {
  const bool paths = method == Method::kMvote || method == Method::kRand || method == Method::kCv ||
                     method == Method::kFpl || method == Method::kFplCv || method == Method::kEspboost;
  if (options.automaton != nullptr && !paths)
    return fail("an automaton is supported by mvote, rand, cv, fpl, fpl-cv and espboost, not by {}",
                method_name(method));
  Result<Hypothesis> out = Error{};
  switch (method) {
    case Method::kMvote:
    case Method::kRand:
    case Method::kCv:
      out = from_online(source, method, options, monitor);
      break;
    case Method::kFpl:
    case Method::kFplCv:
      out = from_fpl(source, method, options, monitor);
      break;
    case Method::kEspboost:
      out = from_boost(source, options, monitor);
      break;
    case Method::kSle:
    case Method::kMajority:
    case Method::kBest:
      out = from_selection(source, method, options, monitor);
      break;
  }
  if (out.ok()) out->method = method;
  return out;
}

}  // namespace espalier::ensemble
