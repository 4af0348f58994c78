// What can be set about a learner (`-p name=value`): a table bound to the fields of the learner's options
// struct.
//
//   ParameterTable<CrfOptions> table;
//   table.number("l1", &CrfOptions::l1, {0}, "L1 penalty");
//   table.whole("passes", &CrfOptions::passes, {1, 1e6}, "…");
//   table.only_where({"rate"}, uses_adagrad, "algorithm=adagrad");
//   table.clash(both_are_set, "why these exclude each other");
//
// where the rules are functions of (const CrfOptions&, const Situation&).
//
// parse() turns settings into a struct; check() refuses what has no effect and what contradicts itself. The
// defaults are those of the struct the table is made with; a field of type std::optional takes `auto`, which
// is an empty optional until the learner knows the data. After parse() nobody needs the text again, except
// the model file, which keeps it.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
struct ParsedOptions {
  std::shared_ptr<void> options;
  ParameterTexts texts;
  std::set<std::string, std::less<>> given = {};

  /// Precondition: `O` is the type of the table's options, or the first base of it.
  template <typename O>
  const O& as() const {
    return *static_cast<const O*>(options.get());
  }
};

namespace parameter {

/// The shortest texts that give numbers back.
std::string text_of(double number);
std::string text_of(const std::vector<double>& numbers);

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

/// A field of options whose types only its two functions know. Empty stands for `auto`. `Value` is double for
/// numbers, int for choices, string, or vector<double>.
template <typename Value>
struct Field {
  size_t offset = 0;  ///< bytes from the start of the options
  bool takes_auto = false;
  void (*put)(void* field, std::optional<Value> value) = nullptr;
  std::optional<Value> (*get)(const void* field) = nullptr;
};

template <typename T, typename Value>
Field<Value> field_of(size_t offset) {
  using Own = typename Unwrapped<T>::Type;
  return {offset, Unwrapped<T>::kAuto,
          [](void* at, std::optional<Value> value) {
            T& field = *static_cast<T*>(at);
            if (value) {
              field = static_cast<Own>(std::move(*value));
            } else {
              field = T{};
            }
          },
          [](const void* at) -> std::optional<Value> {
            const T& field = *static_cast<const T*>(at);
            if constexpr (Unwrapped<T>::kAuto) {
              if (!field) return {};
              return static_cast<Value>(*field);
            } else {
              return static_cast<Value>(field);
            }
          }};
}

/// A table for options of a type that it does not know: all that ParameterTable<O> need not compile for every
/// O.
class Entries {
 public:
  using Set = std::function<Status(void* options, std::string_view text)>;
  using ToText = std::function<std::string(const void* options)>;
  using Predicate = std::function<bool(const void* options, const Situation&)>;
  using Check = std::function<Status(const void* options, const Situation&)>;
  using Names = std::vector<std::string_view>;
  using Choices = std::vector<std::pair<std::string_view, int>>;

  template <typename O>
  explicit Entries(std::shared_ptr<const O> defaults)
      : defaults_(std::move(defaults)), copy_([](const void* options) -> std::shared_ptr<void> {
          return std::make_shared<O>(*static_cast<const O*>(options));
        }) {}

  /// `shown` without its default, which is read from the options.
  void add(Parameter shown, Set set, ToText text);
  void add_number(Parameter shown, Field<double> field, Bounds bounds, bool whole);
  void add_flag(Parameter shown, Field<int> field);
  void add_choice(Parameter shown, Field<int> field, Choices choices);
  void add_text(Parameter shown, Field<std::string> field);
  void add_list(Parameter shown, Field<std::vector<double>> field, Bounds bounds);
  void only_where(Names names, Predicate holds, std::string_view what);
  void clash(Predicate holds, std::string_view reason);
  void require(Check check) { checks_.push_back(std::move(check)); }
  void show_only(std::span<const std::string_view> basic);

  std::vector<Parameter> parameters() const;
  Result<ParsedOptions> parse(std::string_view learner, std::span<const std::string> settings) const;
  Status check(const ParsedOptions& parsed, Situation situation) const;

 private:
  struct Entry {
    Parameter shown;
    Set set;
    ToText text;
  };
  struct Use {
    Names names;
    Predicate holds;
    std::string_view what;
  };

  template <typename Value, typename Parse, typename Text>
  void add_field(Parameter shown, Field<Value> field, Parse parse, Text text);
  const Entry* find(std::string_view name) const;
  Error unknown(std::string_view learner, std::string_view name) const;

  std::shared_ptr<const void> defaults_;
  std::shared_ptr<void> (*copy_)(const void* options);
  std::vector<Entry> entries_;
  std::vector<Use> uses_;
  std::vector<Check> checks_;
};

}  // namespace parameter

/// The parameters of a learner whose options are `O`. Built once, then only read, by any number of threads.
/// Copies are handles of the same table.
template <typename O>
class ParameterTable {
 public:
  explicit ParameterTable(O defaults = {})
      : defaults_(std::make_shared<const O>(std::move(defaults))),
        entries_(std::make_shared<parameter::Entries>(defaults_)) {}
  /// A handle for code that adds the parameters of a struct that several learners' options begin with.
  template <typename Derived>
  requires(std::is_base_of_v<O, Derived> && !std::is_same_v<O, Derived>)
      ParameterTable(const ParameterTable<Derived>& table)
      : defaults_(table.defaults_), entries_(table.entries_) {
    const void* const whole = table.defaults_.get();
    const void* const part = defaults_.get();
    ESPALIER_CHECK(whole == part);  // otherwise fields would be elsewhere in the learner's options
  }

