// What can be set about a learner (`-p name=value`): a table bound to the fields of the learner's options
// struct.
//
//   ParameterTable<CrfOptions> table;
//   table.number("l1", &CrfOptions::l1, {0}, "L1 penalty").whole("passes", &CrfOptions::passes, {1, 1e6},
//   "…"); table.only_where({"rate"}, [](const CrfOptions& o, const Situation&) { return …; },
//   "algorithm=adagrad"); table.clash([](const CrfOptions& o, const Situation&) { return …; }, "why these
//   exclude each other");
//
// parse() turns settings into a struct; check() refuses what has no effect and what contradicts itself. The
// defaults are those of the struct the table is made with; a field of type std::optional takes `auto`, which
// is an empty optional until the learner knows the data. After parse() nobody needs the text again, except
// the model file, which keeps it.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "espalier/base/format.h"
#include "espalier/base/result.h"

namespace espalier::model {

struct Task;

/// What a request says besides parameters, as far as it decides which of them make sense.
struct Situation {
  const Task& task;
  bool dev = false;          ///< there is a development set
  bool constraints = false;  ///< training is to keep to constraints
  bool start_from = false;   ///< training starts from a model
  bool checkpoints = false;  ///< checkpoints are written, or one is resumed
  bool ranks = false;        ///< several ranks train together
  bool memory = false;       ///< memory is bounded
  /// Parameters that were set to something else than `auto`, whatever their default. ParameterTable::check()
  /// fills it in for the rules of the table.
  std::set<std::string, std::less<>> given = {};
};

/// A parameter as help texts show it.
struct Parameter {
  std::string_view name;
  std::string fallback;   ///< the default, as text
  std::string_view help;  ///< one line
  std::string range;      ///< what it can be, in words
  bool basic = true;      ///< false: for studying the method; `help LEARNER --all` shows it
};

/// Everybody's parameters, or those of people who study the method.
enum class Audience { kBasic, kAdvanced };
inline constexpr Audience kAdvanced = Audience::kAdvanced;

/// The bounds of a number.
struct Bounds {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// Texts of all parameters of a learner by name, as a model file keeps them.
using ParameterTexts = std::map<std::string, std::string, std::less<>>;

/// Options that were parsed, the texts they came from (the defaults' where nothing was set), and the names of
/// the parameters that were set to something else than `auto`.
template <typename Options>
struct ParsedOptions {
  Options options;
  ParameterTexts texts;
  std::set<std::string, std::less<>> given = {};
};

namespace parameter {

/// A number within bounds, or an error that names the parameter.
Result<double> parse(std::string_view name, std::string_view text, Bounds bounds, bool whole);
/// "a,b,c": at least one number.
Result<std::vector<double>> parse_list(std::string_view name, std::string_view text, Bounds bounds);
Result<bool> parse_flag(std::string_view name, std::string_view text);
/// The shortest text that gives the number back.
std::string text_of(double number);
std::string text_of(const std::vector<double>& numbers);
std::string range_text(Bounds bounds);
Error not_among(std::string_view name, std::string_view text, std::span<const std::string_view> names);
Error unknown(std::string_view learner, std::string_view name, std::span<const std::string_view> names);
/// "name=value" in two.
Result<std::pair<std::string_view, std::string_view>> split(std::string_view setting);

template <typename T>
struct Unwrapped {
  using Type = T;
  static constexpr bool kAuto = false;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
  static constexpr bool kAuto = true;
};

}  // namespace parameter

/// The parameters of a learner whose options are `O`. Built once, then only read, by any number of threads.
template <typename O>
class ParameterTable {
 public:
  explicit ParameterTable(O defaults = {}) : defaults_(std::move(defaults)) {}

