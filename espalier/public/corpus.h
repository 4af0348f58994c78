// Data: sequences in memory (Corpus), files that are read while they are used (Files), and text streams
// (Source and Sink).
//
//   es::Corpus train = es::Corpus::read("train.txt").value();
//   es::Corpus made({.columns = {"word", "tag"}});
//   made.add_rows({{"The", "DT"}, {"cat", "NN"}}, {"B-NP", "I-NP"});
//
// A corpus is cheap to copy: copies share their sequences until one of them is changed. Reading a corpus
// holds all its text in memory; functions that take Data also accept Files, which are read without holding
// their text.
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
#include "espalier/public/sequence_builder.h"

#pragma GCC visibility push(default)
namespace espalier {

/// How text is read. Defaults: columns separated by blanks or tabs, the label in the last column, UTF-8.
struct ReadOptions {
  /// columns, crfsuite, conllu, letters, jsonl or scores; for the tasks of these names also roles, summary
  /// and variables. Empty: as the name of the file says (.conllu, .jsonl, .crfsuite, .scores, each also .gz,
  /// .npy and .npz); otherwise columns, or for a trained model the format of its training.
  std::string format = {};
  /// The column of the label: a number counted from 1, or from the end if negative; in CoNLL-U also a name
  /// such as xpos. Empty: the last column (UPOS in CoNLL-U). Several ("2,3") for the task joint.
  std::string label_column = {};
  std::string folds = {};          ///< read only these folds, such as "1-9"; for data that has folds
  std::string encoding = "utf-8";  ///< utf-8 (invalid bytes are errors), latin1 or bytes
  bool labels_required = true;     ///< false: the label column may be missing
  std::string separator = {};      ///< of columns: one character, or "tab"; empty: blanks and tabs
  std::string comment = {};  ///< of columns: lines that start with this are comments; empty: there are none
};

/// An error if the options name an unknown format or encoding, or contradict each other. Reads no file.
Status check_options(const ReadOptions& options);

/// A feature that you computed yourself; its learned weight is multiplied by `value`.
struct Attribute {
  std::string name;
  double value = 1;
};

/// One sequence in memory. Each token has either a row of cells or a list of attributes, and may have a
/// label.
struct Sequence {
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::vector<Attribute>> attributes = {};
  std::vector<std::string> labels = {};  ///< one per token, "_" if unknown; empty: none is known
  double weight = 1;                     ///< its weight in the training objective
  std::optional<int> fold = {};          ///< the part of the data it belongs to; cross_validate() uses it
};

/// The layout of rows that are added to a corpus.
struct CorpusOptions {
  std::vector<std::string> columns =
      {};  ///< names of the cells, without the label; empty: as many cells as the first row has
};

/// Sequences in memory. Adding a malformed sequence (rows of unequal length, too few labels) does not throw:
/// the corpus keeps the first error, status() returns it, and every function that uses the corpus fails with
/// it.
class Corpus {
 public:
  explicit Corpus(CorpusOptions options = {});
  /// Reads whole files into memory. Files may be gzipped; "-" is standard input.
  static Result<Corpus> read(const std::string& path, const ReadOptions& options = {});
  static Result<Corpus> read(const std::vector<std::string>& paths, const ReadOptions& options = {});
  /// Reads text in memory; error messages call it `name`.
  static Result<Corpus> parse(std::string_view text, const ReadOptions& options = {},
                              std::string name = "text");

  // Add one sequence. All sequences of a corpus have rows with the same number of cells, or all have
  // attributes.

  /// One row of cells per token. `labels`: one per token, or empty if unknown.
  Corpus& add_rows(const std::vector<std::vector<std::string>>& rows,
                   const std::vector<std::string>& labels = {});
  /// The same with one cell per row.
  Corpus& add_words(const std::vector<std::string>& words, const std::vector<std::string>& labels = {});
  /// One list of attributes per token.
  Corpus& add_attributes(const std::vector<std::vector<Attribute>>& attributes,
                         const std::vector<std::string>& labels = {});
  Corpus& add(const Sequence& sequence);
  /// A copy of what has been built. The builder keeps its tokens; clear() it for the next sequence.
  Corpus& add(const SequenceBuilder& sequence);
  /// The same, but an error is returned and leaves the corpus as it was.
  Status try_add(const SequenceBuilder& sequence);

  /// The first error made by adding a sequence.
  Status status() const;
  size_t size() const;  ///< number of sequences
  bool empty() const { return size() == 0; }
  size_t tokens() const;  ///< in all sequences together
  /// A copy of one sequence. Precondition: index < size().
  Sequence operator[](size_t index) const;
  /// The sequences with these numbers (from 0, each below size()), in this order.
  Corpus subset(const std::vector<size_t>& numbers) const;

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  explicit Corpus(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& own();
  std::shared_ptr<State> state_;
};

/// Files that are read while they are used; their text is never held in memory as a whole.
struct Files {
  std::vector<std::string> paths = {};
  ReadOptions reading = {};
};

/// Sequences of attributes that a function makes one at a time, so that they are never in memory together;
/// see train_with_report().
struct Generator {
  /// Fills an empty builder with the sequence of this number, from 0, and its labels; returns false if there
  /// are no more. A sequence without tokens is left out. Called from one thread at a time, not always the
  /// same.
  std::function<Result<bool>(size_t number, SequenceBuilder& sequence)> sequence;
  std::string name = "data";  ///< in error messages
};

/// What functions train, score and tag: a corpus or files. Both convert to it implicitly.
class Data {
 public:
  Data(Corpus corpus) : corpus_(std::move(corpus)) {}  // NOLINT(google-explicit-constructor)
  Data(Files files)
      : corpus_(CorpusOptions{}), files_(std::move(files)) {}  // NOLINT(google-explicit-constructor)
  /// Null if this is files.
  const Corpus* corpus() const { return files_ ? nullptr : &corpus_; }
  /// Null if this is a corpus.
  const Files* files() const { return files_ ? &*files_ : nullptr; }

 private:
  Corpus corpus_;
  std::optional<Files> files_;
};

/// Where input text comes from: a file, memory, or a function. Error messages call it by its path or `name`.
class Source {
 public:
  static Source file(std::string path);  ///< may be gzipped; "-": standard input
  static Source text(std::string contents, std::string name = "text");
  /// `read` writes up to `size` bytes to `bytes` and returns how many; 0 at the end.
  static Source function(std::function<Result<size_t>(char* bytes, size_t size)> read,
                         std::string name = "input");
  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Source(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Where output text goes. A file is written under a temporary name in the same folder and renamed once it is
/// complete; if the operation fails, an existing file is left unchanged.
class Sink {
 public:
  static Sink file(std::string path);    ///< "-": standard output
  static Sink string(std::string& out);  ///< appends to `out`, which must outlive the sink
  /// Calls `write` with each piece of text; an error it returns ends the operation.
  static Sink function(std::function<Status(std::string_view text)> write);
  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  explicit Sink(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace espalier
#pragma GCC visibility pop
