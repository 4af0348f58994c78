// Reads models of CRF++, both forms that crf_learn writes: the text (-t) and the binary file.
// Tested in import_model_test.cc.
//
// The text: "version:", "cost-factor:", "maxid:", "xsize:", a blank line, the labels, a blank line, the
// template, a blank line, "number name" of every feature, a blank line, and the weights, one per line. The
// binary file: the same fields as numbers, then labels and template lines, each ended by a zero byte, then
// the names as a double-array trie, then the weights as 32-bit floats. A feature whose name starts with U has
// one weight per label from its number on, others one per pair of labels.
#include <map>

#include "espalier/base/text/counted.h"
#include "espalier/base/text/text.h"
#include "espalier/model/foreign/byte_cursor.h"
#include "espalier/model/foreign/foreign_model.h"

namespace espalier::model {
namespace {

/// What both forms hold: where the weights of each feature begin, and all weights.
struct CrfppWeights {
  std::vector<std::pair<std::string, uint64_t>> features;
  std::vector<float> weights;
};

Status add_crfpp_features(const CrfppWeights& all, const std::string& name, ForeignModel& model) {
  const size_t K = model.labels.size();
  for (const auto& [feature, first] : all.features) {
    if (feature.empty() || (feature[0] != 'U' && feature[0] != 'B'))
      return fail("{}: damaged: a feature is called '{}'; names start with U or B", name, feature);
    const bool edge = feature[0] == 'B';
    const size_t count = edge ? K * K : K;
    if (first > all.weights.size() || count > all.weights.size() - first)
      return fail("{}: damaged: feature '{}' has weights {} to {} of {}", name, feature, first,
                  first + count - 1, all.weights.size());
    ForeignFeatures& to = edge ? model.edge : model.state;
    for (size_t i = 0; i < count; ++i) to.add(static_cast<uint32_t>(i), all.weights[first + i]);
    to.end(feature);
  }
  return {};
}

/// "key: value" lines up to a blank one.
Result<std::map<std::string_view, double>> crfpp_fields(ByteCursor& cursor, const std::string& name) {
  std::map<std::string_view, double> fields;
  while (const auto line = cursor.line()) {
    if (line->empty()) return fields;
    const size_t colon = line->find(": ");
    if (colon == line->npos) return fail("{}: damaged: '{}' in the header", name, line->substr(0, 60));
    const auto value = parse_number(line->substr(colon + 2));
    if (!value.ok()) return fail("{}: {}: {}", name, line->substr(0, colon), value.error().message);
    fields[line->substr(0, colon)] = *value;
  }
  return fail("{}: the file ends in the header", name);
}

/// The lines up to a blank one.
Result<std::vector<std::string_view>> crfpp_lines(ByteCursor& cursor, const std::string& name,
                                                  std::string_view what) {
  std::vector<std::string_view> lines;
  while (const auto line = cursor.line()) {
    if (line->empty()) return lines;
    lines.push_back(*line);
  }
  return fail("{}: the file ends in the {}", name, what);
}

Status check_crfpp_header(double version, double maxid, double columns, const std::string& name) {
  if (!(version >= 100 && version < 200))
    return fail("{}: version {} of CRF++'s models is not supported, only 100", name, version);
  if (!(maxid >= 1 && maxid <= 4e9)) return fail("{}: {} is not a possible number of weights", name, maxid);
  if (!(columns >= 1 && columns <= 1000))
    return fail("{}: {} is not a possible number of columns", name, columns);
  return {};
}

/// The keys of a double-array trie and their values. A unit is a pair (base, check): the child of a state
/// with base b by byte c is unit b + c + 1 if that has check b; the value of the key that ends there is −1 −
/// base of unit b, if that has check b and a negative base.
class CrfppTrie {
 public:
  CrfppTrie(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name), units_(bytes.size() / kUnit), seen_(units_, false) {}

  Status read(size_t most_text, std::vector<std::pair<std::string, uint64_t>>& keys) {
    if (units_ == 0) return fail("{}: damaged: there are no features", name_);
    struct Open {
      uint32_t base;
      int next;
    };
    std::string key;
    std::vector<Open> path;
    size_t text = 0;
    const auto open = [&](int64_t base) -> Status {
      if (base <= 0 || base >= static_cast<int64_t>(units_) || seen_[static_cast<size_t>(base)])
        return fail("{}: damaged: the table of features points nowhere", name_);
      seen_[static_cast<size_t>(base)] = true;
      path.push_back({static_cast<uint32_t>(base), 0});
      const auto here = static_cast<uint32_t>(base);
      if (check(here) != here || base_of(here) >= 0) return {};
      text += key.size();
      if (text > most_text) return fail("{}: damaged: the names of features are too long", name_);
      keys.emplace_back(key, static_cast<uint64_t>(-1 - static_cast<int64_t>(base_of(here))));
      return {};
    };
    ESPALIER_TRY(open(base_of(0)));
    while (!path.empty()) {
      if (path.back().next == 256) {
        path.pop_back();
        if (!key.empty()) key.pop_back();
        continue;
      }
      const uint32_t base = path.back().base;
      const int byte = path.back().next++;
      const size_t child = size_t{base} + static_cast<size_t>(byte) + 1;
      if (child >= units_ || check(child) != base) continue;
      key.push_back(static_cast<char>(byte));
      ESPALIER_TRY(open(base_of(child)));
    }
    return {};
  }

