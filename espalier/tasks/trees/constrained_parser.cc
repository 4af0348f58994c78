#include "espalier/tasks/trees/constrained_parser.h"

#include <fmt/ranges.h>

#include "espalier/base/text/format.h"

namespace espalier::tasks {

Result<std::unique_ptr<ConstrainedParser>> ConstrainedParser::make(const TreePredictor& parser,
                                                                   TreeRules rules, bool strict) {
  if (rules.forces() && parser.settings().swap)
    return fail(
        "arcs cannot be forced on a parser of system=swap: its search "
        "does not know what it can reach");
  return std::unique_ptr<ConstrainedParser>(new ConstrainedParser(parser, std::move(rules), strict));
}

Status ConstrainedParser::predict(const data::Sequence& sequence, std::span<const data::Label> forced,
                                  const data::PredictOptions& options, Scratch& scratch,
                                  data::Prediction& out) const {
  if (!forced.empty()) return parser_.predict(sequence, forced, options, scratch, out);
  SentenceRules rules;
  ESPALIER_TRY(rules_.apply(sequence, parser_.labels(), rules));
  ESPALIER_TRY(parser_.predict_under(sequence, &rules, options, scratch, out));
  if (sequence.empty()) return {};
  auto& effect = out.constraints.emplace();
  effect.clash = rules_.broken(rules, out.best[0].heads, out.best[0].labels);
  effect.outcome = effect.clash.empty() ? Outcome::kApproximate : Outcome::kInfeasible;
  if (strict_ && !effect.clash.empty())
    return fail("line {}: no tree was found that keeps to the constraints ({})", sequence.line(0),
                joined(effect.clash, ", "));
  return {};
}

Result<std::vector<data::Predictor::Explanation>> ConstrainedParser::explain_forced(
    const data::Sequence& sequence, std::span<const data::Label> forced, Scratch& scratch) const {
  if (!forced.empty()) return parser_.explain_forced(sequence, forced, scratch);
  SentenceRules rules;
  ESPALIER_TRY(rules_.apply(sequence, parser_.labels(), rules));
  return parser_.explain_under(sequence, &rules, scratch);
}

}  // namespace espalier::tasks
