// Work on data files: a check before training, other formats and label schemes, made corpora.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"

#pragma GCC visibility push(default)
namespace espalier {

/// A kind of finding: how often, and the first few of them with file and line.
struct Findings {
  struct Place {
    std::string file;
    uint64_t line = 0;
    std::string what;
  };
  uint64_t count = 0;
  std::vector<Place> first;
};

/// What a data set looks like.
struct DataReport {
  uint64_t sequences = 0, tokens = 0, attributes = 0, unknown_labels = 0;
  size_t columns = 0;                                    ///< cells per row, label included
  std::vector<std::pair<std::string, uint64_t>> labels;  ///< most frequent first
  std::string scheme;                                    ///< iob2, iobes …; none
  Findings broken_labels, encoding, duplicates, contradictions;
  Findings::Place longest;
  uint64_t longest_length = 0, one_token = 0;
  std::vector<std::string> labels_seen_once, suspicious;
};
struct CheckOptions {
  std::optional<std::string> feature_template = {};  ///< see whether it fits the columns
  std::string template_name = "template";       ///< what errors call it
  std::vector<size_t> feature_columns = {};          ///< from 1, the first is the word; empty: all but the label
  std::function<bool(const Progress&)> on_progress = {};
  const std::atomic<bool>* stop = nullptr;
};
/// Reads files to their end. What keeps training from beginning is an error, the rest a finding; damaged characters, which
/// do both, are a finding here so that all of them are counted.
Result<DataReport> check_data(const Files& files, const CheckOptions& options = {});

struct ConvertOptions {
  ReadOptions reading = {};
  std::string format = {};  ///< to this format; empty: that of the input
  std::string scheme = {};  ///< to this label scheme: iob1, iob2, ioe1, ioe2, iobes, bilou; empty: as they are
  std::string from_scheme = {};  ///< empty: found out
};
struct Converted {
  size_t sequences = 0, tokens = 0, repaired = 0;
  std::string from_scheme;
};
/// Files are written whole or not at all.
Result<Converted> convert(const std::string& path, const Sink& sink, const ConvertOptions& options);
Status check_options(const ConvertOptions& options);

/// A corpus made by the library, of any size, for tests and measurements.
struct SynthOptions {
  std::string name = "tagging";  ///< one of synth_kinds()
  uint64_t seed = 1;
  size_t sequences = 1000;
  size_t labels = 50, length = 20;
  double noise = 0.1;
  std::string source = {};  ///< copies: the file to multiply
  ReadOptions reading = {};
  size_t copies = 2;
  size_t variables = 5, dimensions = 100;  ///< variables: how many, and how many numbers describe each
  double kappa = 0.15;                     ///< variables: share of examples that need inference
};
struct SynthKind {
  std::string name, summary;
};
struct SynthFile {
  std::string path;
  size_t bytes = 0;
  uint64_t seed = 1;
};
std::vector<SynthKind> synth_kinds();
Status check_options(const SynthOptions& options);
/// Writes train, dev and test files (and what else the kind has) into a folder, which is made if need be.
Result<std::vector<SynthFile>> synthesize(const std::string& folder, const SynthOptions& options,
                                          const std::function<bool(const Progress&)>& on_progress = {},
                                          const std::atomic<bool>* stop = nullptr);

/// Whether a file can be written at this place, found out before long work begins.
Status check_writable(const std::string& path);
/// The version of the library, such as "0.2.0".
std::string version();

}  // namespace espalier
#pragma GCC visibility pop
