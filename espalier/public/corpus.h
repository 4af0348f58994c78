// Data: corpora in memory, files that are read as they are needed, and what can be asked of either.
//
//   es::Corpus train = es::Corpus::read("train.txt").value();
//   es::Corpus made({.columns = {"word", "tag"}});
//   made.add_rows({{"The", "DT"}, {"cat", "NN"}}, {"B-NP", "I-NP"});
//
// A corpus is a value and cheap to copy: copies share what they hold until one of them changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

/// How text is read. Defaults: columns, the label last, UTF-8.
struct ReadOptions {
  /// columns, crfsuite, conllu, letters, jsonl; roles and variables are the JSON lines of those tasks.
  std::string format = "columns";
  /// The column of the label: empty (the last; UPOS in CoNLL-U), a number from 1, negative from the end, or
  /// in CoNLL-U a name such as xpos. Several ("2,3") for models that decide several columns.
  std::string label_column = {};
  std::string folds = {};               ///< only these folds, such as "1-9", where the data has folds
  std::string encoding = "utf-8";  ///< utf-8 (checked), latin1 or bytes
  bool labels_required = true;     ///< false: rows may lack the label column
};

/// An error where the options name something that is not there, or contradict each other.
Status check_options(const ReadOptions& options);

/// A ready-made feature of a token.
struct Attribute {
  std::string name;
  double value = 1;
};

/// One sequence in memory: rows of cells, or rows of attributes; labels where they are known.
struct Sequence {
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::vector<Attribute>> attributes = {};
  std::vector<std::string> labels = {};  ///< empty: not known; "_" for single tokens whose label is not known
  double weight = 1;                ///< how much it counts in training
};

/// What rows that are added to a corpus look like.
struct CorpusOptions {
  std::vector<std::string> columns = {};  ///< their names; empty: as many as the first row has
};

/// Sequences in memory. Adding something wrong (a ragged row, a label too few) does not throw: the corpus
/// remembers the first mistake, status() tells it, and everything that uses the corpus fails with it.
class Corpus {
 public:
  explicit Corpus(CorpusOptions options = {});
  /// Reads everything in a file (gz, and "-" for standard input, included) or in several.
  static Result<Corpus> read(const std::string& path, const ReadOptions& options = {});
  static Result<Corpus> read(const std::vector<std::string>& paths, const ReadOptions& options = {});
  /// The same from text in memory; `name` is what errors call it.
  static Result<Corpus> parse(std::string_view text, const ReadOptions& options = {},
                              std::string name = "text");

  Corpus& add_rows(const std::vector<std::vector<std::string>>& rows,
                   const std::vector<std::string>& labels = {});
  Corpus& add_words(const std::vector<std::string>& words, const std::vector<std::string>& labels = {});
  Corpus& add_attributes(const std::vector<std::vector<Attribute>>& attributes,
                         const std::vector<std::string>& labels = {});
  Corpus& add(const Sequence& sequence);

  Status status() const;
  size_t size() const;  ///< sequences
  bool empty() const { return size() == 0; }
  size_t tokens() const;
  /// Precondition: index < size().
  Sequence operator[](size_t index) const;
  /// The sequences with these numbers, in this order.
  Corpus subset(const std::vector<size_t>& numbers) const;

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  explicit Corpus(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& own();
  std::shared_ptr<State> state_;
};

/// Files that are read as they are needed and never held in memory as text.
struct Files {
  std::vector<std::string> paths = {};
  ReadOptions reading = {};
};

/// What trains, scores and checks: a corpus, or files.
class Data {
 public:
  Data(Corpus corpus) : corpus_(std::move(corpus)) {}  // NOLINT(google-explicit-constructor)
  Data(Files files)
      : corpus_(CorpusOptions{}), files_(std::move(files)) {}  // NOLINT(google-explicit-constructor)
  const Corpus* corpus() const { return files_ ? nullptr : &corpus_; }
  const Files* files() const { return files_ ? &*files_ : nullptr; }

 private:
  Corpus corpus_;
  std::optional<Files> files_;
};

/// Text that comes in: a file, text in memory, or a function.
class Source {
 public:
  static Source file(std::string path);  ///< gz is read as it is; "-": standard input
  static Source text(std::string contents, std::string name = "text");
  /// `read` fills up to `size` bytes and says how many; 0 at the end.
  static Source function(std::function<Result<size_t>(char* bytes, size_t size)> read,
                         std::string name = "input");
  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Source(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Text that goes out. A file is written beside its place and renamed when everything is there, so that it is
/// whole or as it was before.
class Sink {
 public:
  static Sink file(std::string path);  ///< "-": standard output
  static Sink string(std::string& out);
  static Sink function(std::function<Status(std::string_view text)> write);
  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Sink(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace espalier
#pragma GCC visibility pop
