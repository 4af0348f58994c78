// Work on data files: a check before training, other formats and label schemes, made corpora.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "espalier/public/corpus.h"
#include "espalier/public/progress.h"
#include "espalier/public/result.h"

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
/// Reads files to their end. What keeps training from beginning is an error, the rest a finding.
Result<DataReport> check_data(const Files& files,
                              const std::function<bool(const Progress&)>& on_progress = {});

struct ConvertOptions {
  ReadOptions reading;
  std::string format;  ///< to this format; empty: that of the input
  std::string scheme;  ///< to this label scheme: iob1, iob2, ioe1, ioe2, iobes, bilou; empty: as they are
  std::string from_scheme;  ///< empty: found out
};
struct Converted {
  size_t sequences = 0, tokens = 0, repaired = 0;
  std::string from_scheme;
};
Result<Converted> convert(const std::string& path, const Sink& sink, const ConvertOptions& options);

/// A corpus made by the library, of any size, for tests and measurements.
struct SynthOptions {
  std::string name = "tagging";  ///< one of synth_kinds()
  uint64_t seed = 1;
  size_t sequences = 1000;
  size_t labels = 50, length = 20;
  double noise = 0.1;
  std::string source;  ///< copies: the file to multiply
  ReadOptions reading;
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
};
std::vector<SynthKind> synth_kinds();
/// Writes train, dev and test files (and what else the kind has) into a folder, which is made if need be.
Result<std::vector<SynthFile>> synthesize(const std::string& folder, const SynthOptions& options,
                                          const std::function<bool(const Progress&)>& on_progress = {});

/// Whether a file can be written at this place, found out before long work begins.
Status check_writable(const std::string& path);
/// The version of the library, such as "0.2.0".
std::string version();

}  // namespace espalier
