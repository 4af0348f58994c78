// espalier tune: chooses the thresholds of a cascade again.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/long_work.h"
#include "apps/options.h"
#include "apps/terminal.h"
#include "apps/verb.h"
#include "apps/whole_number.h"

namespace espalier::apps {
namespace {

constexpr const char* kTuneHelp =
    R"(Choose the thresholds of a cascade again, without training

Looks at labelled data level by level and takes for each filter the threshold that leaves the least alive within a
filter loss (--filter-loss), or that loses the least within a budget (--budget). Nothing else in the model changes. What
cannot be had is an error that says what the nearest is.)";

constexpr const char* kTuneExamples = R"(Examples:
  espalier tune pos.model --dev dev.txt --filter-loss 0.001
  espalier tune pos.model --dev dev.txt --budget 3 -o fast.model --plot tradeoff.svg
  espalier tune letters.model --dev letter.data.gz --folds 0 --filter-loss 0.01,0.02,0.04 --json)";

struct TuneFlags {
  std::string model, out, plot, folds, input_format;
  std::vector<std::string> dev;
  std::string filter_loss;
  double budget = 0;
  int threads = 0;
  OutputFlags output;
};

Result<TuneOptions> options_of(const TuneFlags& flags) {
  TuneOptions options;
  options.budget = flags.budget;
  options.threads = flags.threads;
  if (flags.budget != 0 && !flags.filter_loss.empty())
    return fail("--budget and --filter-loss exclude each other");
  if (flags.dev.empty()) return fail("--dev FILE is missing");
  if (flags.filter_loss.empty()) return options;
  options.filter_loss.clear();
  std::string_view text = flags.filter_loss;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto number = parse_number(item);
    if (!number.ok()) return fail("--filter-loss: '{}' is not a share from 0 to 1", item);
    options.filter_loss.push_back(*number);
    if (item.size() == text.size()) return options;
    text.remove_prefix(item.size() + 1);
  }
}

Json to_json(const Tuned& tuned, const std::string& target) {
  Json levels = Json::array();
  for (const Tuned::Level& level : tuned.levels)
    levels.push_back({{"order", level.order},
                      {"alpha_before", level.alpha_before},
                      {"alpha", level.alpha},
                      {"filter_loss", level.filter_loss},
                      {"efficiency_loss", level.efficiency_loss},
                      {"alive", level.alive}});
  return {{"model", target}, {"sequences", tuned.sequences}, {"levels", std::move(levels)}};
}

std::string to_text(const Tuned& tuned, const std::string& target) {
  std::string out = fmt::format("{:<6} {:>6} {:>10} {:>10} {:>12} {:>10} {:>10}\n", "level", "order",
                                "alpha before", "alpha", "filter loss", "alive", "share");
  for (size_t l = 0; l < tuned.levels.size(); ++l) {
    const Tuned::Level& level = tuned.levels[l];
    append_format(out, "{:<6} {:>6} {:>12.4g} {:>10.4g} {:>11.4f}% {:>10.2f} {:>9.2f}%\n", l + 1, level.order,
                  level.alpha_before, level.alpha, 100 * level.filter_loss, level.alive,
                  100 * level.efficiency_loss);
  }
  return out + fmt::format("model  {}\n", target);
}

Outcome run(const TuneFlags& flags) {
  auto options = options_of(flags);
  if (!options.ok()) return usage_error(options.error());
  Files dev{flags.dev, {}};
  dev.reading.folds = flags.folds;
  dev.reading.format = flags.input_format;
  if (const Status status = check_options(*options); !status.ok()) return usage_error(status.error());
  if (const Status status = check_options(dev.reading); !status.ok()) return usage_error(status.error());
  ESPALIER_TRY(check_no_input(flags.out, flags.dev));
  ESPALIER_TRY(check_no_input(flags.plot, flags.dev));
  ESPALIER_TRY(check_no_input(flags.plot, {flags.model}));
  if (!flags.plot.empty() &&
      std::filesystem::weakly_canonical(flags.plot) ==
          std::filesystem::weakly_canonical(flags.out.empty() ? flags.model : flags.out))
    return usage_error("--plot and --output name the same file");
  ESPALIER_ASSIGN(const Tagger tagger, Tagger::open(flags.model));
  LongWork work(flags.output.quiet);
  work.watch_training(*options);
  const auto tuned = tune(tagger, dev, *options);
  if (auto outcome = work.interrupted("interrupted; the model is as it was")) return *outcome;
  if (!tuned.ok()) return tuned.error();
  const std::string target = flags.out.empty() ? flags.model : flags.out;
  if (!flags.plot.empty()) ESPALIER_TRY(write_text(flags.plot, tuned->plot));
  ESPALIER_TRY(tuned->tagger.save(target));
  ESPALIER_TRY(flags.output.json ? print_json(to_json(*tuned, target)) : print(to_text(*tuned, target)));
  return {};
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  const auto [verb, flags] = add_verb<TuneFlags>(app, action, "tune", kTuneHelp, run);
  verb.add_option("MODEL", flags.model, "a cascade; changed in place unless -o says otherwise")
      ->type_name("")
      ->required();
  verb.add_option("--dev", flags.dev, "labelled data to choose by")->type_name("FILE");
  add_input_format_option(verb, flags.input_format);
  verb.add_option("--filter-loss", flags.filter_loss,
                  "share of the truth each level may lose: one number, or one per level [0.0005]")
      ->type_name("E");
  verb.add_option("--budget", flags.budget,
                  "label n-grams alive per position after each level, in place of a loss")
      ->type_name("N")
      ->check(above_zero());
  verb.add_option("-o,--output", flags.out, "where the tuned model goes [MODEL]")->type_name("FILE");
  verb.add_option("--plot", flags.plot, "write efficiency against filter loss to this SVG file")
      ->type_name("FILE");
  verb.add_option("--folds", flags.folds, "folds of the data to use, such as 1-9 or 0,2 (letters, jsonl)")
      ->type_name("LIST");
  add_threads_option(verb, flags.threads);
  flags.output.add_to(verb);
  verb.footer(kTuneExamples);
}

}  // namespace espalier::apps