  /// A real number: a field of type double or optional<double>.
  template <typename T, typename Base>
  ParameterTable& number(std::string_view name, T Base::*field, Bounds bounds, std::string_view help,
                         Audience audience = Audience::kBasic) {
    return add_number(name, field, bounds, false, help, audience);
  }
  /// A whole number: a field of an integer type, or optional of one.
  template <typename T, typename Base>
  ParameterTable& whole(std::string_view name, T Base::*field, Bounds bounds, std::string_view help,
                        Audience audience = Audience::kBasic) {
    return add_number(name, field, bounds, true, help, audience);
  }
  /// yes or no.
  template <typename Base>
  ParameterTable& flag(std::string_view name, bool Base::*field, std::string_view help,
                       Audience audience = Audience::kBasic) {
    return add(
        name, "yes or no", help, audience,
        [name, field](O& options, std::string_view text) -> Status {
          ESPALIER_ASSIGN(options.*field, parameter::parse_flag(name, text));
          return {};
        },
        [field](const O& options) { return std::string(options.*field ? "yes" : "no"); });
  }
  /// One of the names: a field of type E or optional<E>, which adds `auto` in front.
  template <typename T, typename Base>
  ParameterTable& choice(
      std::string_view name, T Base::*field,
      std::vector<std::pair<std::string_view, typename parameter::Unwrapped<T>::Type>> values,
      std::string_view help, Audience audience = Audience::kBasic) {
    std::vector<std::string_view> names;
    if (parameter::Unwrapped<T>::kAuto) names.push_back("auto");
    for (const auto& value : values) names.push_back(value.first);
    return add(
        name, joined(names, ", "), help, audience,
        [name, field, values, names](O& options, std::string_view text) -> Status {
          if (parameter::Unwrapped<T>::kAuto && text == "auto") {
            options.*field = T{};
            return {};
          }
          for (const auto& [known, value] : values)
            if (known == text) {
              options.*field = value;
              return {};
            }
          return parameter::not_among(name, text, names);
        },
        [field, values](const O& options) {
          for (const auto& [known, value] : values)
            if (options.*field == value) return std::string(known);
          return std::string("auto");
        });
  }
  /// Any text: a field of type string, or optional<string>, which takes `auto`.
  template <typename T, typename Base>
  ParameterTable& text(std::string_view name, T Base::*field, std::string_view help,
                       Audience audience = Audience::kBasic) {
    return add(
        name, "text", help, audience,
        [field](O& options, std::string_view text) -> Status {
          options.*field = T{};
          if (!parameter::Unwrapped<T>::kAuto || text != "auto") options.*field = std::string(text);
          return {};
        },
        [field](const O& options) { return text_of_field(options.*field); });
  }
  /// Numbers separated by commas: a field of type vector<double>, or optional of one, which takes `auto`.
  template <typename T, typename Base>
  ParameterTable& list(std::string_view name, T Base::*field, Bounds bounds, std::string_view help,
                       Audience audience = Audience::kBasic) {
    return add(
        name, "numbers, " + parameter::range_text(bounds), help, audience,
        [name, field, bounds](O& options, std::string_view text) -> Status {
          if (parameter::Unwrapped<T>::kAuto && text == "auto") {
            options.*field = T{};
            return {};
          }
          ESPALIER_ASSIGN(options.*field, parameter::parse_list(name, text, bounds));
          return {};
        },
        [field](const O& options) { return text_of_field(options.*field); });
  }

  /// A parameter of any other kind: how to set it from a text, and its text.
  ParameterTable& add(std::string_view name, std::string range, std::string_view help, Audience audience,
                      std::function<Status(O&, std::string_view)> set,
                      std::function<std::string(const O&)> text) {
    Parameter shown{name, text(defaults_), help, std::move(range), audience == Audience::kBasic};
    entries_.push_back({std::move(shown), std::move(set), std::move(text)});
    return *this;
  }

  using Predicate = std::function<bool(const O&, const Situation&)>;
  /// The parameters have an effect only where this holds. `what` completes "parameter X is for …".
  ParameterTable& only_where(std::vector<std::string_view> names, Predicate holds, std::string_view what) {
    uses_.push_back({std::move(names), std::move(holds), what});
    return *this;
  }
  /// Settings that contradict each other, and why.
  ParameterTable& clash(Predicate holds, std::string_view reason) {
    checks_.push_back(
        [holds = std::move(holds), reason](const O& options, const Situation& situation) -> Status {
          if (!holds(options, situation)) return {};
          return fail("{}", reason);
        });
    return *this;
  }
  /// Any other check, with its own message.
  ParameterTable& require(std::function<Status(const O&, const Situation&)> check) {
    checks_.push_back(std::move(check));
    return *this;
  }
  /// The same parameters for another audience (a struct is used by learners that need more, or less, of it).
  ParameterTable& show_only(std::span<const std::string_view> basic) {
    for (Entry& entry : entries_)
      entry.shown.basic = std::find(basic.begin(), basic.end(), entry.shown.name) != basic.end();
    return *this;
  }

  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all;
    for (const Entry& entry : entries_) all.push_back(entry.shown);
    return all;
  }

