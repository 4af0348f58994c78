#include "espalier/tasks/spaces/decision_plan.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "espalier/base/text/json_as.h"

namespace espalier::tasks {

namespace {

uint32_t number_of(std::vector<std::string>& types, std::string_view type) {
  const auto it = std::find(types.begin(), types.end(), type);
  if (it != types.end()) return static_cast<uint32_t>(it - types.begin());
  types.emplace_back(type);
  return static_cast<uint32_t>(types.size() - 1);
}

constexpr std::string_view kLossNames[] = {"hamming", "f1", "zero-one"};
constexpr std::string_view kOrderNames[] = {"left-to-right", "right-to-left", "easiest-first"};
}  // namespace

std::string_view order_name(DecisionOrder order) { return kOrderNames[static_cast<size_t>(order)]; }

Result<DecisionOrder> parse_order(std::string_view name) {
  const auto at = std::find(std::begin(kOrderNames), std::end(kOrderNames), name);
  if (at == std::end(kOrderNames)) return fail("unknown order '{}'", name);
  return static_cast<DecisionOrder>(at - std::begin(kOrderNames));
}

DecisionPlan DecisionPlan::of(data::LabelSet labels, data::Scheme scheme) {
  DecisionPlan plan;
  plan.labels = std::move(labels);
  plan.scheme = scheme;
  plan.column_begin = {0, static_cast<uint32_t>(plan.labels.size())};
  plan.column_labels = {plan.labels};
  plan.types = {"O"};
  for (const std::string& name : plan.labels.names()) {
    const auto parts = scheme == data::Scheme::kNone ? std::nullopt : data::parse_label(name);
    if (!parts || parts->prefix == 'O') {
      plan.tags.push_back({});
    } else {
      plan.tags.push_back({parts->prefix, number_of(plan.types, parts->type)});
    }
  }
  return plan;
}

DecisionPlan DecisionPlan::joint(std::vector<data::LabelSet> columns) {
  data::LabelSet all;
  std::vector<uint32_t> begin{0};
  for (size_t c = 0; c < columns.size(); ++c) {
    for (const std::string& name : columns[c].names()) all.add(fmt::format("{}:{}", c + 1, name));
    begin.push_back(static_cast<uint32_t>(all.size()));
  }
  DecisionPlan plan = of(std::move(all), data::Scheme::kNone);
  plan.column_begin = std::move(begin);
  plan.column_labels = std::move(columns);
  return plan;
}

Status DecisionPlan::check() const {
  if (columns() > 1) {
    if (columns() > kMostColumns)
      return fail("{} columns of labels, but at most {} are supported", columns(), kMostColumns);
    if (unit != DecisionUnit::kWord)
      return fail("several columns of labels are only supported with unit=word");
    if (loss == SequenceLoss::kF1)
      return fail("loss=f1 is not supported with several columns of labels; use hamming or zero-one");
    if (lead > kMostLead)
      return fail("a column can be decided at most {} tokens ahead of the next, not {}", kMostLead, lead);
  }
  if (history > kMostHistory) return fail("history is {}, wanted at most {}", history, kMostHistory);
  if ((loss == SequenceLoss::kF1 || legal) && unit == DecisionUnit::kWord && scheme != data::Scheme::kIob2)
    return fail("segments decided word by word need IOB2 labels (B-X, I-X, O); these are {}",
                data::scheme_name(scheme));
  if (unit == DecisionUnit::kChunk && scheme == data::Scheme::kNone)
    return fail("chunks need the labels of a segment scheme such as IOB2; these are plain");
  if (unit == DecisionUnit::kChunk && order != DecisionOrder::kLeftToRight)
    return fail("chunks can only be decided from left to right");
  if (max_length == 0) return fail("the maximum length of chunks is 0, wanted at least 1");
  if (order == DecisionOrder::kEasiestFirst && (columns() > 1 || legal || loss == SequenceLoss::kF1))
    return fail("direction=easiest-first is only supported with task label and loss hamming or zero-one");
  return {};
}

std::string DecisionPlan::to_json() const {
  return json_text(Json{{"labels", labels.names()},
                        {"columns", column_begin},
                        {"unit", unit == DecisionUnit::kWord ? "word" : "chunk"},
                        {"order", order_name(order)},
                        {"loss", kLossNames[static_cast<size_t>(loss)]},
                        {"history", history},
                        {"legal", legal},
                        {"max_length", max_length},
                        {"lead", lead},
                        {"word", word_cell ? Json(*word_cell) : Json()},
                        {"scheme", data::scheme_name(scheme)}});
}

Result<DecisionPlan> DecisionPlan::from_json(std::string_view text, const std::string& name) {
  const Json object = try_parse_json(text);
  if (!object.is_object()) return fail("{}: section 'search' is not a JSON object", name);
  try {
    data::LabelSet labels;
    const auto names = object.at("labels").get<std::vector<std::string>>();
    for (const std::string& label : names) labels.add(label);
    if (names.empty() || names.size() >= data::kNoLabel || labels.size() != names.size())
      return fail("{}: section 'search': there are no labels, too many, or duplicates", name);
    ESPALIER_ASSIGN(const data::Scheme scheme, data::parse_scheme(object.at("scheme").get<std::string>()));
    const auto begin = json_as<std::vector<uint32_t>>(object.at("columns"));
    const auto not_below = std::greater_equal<uint32_t>();  // every column has a label
    if (begin.size() < 2 || begin.front() != 0 || begin.back() != names.size() ||
        std::adjacent_find(begin.begin(), begin.end(), not_below) != begin.end())
      return fail("{}: section 'search': the columns do not match the labels", name);
    DecisionPlan plan;
    if (begin.size() == 2) {
      plan = of(std::move(labels), scheme);
    } else {
      std::vector<data::LabelSet> columns(begin.size() - 1);
      for (size_t c = 0; c < columns.size(); ++c) {
        const std::string prefix = fmt::format("{}:", c + 1);
        for (uint32_t l = begin[c]; l < begin[c + 1]; ++l) {
          if (!names[l].starts_with(prefix))
            return fail("{}: section 'search': label '{}' does not belong to column {}", name, names[l],
                        c + 1);
          columns[c].add(std::string_view(names[l]).substr(prefix.size()));
        }
      }
      plan = joint(std::move(columns));
      if (scheme != data::Scheme::kNone)
        return fail("{}: section 'search': a scheme is not supported with several columns", name);
    }
    plan.unit = object.at("unit").get<std::string>() == "word" ? DecisionUnit::kWord : DecisionUnit::kChunk;
    const auto order = parse_order(object.at("order").get<std::string>());
    if (!order.ok()) return fail("{}: section 'search': {}", name, order.error().message);
    plan.order = *order;
    const std::string loss = object.at("loss").get<std::string>();
    const auto at = std::find(std::begin(kLossNames), std::end(kLossNames), loss);
    if (at == std::end(kLossNames)) return fail("{}: section 'search': unknown loss '{}'", name, loss);
    plan.loss = static_cast<SequenceLoss>(at - std::begin(kLossNames));
    plan.history = json_as<size_t>(object.at("history"));
    plan.legal = object.at("legal").get<bool>();
    plan.max_length = json_as<size_t>(object.at("max_length"));
    plan.lead = json_as<size_t>(object.at("lead"));
    if (const Json& word = object.at("word"); !word.is_null()) plan.word_cell = json_as<size_t>(word);
    if (plan.max_length > 1000)
      return fail("{}: the maximum length of chunks is {}, wanted at most 1000", name, plan.max_length);
    if (const Status ok = plan.check(); !ok.ok()) return fail("{}: {}", name, ok.error().message);
    return plan;
  } catch (const Json::exception&) {
    return fail("{}: section 'search' lacks a field or has one of the wrong type", name);
  }
}

}  // namespace espalier::tasks
