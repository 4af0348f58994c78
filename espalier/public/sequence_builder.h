// Public: SequenceBuilder, one sequence filled token by token. For bindings and converters, which have text
// of their own and want it copied once.
//
//   es::SequenceBuilder builder;
//   for (const Item& item : items) {
//     builder.begin_token();
//     builder.add_attribute(item.name, item.value);
//     builder.set_label(item.label);
//   }
//   corpus.add(builder);
//   builder.clear();
//
// Costs one copy of the text; clear() keeps the memory. A mistake (cells and attributes mixed, a label
// missing, a value that is not finite) does not throw: status() returns the first one, and whatever uses the
// sequence fails with it. Not safe to share between threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

class SequenceBuilder {
 public:
  SequenceBuilder();
  ~SequenceBuilder();
  SequenceBuilder(SequenceBuilder&&) noexcept;
  SequenceBuilder& operator=(SequenceBuilder&&) noexcept;

  /// Begins the next token. What follows belongs to it.
  void begin_token();
  /// The next cell of its row. All tokens have the same number of cells.
  void add_cell(std::string_view text);
  /// A feature that you computed yourself, as in Attribute. A token has cells or attributes, not both.
  void add_attribute(std::string_view name, double value = 1);
  /// "_" if unknown. All tokens have a label, or none has.
  void set_label(std::string_view label);
  /// The attributes are the columns of a matrix of numbers with this many columns, whatever the values of
  /// this one. A model that was trained on matrices accepts no others than those of the same width.
  void set_matrix_columns(size_t columns);
  /// Its weight in the training objective; 1 unless set.
  void set_weight(double weight);

  size_t size() const;  ///< number of tokens
  bool empty() const { return size() == 0; }
  /// The first mistake.
  Status status() const;
  /// Begins another sequence.
  void clear();

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace espalier
#pragma GCC visibility pop
