// explain_stream: explanations of all sequences of a source, as text or JSON. Tested in stream_test.cc and
// apps/tests/verbs_test.sh.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "espalier/api/model_input.h"
#include "espalier/api/public_monitor.h"
#include "espalier/api/tagger.h"
#include "espalier/api/text_io.h"
#include "espalier/base/parallel.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/base/text/layout.h"
#include "espalier/model/registry.h"
#include "espalier/model/tag_format.h"

namespace espalier {
namespace {

constexpr size_t kFeatureWidth = 60;

using Explanations = std::vector<data::Predictor::Explanation>;

/// Formats the explanations of one sequence.
class ExplanationWriter {
 public:
  /// `word` is the cell that holds the word.
  ExplanationWriter(const model::Model& model, const data::Predictor& predictor, size_t word, size_t top,
                    bool colour)
      : about_(model.about()),
        predictor_(predictor),
        colour_(colour),
        top_(top),
        word_(word),
        columns_(predictor.label_columns()) {}

  std::string text(const data::Sequence& sequence, const Explanations& explanations) const;
  Json tokens(const data::Sequence& sequence, const Explanations& explanations) const;

 private:
  const std::string& name(const data::Predictor::Explanation& e, data::Label label) const {
    return predictor_.labels_of_column(e.column).name(label);
  }
  std::string token_text(const data::Sequence& sequence, size_t row) const {
    return std::string(sequence.columns() > word_ ? sequence.cell(row, word_) : std::string_view("_"));
  }

  /// A label, padded or not, in colour if that is wanted: green, the runner-up cyan.
  std::string coloured(const std::string& label, bool chosen) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", chosen ? "1;32" : "36", label) : label;
  }

  const model::ModelHeader& about_;
  const data::Predictor& predictor_;
  bool colour_;
  size_t top_, word_, columns_;
};

std::string ExplanationWriter::text(const data::Sequence& sequence, const Explanations& explanations) const {
  size_t token_width = 0, label_width = 0;
  for (size_t row = 0; row < sequence.length(); ++row)
    token_width = std::max(token_width, display_width(token_text(sequence, row)));
  for (const auto& e : explanations) label_width = std::max(label_width, display_width(name(e, e.label)));
  std::string out = sequence.empty() ? ": nothing to label\n" : fmt::format(", line {}\n", sequence.line(0));
  const std::string about_weights = predictor_.about_weights();
  if (!about_weights.empty() && !sequence.empty()) out += "weights: " + about_weights + "\n";
  // If the model has no weights to show, the line above says so.
  const bool any = std::any_of(explanations.begin(), explanations.end(),
                               [](const auto& e) { return !e.contributions.empty(); });
  for (size_t i = 0; i < explanations.size(); ++i) {
    const size_t row = i / columns_;
    const auto& e = explanations[i];
    const std::string &label = name(e, e.label), &runner_up = name(e, e.runner_up);
    append_format(out, "\n{:>4}  {}  {}", row + 1, pad_right(token_text(sequence, row), token_width),
                  coloured(pad_right(label, label_width), true));
    if (e.label == e.runner_up && e.decision.empty()) {
      if (predictor_.labels_of_column(e.column).size() > 1) out += "  no other label was left";
    } else if (e.margin < 0) {  // probabilities are those of whole labellings, or of segments
      const bool constrained = !predictor_.about_constraints().empty();
      append_format(out, "  by {}; {} {} by {:.3f}", constrained ? "constraints" : "probability",
                    coloured(runner_up, false), constrained ? "is better" : "has the higher score",
                    -e.margin);
    } else if (std::isfinite(e.margin)) {
      append_format(out, "  before {} by {:.3f}", coloured(runner_up, false), e.margin);
    }
    // Chunks of other lengths may give the token the same label.
    if (!e.decision.empty())
      append_format(out, " ({} before {})", e.decision,
                    e.runner_up_decision.empty() ? "nothing else" : e.runner_up_decision);
    out += "\n";
    const size_t shown = std::min(top_, e.contributions.size());
    if (shown == 0) {
      if (e.contributions.empty() && (any || about_weights.empty()))
        out += "        nothing the model knows is here\n";
      continue;
    }
    const size_t width = std::max<size_t>(8, display_width(label));
    const size_t other_width = std::max<size_t>(8, display_width(runner_up));
    append_format(out, "        {}  {}  feature\n", coloured(pad_left(label, width), true),
                  coloured(pad_left(runner_up, other_width), false));
    for (size_t k = 0; k < shown; ++k) {
      const auto& c = e.contributions[k];
      append_format(out, "        {}  {}  {}\n", pad_left(fmt::format("{:+.3f}", c.weight), width),
                    pad_left(fmt::format("{:+.3f}", c.runner_up), other_width),
                    cut(c.feature, kFeatureWidth));
    }
  }
  return out + "\n";
}

Json ExplanationWriter::tokens(const data::Sequence& sequence, const Explanations& explanations) const {
  Json tokens = Json::array();
  for (size_t i = 0; i < explanations.size(); ++i) {
    const auto& e = explanations[i];
    Json contributions = Json::array();
    for (size_t k = 0; k < std::min(top_, e.contributions.size()); ++k)
      contributions.push_back({{"feature", e.contributions[k].feature},
                               {"weight", e.contributions[k].weight},
                               {"runner_up", e.contributions[k].runner_up}});
    tokens.push_back({{"token", token_text(sequence, i / columns_)},
                      {"line", sequence.line(i / columns_)},
                      {"label", name(e, e.label)},
                      {"runner_up", name(e, e.runner_up)},
                      {"margin", std::isfinite(e.margin) ? Json(e.margin) : Json(nullptr)},
                      {"contributions", std::move(contributions)}});
    if (!e.decision.empty()) {
      tokens.back()["decision"] = e.decision;
      tokens.back()["runner_up_decision"] = e.runner_up_decision;
    }
    if (columns_ > 1) tokens.back()["column"] = model::label_column_number(about_, e.column);
  }
  return tokens;
}

/// Passes on one sequence of a reader, or all of them.
class OneSequence final : public data::Reader {
 public:
  OneSequence(std::unique_ptr<data::Reader> all, size_t number) : all_(std::move(all)), number_(number) {}
  Result<bool> next(data::Sequence& sequence) override {
    while (number_ == 0 || read_ < number_) {
      ESPALIER_ASSIGN(const bool more, all_->next(sequence));
      if (!more) {
        if (number_ > 0) return fail("{}: there is no sequence {}, only {}", all_->name(), number_, read_);
        return false;
      }
      ++read_;
      if (number_ == 0 || read_ == number_) return true;
    }
    return false;
  }
  std::string_view name() const override { return all_->name(); }
  bool would_wait() override { return all_->would_wait(); }

