// Checks a data file before training: counts, label scheme, encoding, duplicates, suspicious labels. Call
// check_data; `espalier check` prints the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/label_scheme.h"

namespace espalier::data {

/// A place in a file and what was found there.
struct Finding {
  std::string file;
  uint64_t line = 0;
  std::string what;
};

/// A kind of finding: how many there are, and the first few of them.
struct Findings {
  static constexpr size_t kKept = 5;
  uint64_t count = 0;
  std::vector<Finding> first;

  void add(const std::string& file, uint64_t line, std::string what) {
    if (first.size() < kKept) first.push_back({file, line, std::move(what)});
    ++count;
  }
};

/// The report on a data set.
struct DataReport {
  struct LabelCount {
    std::string label;
    uint64_t count;
  };

  uint64_t sequences = 0;
  uint64_t tokens = 0;
  size_t columns = 0;              ///< cells of a row, label included; 0 where rows have attributes
  uint64_t attributes = 0;         ///< over all rows
  std::vector<LabelCount> labels;  ///< most frequent first, ties by name; without unknown labels
  uint64_t unknown_labels = 0;     ///< tokens without a known label
  Scheme scheme = Scheme::kNone;

  Findings broken_labels;  ///< sequences whose labels break the scheme
  Findings encoding;       ///< lines that are not valid in the encoding, or hold a zero byte
  Findings replaced;       ///< lines with U+FFFD, which an earlier conversion left there
  Finding longest;         ///< the longest sequence; its length in longest_length
  uint64_t longest_length = 0;
  uint64_t one_token = 0;   ///< sequences of one token
  Findings duplicates;      ///< sequences seen before, with the same labels
  Findings contradictions;  ///< sequences seen before, with other labels
  std::vector<std::string> labels_seen_once;
  std::vector<std::string> suspicious;  ///< messages: labels that differ only by case or blanks, and the like
};

/// What is to be said about so many different labels on so many labelled tokens; empty: nothing. More than
/// one label for four tokens, or a thousand of them, are rarely meant.
std::string too_many_labels(size_t labels, uint64_t tokens);

/// Reads the files to the end. Memory grows with the number of labels and sequences (about 16 bytes per
/// sequence, to detect duplicates), not with the text. Problems that would prevent training (a ragged row, a
/// missing file) are errors. Invalid UTF-8 is a finding, so that all occurrences are counted. Stops early,
/// with the report so far, if the monitor asks for it.
Result<DataReport> check_data(const std::vector<std::string>& paths, const ReadOptions& options,
                              const Monitor& monitor = {});

}  // namespace espalier::data
