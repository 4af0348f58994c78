// Reads sequences from files in any format, one at a time. Call open_reader, then next(); read_all for
// everything at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/base/files/input.h"
#include "espalier/base/result.h"
#include "espalier/data/sequence.h"
#include "espalier/public/text.h"

namespace espalier::data {

enum class Format { kColumns, kCrfsuite, kConllu, kLetters, kJsonLines, kScores };

/// The formats by the names `--format` takes ("columns", "crfsuite", "conllu", "letters", "jsonl", "scores").
Result<Format> parse_format(std::string_view name);
std::string_view format_name(Format format);
/// The format that the name of a file implies: .conllu, .jsonl or .ndjson, .crfsuite or .items, .scores, each
/// also with .gz, and .npy or .npz (scores). Nothing for other names.
std::optional<Format> format_of_name(std::string_view path);
/// The format that the names of several files imply: the same for all, or an error. Nothing if none implies
/// one.
Result<std::optional<Format>> format_of_names(const std::vector<std::string>& paths);

/// How to read a file. A model stores the options it was trained with, so that tag and eval do not need them
/// again.
struct ReadOptions {
  Format format = Format::kColumns;
  /// Which column is the label: empty (the last; UPOS for CoNLL-U), a number from 1, negative from the end
  /// (-1 the last), or in CoNLL-U a name (form, lemma, upos, xpos, feats, head, deprel, deps, misc).
  /// Several with commas between ("2,3"): the last is the label, the others are cells that a joint model
  /// predicts as well (resolve_label_columns).
  std::string label_column;
  /// False: the input may lack the label column; rows then have `columns` − 1 cells and sequences no labels.
  /// If the label is not the last column, an empty cell takes its place, so that the others keep their
  /// numbers.
  bool labels_required = true;
  /// Cells a row must have, label included; 0 takes it from the first row. With labels_required false, rows
  /// of `columns` or of `columns` − 1 cells are both accepted (the same through the whole file).
  size_t columns = 0;
  /// With labels_required false and this above 0: rows of fewer cells, but at least this many, are accepted
  /// too, as sequences without labels (a tagger that looks at the word alone needs no more than the word).
  size_t least_columns = 0;
  /// Rows may have more cells than `columns`, because nobody knows how many the training data of an imported
  /// model had. The last cell is the label where labels are required; otherwise there is none.
  bool more_columns = false;
  /// Keep only sequences of these folds (empty: all). An error with a format that has no folds (only letters
  /// and JSON lines have them), so that nobody trains on test data by accident.
  std::vector<int> folds;
  /// "utf-8" (checked), "latin1" (converted to UTF-8), or "bytes" (taken as they are).
  std::string encoding = "utf-8";
  /// The caller checks that the text is UTF-8, for a report of every line that is not.
  bool unchecked = false;
  /// Columns: the one character between cells, which may then be empty; empty: blanks and tabs.
  std::string separator;
  /// Columns: lines that start with this are comments. Empty: there are none.
  std::string comment;
  /// Scores: the labels that the columns of numbers belong to, where the file does not name them itself
  /// (.npy).
  std::vector<std::string> score_labels;
  /// A file without sequences is an error unless this is set.
  bool allow_empty = false;
  /// Raw text instead of a format: sequences of one column, the word, without labels (text_reader.h).
  std::optional<TextSplit> text;
};

/// Checks a separator: one character, or "tab". Empty text stays empty.
Result<std::string> parse_separator(std::string_view text);

/// Parses "1-9", "0", "1,3,5-7" into ascending numbers without repetition.
Result<std::vector<int>> parse_folds(std::string_view text);

/// Streams the sequences of one file. Errors name file and line. Not thread-safe: one reader per thread.
class Reader {
 public:
  virtual ~Reader() = default;
  /// Reads the next sequence and returns true; false at the end.
  virtual Result<bool> next(Sequence& sequence) = 0;
  /// The name of the file (or bytes) in error messages.
  virtual std::string_view name() const = 0;
  /// True where next() would have to wait for somebody to send more: whoever reads ahead should stop and
  /// answer.
  virtual bool would_wait() { return false; }
  /// After an error of next(): skips the rest of the bad sequence, so that next() goes on with the one after
  /// it. An error where that is not possible, for instance because the file cannot be read.
  virtual Status recover() { return fail("{}: cannot go on after an error", name()); }
};

/// Opens a file (plain or gz, "-" for standard input) for reading in the given format. A file without any
/// sequence is an error, reported when the end is reached, unless allow_empty is set.
Result<std::unique_ptr<Reader>> open_reader(const std::string& path, const ReadOptions& options);

/// The same over bytes in memory (not compressed), which must outlive the reader; `name` is used in error
/// messages.
Result<std::unique_ptr<Reader>> read_text(std::string_view text, std::string name,
                                          const ReadOptions& options);

/// The same over any input.
Result<std::unique_ptr<Reader>> read_input(Input input, const ReadOptions& options);

/// All sequences of the files, in order.
Result<std::vector<Sequence>> read_all(const std::vector<std::string>& paths, const ReadOptions& options);

}  // namespace espalier::data
