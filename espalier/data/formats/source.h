// Where sequences come from: a file, memory, or a function. What training, scoring and tagging read from.
//
// Call open_source with how a file is to be read; it may be called as often as the data is needed (standard
// input once only). Costs nothing until opened; sequences in memory are shared, and copied one at a time as
// they are read; those of a function are never held together.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/sequence.h"

namespace espalier::data {

class Source {
 public:
  Source(std::string path) : name_(std::move(path)) {}  // NOLINT(google-explicit-constructor)
  Source(const char* path) : name_(path) {}             // NOLINT(google-explicit-constructor)
  /// `name` is what errors call the sequences.
  Source(std::shared_ptr<const std::vector<Sequence>> sequences, std::string name)
      : name_(std::move(name)), sequences_(std::move(sequences)) {}
  /// A function that makes a reader, each time one is needed.
  using Open = std::function<std::unique_ptr<Reader>()>;
  Source(Open open, std::string name) : name_(std::move(name)), open_(std::move(open)) {}

  /// The path of a file, or what errors call what is in memory.
  const std::string& name() const { return name_; }
  /// Whether this is no file.
  bool in_memory() const { return sequences_ != nullptr || open_ != nullptr; }
  /// Reads what is in memory, or what the function gives. Precondition: in_memory().
  std::unique_ptr<Reader> read_memory() const;

 private:
  std::string name_;
  std::shared_ptr<const std::vector<Sequence>> sequences_;  ///< null: a file or a function
  Open open_;
};

/// Options say how a file is read; what is in memory has been read already.
Result<std::unique_ptr<Reader>> open_source(const Source& source, const ReadOptions& options);

}  // namespace espalier::data