 private:
  static constexpr size_t kUnit = 8;
  int32_t base_of(size_t unit) const { return at<int32_t>(unit * kUnit); }
  uint32_t check(size_t unit) const { return at<uint32_t>(unit * kUnit + 4); }
  template <typename T>
  T at(size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  std::string_view bytes_;
  const std::string& name_;
  size_t units_;
  std::vector<bool> seen_;  ///< bases that were followed
};

/// Texts, each ended by a zero byte; empty ones are padding.
Result<std::vector<std::string_view>> zero_ended(ByteCursor& cursor, const std::string& name,
                                                 std::string_view what) {
  uint32_t size = 0;
  std::optional<std::string_view> block;
  if (!cursor.read(size) || !(block = cursor.text(size)))
    return fail("{}: the file ends in the {}", name, what);
  std::vector<std::string_view> texts;
  while (!block->empty()) {
    const size_t end = block->find('\0');
    if (end == block->npos) return fail("{}: damaged: the {} do not end", name, what);
    if (end > 0) texts.push_back(block->substr(0, end));
    block->remove_prefix(end + 1);
  }
  return texts;
}

void set_crfpp_template(const std::vector<std::string_view>& lines, ForeignModel& model) {
  for (const std::string_view line : lines) model.template_text.append(line).append("\n");
}

}  // namespace

Result<ForeignModel> read_crfpp_text(std::string_view bytes, const std::string& name) {
  ByteCursor cursor(bytes);
  ESPALIER_ASSIGN(auto fields, crfpp_fields(cursor, name));
  for (const char* const field : {"version", "cost-factor", "maxid", "xsize"})
    if (!fields.contains(field)) return fail("{}: damaged: the header has no '{}'", name, field);
  ESPALIER_TRY(check_crfpp_header(fields["version"], fields["maxid"], fields["xsize"], name));

  ForeignModel model;
  model.program = "CRF++";
  model.columns = static_cast<size_t>(fields["xsize"]);
  ESPALIER_ASSIGN(const auto labels, crfpp_lines(cursor, name, "labels"));
  model.labels.assign(labels.begin(), labels.end());
  ESPALIER_TRY(check_foreign_labels(model.labels, name));
  ESPALIER_ASSIGN(const auto lines, crfpp_lines(cursor, name, "template"));
  set_crfpp_template(lines, model);
  CrfppWeights all;
  ESPALIER_ASSIGN(const auto features, crfpp_lines(cursor, name, "features"));
  for (const std::string_view line : features) {
    ByteCursor parts(line);
    uint64_t first = 0;
    if (!parts.number(first) || !parts.skip(" "))
      return fail("{}: damaged: '{}' is not a number and a feature", name, line.substr(0, 60));
    all.features.emplace_back(line.substr(parts.offset()), first);
  }
  while (const auto line = cursor.line()) {
    const auto weight = parse_number(*line);
    if (!weight.ok()) return fail("{}: weight {}: {}", name, all.weights.size() + 1, weight.error().message);
    ESPALIER_ASSIGN(const float stored, foreign_weight(*weight * fields["cost-factor"], name));
    all.weights.push_back(stored);
  }
  if (static_cast<double>(all.weights.size()) != fields["maxid"])
    return fail("{}: damaged: {}, the header announces {}", name, counted(all.weights.size(), "weight"),
                static_cast<uint64_t>(fields["maxid"]));
  ESPALIER_TRY(add_crfpp_features(all, name, model));
  return model;
}

Result<ForeignModel> read_crfpp_binary(std::string_view bytes, const std::string& name) {
  ByteCursor cursor(bytes);
  uint32_t version = 0, type = 0, maxid = 0, columns = 0, trie_bytes = 0;
  double cost_factor = 1;
  if (!cursor.read(version) || !cursor.read(type) || !cursor.read(cost_factor) || !cursor.read(maxid) ||
      !cursor.read(columns) || !cursor.read(trie_bytes))
    return fail("{}: the file ends in the header", name);
  ESPALIER_TRY(check_crfpp_header(version, maxid, columns, name));
  ForeignModel model;
  model.program = "CRF++";
  model.columns = columns;
  ESPALIER_ASSIGN(const auto labels, zero_ended(cursor, name, "labels"));
  model.labels.assign(labels.begin(), labels.end());
  ESPALIER_TRY(check_foreign_labels(model.labels, name));
  ESPALIER_ASSIGN(const auto lines, zero_ended(cursor, name, "template"));
  set_crfpp_template(lines, model);
  const auto trie = cursor.text(trie_bytes);
  if (!trie || cursor.left() != size_t{maxid} * sizeof(float))
    return fail("{}: damaged: {} bytes, but the header announces features of {} bytes and {} weights", name,
                bytes.size(), trie_bytes, maxid);
  CrfppWeights all;
  // Names share their beginnings in the table, but take at least two entries of it.
  ESPALIER_TRY(CrfppTrie(*trie, name).read(64 * bytes.size(), all.features));
  all.weights.resize(maxid);
  for (float& weight : all.weights) {
    float stored = 0;
    ESPALIER_CHECK(cursor.read(stored));
    ESPALIER_ASSIGN(weight, foreign_weight(stored * cost_factor, name));
  }
  ESPALIER_TRY(add_crfpp_features(all, name, model));
  return model;
}

}  // namespace espalier::model
