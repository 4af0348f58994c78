// espalier explain: why did a token get its label?
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/options.h"
#include "apps/tag_format.h"
#include "apps/terminal.h"
#include "espalier/model/model.h"
#include "espalier/model/task_data.h"

namespace espalier::apps {
namespace {

constexpr const char* kExplainHelp =
    R"(Show why each token got its label

For each token: the label, the runner-up and the margin between them (how much the score of the best labelling would
fall with the runner-up in this place), then the features that made the difference, with what each adds to the score of
the label and of the runner-up.)";

constexpr const char* kExplainExamples = R"(Examples:
  espalier explain new.txt -m chunks.model | less
  espalier explain new.txt -m chunks.model --sequence 3 --top 10
--json prints {"about_weights", "sequences": [{"sequence", "tokens": [{"token", "label", "runner_up", "margin",
"contributions"}]}]}, for chunks also "decision" and "runner_up_decision".)";

constexpr size_t kFeatureWidth = 60;

struct ExplainFlags {
  std::string input = "-";
  std::string model;
  std::optional<size_t> sequence;
  size_t top = 5;
  OutputFlags output;
};

using Explanations = std::vector<data::Predictor::Explanation>;

std::string token_text(const data::Sequence& sequence, size_t row, size_t word) {
  return std::string(sequence.columns() > word ? sequence.cell(row, word) : std::string_view("_"));
}

std::string to_text(const data::Sequence& sequence, size_t number, const Explanations& explanations,
                    const model::Model& model, size_t top) {
  const size_t word = word_column(model.about());
  size_t token_width = 0;
  size_t label_width = 0;
  const auto name = [&](const data::Predictor::Explanation& e, data::Label label) -> const std::string& {
    return model.predictor().labels_of_column(e.column).name(label);
  };
  const size_t columns = model.predictor().label_columns();
  for (size_t row = 0; row < sequence.length(); ++row)
    token_width = std::max(token_width, display_width(token_text(sequence, row, word)));
  for (const auto& e : explanations) label_width = std::max(label_width, display_width(name(e, e.label)));
  std::string out = fmt::format("sequence {}", number);
  out += sequence.empty() ? ": nothing to label\n" : fmt::format(", line {}\n", sequence.line(0));
  const std::string about_weights = model.predictor().about_weights();
  if (!about_weights.empty() && !sequence.empty()) out += "weights: " + about_weights + "\n";
  // Where there are no weights at all, that was said above.
  const bool any = std::any_of(explanations.begin(), explanations.end(),
                               [](const auto& e) { return !e.contributions.empty(); });
  const auto to = std::back_inserter(out);
  for (size_t i = 0; i < explanations.size(); ++i) {
    const size_t row = i / columns;
    const auto& e = explanations[i];
    const std::string& label = name(e, e.label);
    const std::string& runner_up = name(e, e.runner_up);
    fmt::format_to(to, "\n{:>4}  {}  {}", row + 1, pad_right(token_text(sequence, row, word), token_width),
                   pad_right(label, label_width));
    if (model.predictor().labels_of_column(e.column).size() > 1) {
      fmt::format_to(to, "  before {} by {:.3f}", runner_up, e.margin);
      // Chunks of other lengths may give the token the same label.
      if (!e.decision.empty())
        fmt::format_to(to, " ({} before {})", e.decision,
                       e.runner_up_decision.empty() ? "nothing else" : e.runner_up_decision);
    }
    out += "\n";
    const size_t shown = std::min(top, e.contributions.size());
    if (shown == 0) {
      if (any || about_weights.empty()) out += "        nothing the model knows is here\n";
      continue;
    }
    const size_t width = std::max<size_t>(8, display_width(label));
    const size_t other_width = std::max<size_t>(8, display_width(runner_up));
    fmt::format_to(to, "        {}  {}  feature\n", pad_left(label, width), pad_left(runner_up, other_width));
    for (size_t k = 0; k < shown; ++k) {
      const auto& c = e.contributions[k];
      fmt::format_to(to, "        {}  {}  {}\n", pad_left(fmt::format("{:+.3f}", c.weight), width),
                     pad_left(fmt::format("{:+.3f}", c.runner_up), other_width),
                     cut(c.feature, kFeatureWidth));
    }
  }
  return out + "\n";
}

nlohmann::ordered_json to_json(const data::Sequence& sequence, size_t number,
                               const Explanations& explanations, const model::Model& model, size_t top) {
  using Json = nlohmann::ordered_json;
  const size_t word = word_column(model.about());
  Json tokens = Json::array();
  const size_t columns = model.predictor().label_columns();
  for (size_t i = 0; i < explanations.size(); ++i) {
    const size_t row = i / columns;
    const auto& e = explanations[i];
    const data::LabelSet& labels = model.predictor().labels_of_column(e.column);
    Json contributions = Json::array();
    for (size_t k = 0; k < std::min(top, e.contributions.size()); ++k) {
      const auto& c = e.contributions[k];
      contributions.push_back({{"feature", c.feature}, {"weight", c.weight}, {"runner_up", c.runner_up}});
    }
    tokens.push_back({{"token", token_text(sequence, row, word)},
                      {"line", sequence.line(row)},
                      {"label", labels.name(e.label)},
                      {"runner_up", labels.name(e.runner_up)},
                      {"margin", e.margin},
                      {"contributions", std::move(contributions)}});
    if (!e.decision.empty()) {
      tokens.back()["decision"] = e.decision;
      tokens.back()["runner_up_decision"] = e.runner_up_decision;
    }
    if (columns > 1) tokens.back()["column"] = label_column_number(model.about(), e.column);
  }
  return {{"sequence", number}, {"tokens", std::move(tokens)}};
}

Outcome run(const ExplainFlags& flags) {
  ESPALIER_ASSIGN(const model::Model model, model::Model::open(flags.model));
  ESPALIER_ASSIGN(const auto reader,
                  model::open_task_reader(flags.input, model.about().task, model.about().reading_for_use()));
  const auto scratch = model.predictor().make_scratch();
  data::Sequence sequence;
  size_t number = 0;
  size_t explained = 0;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader->next(sequence));
    if (!more) break;
    ++number;
    if (flags.sequence && *flags.sequence != number) continue;
    Explanations explanations;
    if (!sequence.empty()) {  // a predicate may have no candidates
      ESPALIER_ASSIGN(explanations, model.predictor().explain(sequence, *scratch));
    }
    if (flags.output.json) {
      all.push_back(to_json(sequence, number, explanations, model, flags.top));
    } else {
      ESPALIER_TRY(print(to_text(sequence, number, explanations, model, flags.top)));
    }
    ++explained;
    if (flags.sequence) break;
  }
  if (explained == 0)
    return fail("{}: there is no sequence {}, only {}", flags.input, *flags.sequence, number);
  if (flags.output.json)
    ESPALIER_TRY(
        print_json({{"about_weights", model.predictor().about_weights()}, {"sequences", std::move(all)}}));
  return {};
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("explain", kExplainHelp);
  const auto flags = std::make_shared<ExplainFlags>();
  verb.add_option("INPUT", flags->input, "what to label and explain [-, standard input]")->type_name("");
  add_model_option(verb, flags->model);
  verb.add_option("--sequence", flags->sequence, "only this sequence, from 1 [all]")
      ->type_name("N")
      ->check(CLI::Validator(CLI::PositiveNumber).description(""));
  verb.add_option("--top", flags->top, "how many features are shown for each token [5]")->type_name("N");
  flags->output.add_to(verb);
  verb.footer(kExplainExamples);
  verb.callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace espalier::apps
