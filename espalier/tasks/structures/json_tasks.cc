#include "espalier/tasks/structures/json_tasks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "espalier/base/text/json_as.h"
#include "espalier/data/attribute_values.h"
#include "espalier/data/formats/lines.h"
#include "espalier/data/label_set.h"
#include "espalier/tasks/structures/roles.h"
#include "espalier/tasks/summary/cluster.h"

namespace espalier::tasks {

namespace {

class JsonTaskReader final : public data::Reader {
 public:
  JsonTaskReader(data::Lines lines, JsonTask task, const data::ReadOptions& options)
      : lines_(std::move(lines)),
        task_(task),
        labels_required_(options.labels_required),
        allow_empty_(options.allow_empty) {}

  Result<bool> next(data::Sequence& sequence) override {
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, lines_.next(line));
      if (!more) {
        at_end_ = true;
        if (!any_ && !allow_empty_) return fail("{}: the file has no sequences", lines_.name());
        return false;
      }
      if (!data::is_blank(line)) break;
    }
    any_ = true;
    ESPALIER_TRY(task_ == JsonTask::kRoles     ? fill_roles(line, sequence)
                 : task_ == JsonTask::kSummary ? fill_cluster(line, sequence)
                                               : fill_variables(line, sequence));
    // Lines are written again, with what else they hold.
    if (const std::string_view number = oversized_integer(line); !number.empty())
      return lines_.error("the number {} has more than 64 bits and would be changed; write it as text",
                          data::in_quotes(number));
    if (sequence.text_bytes() > data::Sequence::kMaxTextBytes)
      return lines_.error("the line holds more than 2 GiB");
    return true;
  }

  std::string_view name() const override { return lines_.name(); }
  bool would_wait() override { return lines_.would_wait(); }
  Status recover() override { return at_end_ ? Reader::recover() : Status(); }  // a line is a sequence

 private:
  Status fill_roles(std::string_view line, data::Sequence& sequence) {
    ESPALIER_ASSIGN(const RolePredicate predicate,
                    parse_predicate(line, std::string(lines_.name()), lines_.number()));
    if (!predicate.labelled && labels_required_) return lines_.error("a candidate has no \"role\"");
    sequence = role_sequence(predicate);
    if (!predicate.labelled) sequence.drop_labels();
    sequence.add_comment(std::string(line));
    sequence.add_comment(std::to_string(predicate.missed.size()));
    return {};
  }

  /// A cluster has no labels: what training and scoring need are its references.
  Status fill_cluster(std::string_view line, data::Sequence& sequence) {
    ESPALIER_ASSIGN(const Cluster cluster,
                    parse_cluster(line, fmt::format("{}:{}", lines_.name(), lines_.number())));
    if (cluster.references.empty() && labels_required_)
      return lines_.error("the cluster has no references (\"refs\"), which summaries are compared with");
    cluster_sequence(cluster, line, lines_.number(), sequence);
    return {};
  }

  /// {"x": [[numbers of variable 1], …], "y": [0, 1, …]}
  Status fill_variables(std::string_view line, data::Sequence& sequence) {
    const Json object = try_parse_json(line);
    if (!object.is_object()) return lines_.error("expected a JSON object");
    const auto x = object.find("x"), y = object.find("y");
    if (x == object.end() || !x->is_array() || x->empty())
      return lines_.error("expected \"x\" with an array of numbers for each variable");
    const bool labelled = y != object.end() && !y->is_null();
    if (!labelled && labels_required_) return lines_.error("expected \"y\" with a value for each variable");
    if (labelled && (!y->is_array() || y->size() != x->size()))
      return lines_.error("expected \"y\" with {} values, one a variable", x->size());
    if (variables_ == 0) variables_ = x->size();
    if (x->size() != variables_) return lines_.error("{} variables here, {} before", x->size(), variables_);
    sequence.clear();
    std::string name;
    for (size_t i = 0; i < x->size(); ++i) {
      sequence.begin_row({}, lines_.number());
      const Json& point = (*x)[i];
      if (!point.is_array() || point.empty())
        return lines_.error("variable {}: expected an array of numbers", i + 1);
      // Each variable has a classifier of its own, so its number is part of the feature's name.
      for (size_t k = 0; k < point.size(); ++k) {
        const float value = point[k].is_number() ? point[k].get<float>() : NAN;
        if (!data::usable_value(value))
          return lines_.error("variable {}: number {} is not a number from -{:g} to {:g}", i + 1, k + 1,
                              data::kLargestUsableValue, data::kLargestUsableValue);
        sequence.add_attribute(name = fmt::format("v{}.x{}", i + 1, k + 1), value);
      }
      sequence.add_attribute(name = fmt::format("v{}.bias", i + 1), 1);
      if (!labelled) continue;
      const Json& value = (*y)[i];
      const std::string text = value.is_string()           ? value.get<std::string>()
                               : value.is_number_integer() ? json_text(value)
                               : value.is_null()           ? std::string(data::kUnknownLabelText)
                                                           : "";
      if (text.empty()) return lines_.error("value {}: expected a whole number, text or null", i + 1);
      sequence.set_label(text);
    }
    sequence.add_comment(std::string(line));
    return {};
  }