 private:
  std::unique_ptr<data::Reader> all_;
  size_t number_, read_ = 0;
};

}  // namespace

Status check_options(const Tagger& tagger, const ExplainOptions& options) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_TRY(api::unconstrained_choice(state, options.decode));
  ESPALIER_TRY(api::model_input(state, {}, {.format = options.input_format, .encoding = options.encoding}));
  return {};
}

Status explain_stream(const Tagger& tagger, const Source& source, const Sink& sink,
                      const ExplainOptions& options) {
  const Tagger::State& state = *tagger.state();
  ESPALIER_ASSIGN(const api::DecodeChoice choice, api::decode_choice(state, options.decode));
  ESPALIER_ASSIGN(const api::ModelInput input,
                  api::model_input(state, source.state()->path,
                                   {.format = options.input_format, .encoding = options.encoding}));
  const api::PublicMonitor monitor({}, options.stop);
  ESPALIER_ASSIGN(auto all, api::open_source(source, input.reading, input.task));
  if (!input.task && !state.model.bare().builds_trees())
    all = api::check_first_labels(std::move(all), input.reading.format, state.model.labels());
  OneSequence reader(std::move(all), options.sequence);
  ESPALIER_ASSIGN(api::OpenSink out, api::OpenSink::open(sink));
  const size_t word =
      input.map ? data::InputMap::word_cell(input.reading.format) : model::word_column(state.model.about());
  const ExplanationWriter writer(state.model, *choice.predictor, word, options.top, options.colour);
  const auto step = [&](const data::Sequence& sequence, data::Predictor::Scratch& scratch,
                        std::string& text) -> Status {
    Explanations explanations;
    if (!sequence.empty()) {  // a predicate may have no candidates
      thread_local data::Sequence mapped;
      if (input.map) ESPALIER_TRY(input.map->apply(sequence, mapped));
      ESPALIER_ASSIGN(explanations, choice.predictor->explain(input.map ? mapped : sequence, scratch));
    }
    text =
        options.json ? json_text(writer.tokens(sequence, explanations)) : writer.text(sequence, explanations);
    return {};
  };
  size_t number = options.sequence == 0 ? 0 : options.sequence - 1;
  bool first = true;
  const auto take = [&](const data::Sequence&, std::string_view text) -> Status {
    ++number;
    const bool begins = std::exchange(first, false);
    if (options.json)
      return out.write(fmt::format("{}\n{{\"sequence\":{},\"tokens\":{}}}", begins ? "" : ",", number, text));
    return out.write(fmt::format("sequence {}{}", number, text));
  };
  if (options.json)
    ESPALIER_TRY(out.write(fmt::format("{{\"about_weights\":{},\"sequences\":[",
                                       json_text(Json(choice.predictor->about_weights())))));
  Status status =
      model::run_steps(reader, *choice.predictor, Workers(options.threads), monitor.monitor(), step, take);
  if (status.ok() && monitor.stopped()) status = fail("stopped before everything was explained");
  // A reader of standard output gets a valid object also after an error.
  if (options.json)
    ESPALIER_TRY(out.write(
        status.ok() ? "\n]}\n"
                    : fmt::format("\n],\"errors\":[{}]}}\n", json_text(Json(status.error().message)))));
  ESPALIER_TRY(status);
  return out.commit();
}

}  // namespace espalier
