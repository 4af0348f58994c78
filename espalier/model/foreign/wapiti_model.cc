// Reads models of Wapiti. Tested in import_model_test.cc.
//
// The file is text: "#mdl#type#weights", "#rdr#patterns/columns/flag", the patterns,
// the labels and the observations ("#qrk#count" before each list), every text as "size:text,", and then the
// weights that are not 0 as "number=hexadecimal". Observations that start with u have one weight per label,
// those that start with b one per pair of labels, those with * both, numbered in the order of the list.
#include "espalier/base/text/counted.h"
#include "espalier/model/foreign/byte_cursor.h"
#include "espalier/model/foreign/foreign_model.h"

namespace espalier::model {
namespace {

/// "size:text,\n"
Result<std::string_view> wapiti_text(ByteCursor& cursor, const std::string& name, std::string_view what) {
  size_t size = 0;
  std::optional<std::string_view> text;
  if (!cursor.number(size) || !cursor.skip(":") || !(text = cursor.text(size)) || !cursor.skip(",\n"))
    return fail("{}: damaged: at byte {}, a {} was expected", name, cursor.offset(), what);
  return *text;
}

Result<std::vector<std::string>> wapiti_list(ByteCursor& cursor, const std::string& name,
                                             std::string_view what) {
  uint64_t count = 0;
  if (!cursor.skip("#qrk#") || !cursor.number(count) || !cursor.skip("\n"))
    return fail("{}: damaged: at byte {}, the number of {}s was expected", name, cursor.offset(), what);
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < count; ++i) {
    ESPALIER_ASSIGN(const std::string_view text, wapiti_text(cursor, name, what));
    texts.emplace_back(text);
  }
  return texts;
}

/// The weights in the order of the file, which is that of their numbers.
class WapitiWeights {
 public:
  WapitiWeights(ByteCursor& cursor, uint64_t count, const std::string& name)
      : cursor_(cursor), left_(count), name_(name) {}

  /// Reads the first weight.
  Status start() { return advance(); }
  /// Adds the weights with numbers [first, first + count) to a feature.
  Status take(uint64_t first, uint64_t count, ForeignFeatures& to) {
    while (has_ && number_ < first + count) {
      to.add(static_cast<uint32_t>(number_ - first), weight_);
      ESPALIER_TRY(advance());
    }
    return {};
  }
  /// An error if there is more than the model has room for.
  Status finish() const {
    if (has_) return fail("{}: damaged: weight number {} belongs to nothing", name_, number_);
    if (cursor_.left() > 0) return fail("{}: damaged: something follows the last weight", name_);
    return {};
  }

 private:
  Status advance() {
    const bool first = !has_;
    const uint64_t before = number_;
    has_ = left_ > 0;
    if (!has_) return {};
    --left_;
    const auto line = cursor_.line();
    ByteCursor parts(line.value_or(""));
    if (!parts.number(number_) || !parts.skip("="))
      return fail("{}: damaged: weights end {} before the last", name_, left_ + 1);
    if (!first && number_ <= before) return fail("{}: damaged: weights are not in order", name_);
    ESPALIER_ASSIGN(weight_, hexadecimal(line->substr(parts.offset())));
    return {};
  }
  /// "-0x1.8p+1", or a decimal number.
  Result<float> hexadecimal(std::string_view text) const {
    const std::string_view whole = text;
    const bool minus = text.starts_with('-');
    if (minus) text.remove_prefix(1);
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value,
                                             hex ? std::chars_format::hex : std::chars_format::general);
    if (code != std::errc() || end != text.data() + text.size())
      return fail("{}: damaged: the weight '{}' is not a number", name_, whole.substr(0, 60));
    return foreign_weight(minus ? -value : value, name_);
  }

  ByteCursor& cursor_;
  uint64_t left_;
  const std::string& name_;
  bool has_ = false;
  uint64_t number_ = 0;
  float weight_ = 0;
};

}  // namespace

Result<ForeignModel> read_wapiti(std::string_view bytes, const std::string& name) {
  ByteCursor cursor(bytes);
  uint64_t first = 0, weights = 0;
  if (!cursor.skip("#mdl#") || !cursor.number(first)) return fail("{}: not a model of Wapiti", name);
  int type = 2;
  if (cursor.skip("#")) {  // older versions had no type
    type = first <= 2 ? static_cast<int>(first) : -1;
    if (!cursor.number(weights)) return fail("{}: damaged: the first line has no number of weights", name);
  } else {
    weights = first;
  }
  if (type < 0) return fail("{}: type {} of Wapiti's models is not supported; 0 to 2 are", name, first);
  uint32_t patterns = 0, columns = 0, flag = 0;
  if (!cursor.skip("\n#rdr#") || !cursor.number(patterns) || !cursor.skip("/") || !cursor.number(columns) ||
      (cursor.skip("/") && !cursor.number(flag)) || !cursor.skip("\n"))
    return fail("{}: damaged: the second line is not that of a reader", name);

  ForeignModel model;
  model.program = "Wapiti";
  model.per_position = type == 1;
  model.bytes = true;
  if (patterns == 0)
    return fail(
        "{}: the model has no patterns, so its features were made by another program; that is not supported",
        name);
  for (uint32_t p = 0; p < patterns; ++p) {
    ESPALIER_ASSIGN(const std::string_view pattern, wapiti_text(cursor, name, "pattern"));
    if (pattern.empty() || pattern.find_first_of("\n#") != pattern.npos)
      return fail("{}: damaged: pattern {} is empty, or has a line end or # in it", name, p + 1);
    model.template_text.append(pattern).append("\n");
  }
  ESPALIER_ASSIGN(model.labels, wapiti_list(cursor, name, "label"));
  ESPALIER_TRY(check_foreign_labels(model.labels, name));
  ESPALIER_ASSIGN(const auto observations, wapiti_list(cursor, name, "observation"));

  const uint64_t K = model.labels.size();
  uint64_t next = 0;
  WapitiWeights values(cursor, weights, name);
  ESPALIER_TRY(values.start());
  for (const std::string& observation : observations) {
    const char kind = observation.empty() ? '\0' : observation[0];
    if (kind != 'u' && kind != 'b' && kind != '*')
      return fail("{}: damaged: the observation '{}' starts with none of u, b and *", name,
                  observation.substr(0, 60));
    if (kind != 'b') {
      ESPALIER_TRY(values.take(next, K, model.state));
      model.state.end(observation);
      next += K;
    }
    if (kind != 'u') {
      ESPALIER_TRY(values.take(next, K * K, model.edge));
      model.edge.end(observation);
      next += K * K;
    }
  }
  ESPALIER_TRY(values.finish());
  return model;
}

}  // namespace espalier::model
