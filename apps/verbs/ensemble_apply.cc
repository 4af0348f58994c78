// espalier ensemble apply: combines the experts' predictions. Tested in ensemble_test.sh.
#include <chrono>

#include "apps/long_work.h"
#include "apps/terminal.h"
#include "apps/verbs/ensemble.h"
#include "espalier/public/ensemble.h"

namespace espalier::apps {

Outcome apply_ensemble(const EnsembleApplyFlags& flags) {
  ESPALIER_ASSIGN(const Ensemble ensemble, Ensemble::open(flags.model));
  ESPALIER_TRY(check_probabilities(flags.reading, ensemble, flags.model));
  ApplyOptions options;
  if (!flags.input.empty()) options.text = flags.reading.reference(flags.input);
  options.output_format = flags.to;
  options.confidence = flags.confidence;
  options.any_sequence = flags.any_sequence;
  options.missing = flags.reading.missing;
  options.files = flags.reading.files();
  if (const Status status = options.check(); !status.ok()) return usage_error(status.error());
  ESPALIER_TRY(check_no_input(flags.output, flags.experts));
  ESPALIER_TRY(check_no_input(flags.output, {flags.input, flags.model}));
  LongWork work(flags.quiet || flags.output == "-");
  work.watch(options);
  const auto start = std::chrono::steady_clock::now();
  const auto applied = ensemble.apply(expert_files(flags.experts), Sink::file(flags.output), options);
  if (auto outcome = work.interrupted("interrupted; the output is not complete")) return *outcome;
  if (!applied.ok()) return applied.error();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!flags.quiet && flags.output != "-")
    say(fmt::format("espalier: {}, {} of {} in {} written to {}", counted(applied->sequences, "sequence"),
                    counted(applied->tokens, "token"), counted(ensemble.experts().size(), "expert"),
                    duration_text(seconds), flags.output));
  return {};
}

}  // namespace espalier::apps
