// A look at a data file before anybody trains on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/base/progress.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/data/label_scheme.h"

namespace espalier::data {

/// A place in a file and what is to be seen there.
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

/// What a data set looks like.
struct DataReport {
  struct LabelCount {
    std::string label;
    uint64_t count;
  };

  uint64_t sequences = 0;
  uint64_t tokens = 0;
  size_t columns = 0;              ///< cells of a row, label included; 0 where rows have attributes
  uint64_t attributes = 0;         ///< over all rows
  std::vector<LabelCount> labels;  ///< most frequent first, equals by name; unknown ones not among them
  uint64_t unknown_labels = 0;     ///< tokens without a known label
  Scheme scheme = Scheme::kNone;

  Findings broken_labels;  ///< sequences whose labels break the scheme
  Findings encoding;       ///< lines that are not in the encoding, or show that an earlier step damaged it
  Finding longest;         ///< the longest sequence; its length in longest_length
  uint64_t longest_length = 0;
  uint64_t one_token = 0;   ///< sequences of one token
  Findings duplicates;      ///< sequences seen before, with the same labels
  Findings contradictions;  ///< sequences seen before, with other labels
  std::vector<std::string> labels_seen_once;
  std::vector<std::string> suspicious;  ///< in words: labels that differ by case or blanks only, and the like
};

/// Reads the files to their end, in memory that grows with labels and sequences but not with text (16 bytes
/// or so a sequence, to know duplicates). An error is what keeps training from beginning: a ragged row, a
/// missing file. UTF-8 is not an error here but a finding, so that all of them are counted. Stops early, with
/// the report so far, when the monitor says so.
Result<DataReport> check_data(const std::vector<std::string>& paths, const ReadOptions& options,
                              const Monitor& monitor = {});

}  // namespace espalier::data