  data::Lines lines_;
  JsonTask task_;
  bool labels_required_, allow_empty_;
  bool at_end_ = false;
  size_t variables_ = 0;
  bool any_ = false;
};

size_t number_in(std::string_view cell) {
  size_t number = 0;
  std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return number;
}

/// The sentences of a summary, one per line, and an empty line.
void append_summary(const data::Sequence& sequence, std::span<const std::string_view> labels,
                    std::string& out) {
  const Cluster cluster = cluster_of(sequence);
  std::vector<bool> chosen;
  for (const std::string_view label : labels) chosen.push_back(label == kInSummary);
  for (const std::string& sentence : summary_sentences(cluster, chosen)) out.append(sentence).push_back('\n');
  out.push_back('\n');
}

}  // namespace

Result<std::unique_ptr<data::Reader>> read_json_input(Input input, JsonTask task,
                                                      const data::ReadOptions& options) {
  ESPALIER_ASSIGN(const data::Encoding encoding, data::parse_encoding(options.encoding));
  return std::unique_ptr<data::Reader>(
      std::make_unique<JsonTaskReader>(data::Lines(std::move(input), encoding), task, options));
}

Result<std::unique_ptr<data::Reader>> open_json_task(const std::string& path, JsonTask task,
                                                     const data::ReadOptions& options) {
  ESPALIER_ASSIGN(Input input, Input::open(path));
  return read_json_input(std::move(input), task, options);
}

Result<std::unique_ptr<data::Reader>> read_json_task(std::string_view text, std::string name, JsonTask task,
                                                     const data::ReadOptions& options) {
  return read_json_input(Input::from_memory(text, std::move(name)), task, options);
}

constrain::Instance instance_of_json(const constrain::Constraints& constraints,
                                     const data::Sequence& sequence, JsonTask task) {
  std::vector<constrain::CandidateSpan> spans;
  if (task == JsonTask::kRoles)
    for (size_t row = 0; row < sequence.length(); ++row)
      spans.push_back({number_in(sequence.cell(row, kRoleBegin)), number_in(sequence.cell(row, kRoleEnd))});
  return constraints.instance(
      sequence.length(), [&](size_t row, size_t column) { return sequence.cell(row, column); },
      std::move(spans));
}

const std::string& json_line(const data::Sequence& sequence) {
  ESPALIER_CHECK(!sequence.comments().empty());
  return sequence.comments().front();
}

size_t missed_arguments(const data::Sequence& sequence) {
  return sequence.comments().size() > 1 ? number_in(sequence.comments()[1]) : 0;
}

void append_json_task(const data::Sequence& sequence, JsonTask task, std::span<const std::string_view> labels,
                      const data::ExtraFields& extra, std::string& out) {
  ESPALIER_CHECK(labels.size() == sequence.length());
  if (task == JsonTask::kSummary) return append_summary(sequence, labels, out);
  Json object = try_parse_json(json_line(sequence));
  ESPALIER_CHECK(object.is_object());  // it was parsed when read
  const size_t fields = extra.names.size();
  if (task == JsonTask::kRoles) {
    Json& candidates = object["cands"];
    std::vector<constrain::CandidateSpan> spans;
    for (const Json& c : candidates)
      spans.push_back({json_as<size_t>(c.at("b")), json_as<size_t>(c.at("e"))});
    const std::vector<size_t> order = candidate_order(spans);
    for (size_t row = 0; row < labels.size(); ++row) {
      Json& candidate = candidates[order[row]];
      candidate["role"] = std::string(labels[row]);
      for (size_t f = 0; f < fields; ++f)
        candidate[std::string(extra.names[f])] = std::string(extra.values[row * fields + f]);
    }
  } else {
    Json values = Json::array();
    for (const std::string_view label : labels) {
      int64_t number = 0;
      const auto [end, problem] = std::from_chars(label.data(), label.data() + label.size(), number);
      const bool whole = problem == std::errc() && end == label.data() + label.size();
      values.push_back(whole ? Json(number) : Json(std::string(label)));
    }
    object["y"] = std::move(values);
    for (size_t f = 0; f < fields; ++f) {
      Json& field = object[std::string(extra.names[f])] = Json::array();
      for (size_t row = 0; row < labels.size(); ++row)
        field.push_back(std::string(extra.values[row * fields + f]));
    }
  }
  out.append(json_text(object)).push_back('\n');
}

}  // namespace espalier::tasks