  /// A real number: a field of type double or optional<double>.
  template <typename T, typename Base>
  ParameterTable& number(std::string_view name, T Base::*field, Bounds bounds, std::string_view help,
                         Audience audience = Audience::kBasic) {
    entries_->add_number(shown(name, help, audience), bound<T, double>(field), bounds, false);
    return *this;
  }
  /// A whole number: a field of an integer type, or optional of one.
  template <typename T, typename Base>
  ParameterTable& whole(std::string_view name, T Base::*field, Bounds bounds, std::string_view help,
                        Audience audience = Audience::kBasic) {
    entries_->add_number(shown(name, help, audience), bound<T, double>(field), bounds, true);
    return *this;
  }
  /// yes or no.
  template <typename Base>
  ParameterTable& flag(std::string_view name, bool Base::*field, std::string_view help,
                       Audience audience = Audience::kBasic) {
    entries_->add_flag(shown(name, help, audience), bound<bool, int>(field));
    return *this;
  }
  /// One of the names: a field of type E or optional<E>, which adds `auto` in front.
  template <typename T, typename Base>
  ParameterTable& choice(
      std::string_view name, T Base::*field,
      std::initializer_list<std::pair<std::string_view, typename parameter::Unwrapped<T>::Type>> values,
      std::string_view help, Audience audience = Audience::kBasic) {
    return choice(name, field, std::span(values.begin(), values.size()), help, audience);
  }
  template <typename T, typename Base>
  ParameterTable& choice(
      std::string_view name, T Base::*field,
      std::span<const std::pair<std::string_view, typename parameter::Unwrapped<T>::Type>> values,
      std::string_view help, Audience audience = Audience::kBasic) {
    parameter::Entries::Choices choices;
    for (const auto& [known, value] : values) choices.emplace_back(known, static_cast<int>(value));
    entries_->add_choice(shown(name, help, audience), bound<T, int>(field), std::move(choices));
    return *this;
  }
  /// Any text: a field of type string, or optional<string>, which takes `auto`.
  template <typename T, typename Base>
  ParameterTable& text(std::string_view name, T Base::*field, std::string_view help,
                       Audience audience = Audience::kBasic) {
    entries_->add_text(shown(name, help, audience), bound<T, std::string>(field));
    return *this;
  }
  /// Numbers separated by commas: a field of type vector<double>, or optional of one, which takes `auto`.
  template <typename T, typename Base>
  ParameterTable& list(std::string_view name, T Base::*field, Bounds bounds, std::string_view help,
                       Audience audience = Audience::kBasic) {
    entries_->add_list(shown(name, help, audience), bound<T, std::vector<double>>(field), bounds);
    return *this;
  }
  /// A parameter of any other kind: what it can be in words, how to set it from a text (O&, text) -> Status,
  /// and its text (const O&) -> string.
  template <typename Set, typename Text>
  ParameterTable& add(std::string_view name, std::string range, std::string_view help, Audience audience,
                      Set set, Text text) {
    Parameter parameter = shown(name, help, audience);
    parameter.range = std::move(range);
    entries_->add(
        std::move(parameter),
        [set](void* options, std::string_view value) { return set(*static_cast<O*>(options), value); },
        [text](const void* options) { return text(*static_cast<const O*>(options)); });
    return *this;
  }

  /// The parameters have an effect only where this holds: (const O&, const Situation&) -> bool. `what`
  /// completes "parameter X is for …".
  template <typename Predicate>
  ParameterTable& only_where(parameter::Entries::Names names, Predicate holds, std::string_view what) {
    entries_->only_where(std::move(names), erased(holds), what);
    return *this;
  }
  /// Settings that contradict each other, and why.
  template <typename Predicate>
  ParameterTable& clash(Predicate holds, std::string_view reason) {
    entries_->clash(erased(holds), reason);
    return *this;
  }
  /// Any other check, with its own message: (const O&, const Situation&) -> Status.
  template <typename Rule>
  ParameterTable& require(Rule rule) {
    entries_->require(erased(rule));
    return *this;
  }
  /// The same parameters for another audience (a struct is used by learners that need more, or less, of it).
  ParameterTable& show_only(std::span<const std::string_view> basic) {
    entries_->show_only(basic);
    return *this;
  }

  std::vector<Parameter> parameters() const { return entries_->parameters(); }

  /// "name=value" settings over the defaults; the last of a name holds. Unknown names and values out of range
  /// are errors that say what can be.
  Result<ParsedOptions> parse(std::string_view learner, std::span<const std::string> settings) const {
    return entries_->parse(learner, settings);
  }

  /// An error where a parameter is set that has no effect, or where settings contradict each other. A
  /// parameter without effect may be set to its default, so that all parameters of a model can be given
  /// again; but what is set to its default can contradict other settings (Situation::given).
  Status check(const ParsedOptions& parsed, Situation situation) const {
    return entries_->check(parsed, std::move(situation));
  }

 private:
  template <typename Other>
  friend class ParameterTable;

  static Parameter shown(std::string_view name, std::string_view help, Audience audience) {
    return {name, {}, help, {}, audience == Audience::kBasic};
  }

  template <typename Rule>
  static auto erased(Rule rule) {
    return [rule](const void* options, const Situation& situation) {
      return rule(*static_cast<const O*>(options), situation);
    };
  }

  template <typename T, typename Value, typename Base>
  parameter::Field<Value> bound(T Base::*field) const {
    const auto* const options = reinterpret_cast<const std::byte*>(defaults_.get());
    const auto* const place = reinterpret_cast<const std::byte*>(&(defaults_.get()->*field));
    return parameter::field_of<T, Value>(static_cast<size_t>(place - options));
  }

  std::shared_ptr<const O> defaults_;
  std::shared_ptr<parameter::Entries> entries_;
};

}  // namespace espalier::model