  /// "name=value" settings over the defaults; the last of a name holds. Unknown names and values out of range
  /// are errors that say what can be.
  Result<ParsedOptions<O>> parse(std::string_view learner, std::span<const std::string> settings) const {
    ParsedOptions<O> out{defaults_, {}, {}};
    for (const Entry& entry : entries_) out.texts.emplace(entry.shown.name, entry.shown.fallback);
    for (const std::string& setting : settings) {
      ESPALIER_ASSIGN(const auto pair, parameter::split(setting));
      const Entry* const entry = find(pair.first);
      if (entry == nullptr) return parameter::unknown(learner, pair.first, names());
      ESPALIER_TRY(entry->set(out.options, pair.second));
      out.texts[std::string(pair.first)] = pair.second;
      if (pair.second == "auto") {
        out.given.erase(std::string(pair.first));
      } else {
        out.given.emplace(pair.first);
      }
    }
    return out;
  }

  /// An error where a parameter is set that has no effect, or where settings contradict each other. A
  /// parameter without effect may be set to its default, so that all parameters of a model can be given
  /// again; but what is set to its default can contradict other settings (Situation::given).
  Status check(const ParsedOptions<O>& parsed, Situation situation) const {
    const O& options = parsed.options;
    situation.given = parsed.given;
    for (const Use& use : uses_)
      for (const std::string_view name : use.names) {
        const Entry* const entry = find(name);
        ESPALIER_CHECK(entry != nullptr);
        if (entry->text(options) != entry->shown.fallback && !use.holds(options, situation))
          return fail("parameter {} is for {}", name, use.what);
      }
    for (const auto& check : checks_) ESPALIER_TRY(check(options, situation));
    return {};
  }

 private:
  struct Entry {
    Parameter shown;
    std::function<Status(O&, std::string_view)> set;
    std::function<std::string(const O&)> text;
  };
  struct Use {
    std::vector<std::string_view> names;
    Predicate holds;
    std::string_view what;
  };

  template <typename T>
  static std::string text_of_field(const T& value) {
    if constexpr (parameter::Unwrapped<T>::kAuto) {
      return value ? text_of_field(*value) : std::string("auto");
    } else if constexpr (std::is_same_v<T, std::string>) {
      return value;
    } else if constexpr (std::is_arithmetic_v<T>) {
      return parameter::text_of(static_cast<double>(value));
    } else {
      return parameter::text_of(value);
    }
  }

  template <typename T, typename Base>
  ParameterTable& add_number(std::string_view name, T Base::*field, Bounds bounds, bool whole,
                             std::string_view help, Audience audience) {
    using Number = typename parameter::Unwrapped<T>::Type;
    return add(
        name, parameter::range_text(bounds), help, audience,
        [name, field, bounds, whole](O& options, std::string_view text) -> Status {
          if (parameter::Unwrapped<T>::kAuto && text == "auto") {
            options.*field = T{};
            return {};
          }
          ESPALIER_ASSIGN(const double number, parameter::parse(name, text, bounds, whole));
          options.*field = static_cast<Number>(number);
          return {};
        },
        [field](const O& options) { return text_of_field(options.*field); });
  }

  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries_)
      if (entry.shown.name == name) return &entry;
    return nullptr;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const Entry& entry : entries_) all.push_back(entry.shown.name);
    return all;
  }

  O defaults_;
  std::vector<Entry> entries_;
  std::vector<Use> uses_;
  std::vector<std::function<Status(const O&, const Situation&)>> checks_;
};

}  // namespace espalier::model
