// Tools for data files: check_data() before training, convert() between formats and label schemes,
// synthesize() for generated corpora, make_word_classes() for features from unlabelled text.
//
// Nothing here needs a model. check_data and format conversion read one sequence at a time; converting a
// label scheme reads the whole file first.
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

/// Problems of one kind: how many, and where the first few are.
struct Findings {
  struct Place {
    std::string file;
    uint64_t line = 0;
    std::string what;
  };
  uint64_t count = 0;
  std::vector<Place> first;
};

/// Statistics and problems of a data set.
struct DataReport {
  uint64_t sequences = 0, tokens = 0, attributes = 0;
  uint64_t unknown_labels = 0;                           ///< tokens whose label is "_"
  size_t columns = 0;                                    ///< cells per row, label included
  std::vector<std::pair<std::string, uint64_t>> labels;  ///< most frequent first
  std::string scheme;           ///< iob2, iobes …; "none" if labels do not form spans
  Findings broken_labels;       ///< sequences whose labels break the scheme, such as I-NP after O
  Findings encoding;            ///< lines with invalid characters, which training refuses
  Findings replaced;            ///< lines with U+FFFD, which an earlier conversion left there
  Findings duplicates;          ///< sequences seen before, with the same labels
  Findings contradictions;      ///< sequences seen before, with other labels
  Findings::Place longest;      ///< the longest sequence
  uint64_t longest_length = 0;  ///< its tokens
  uint64_t one_token = 0;       ///< sequences of one token
  std::vector<std::string> labels_seen_once;
  std::vector<std::string> suspicious;  ///< messages: labels that differ only by case or blanks, and the like
};
struct CheckOptions {
  std::optional<std::string> feature_template = {};  ///< check that it fits the columns
  std::string template_name = "template";            ///< the template's name in error messages
  std::vector<size_t> feature_columns = {};  ///< counted from 1, the word first; empty: all but the label
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error
};
/// Reads the files to their end. A problem that would stop training at once is an error; other problems are
/// findings. Invalid characters, which would stop training, are findings here so that all of them are
/// counted.
Result<DataReport> check_data(const Files& files, const CheckOptions& options = {});

/// What to convert. At least one of `format` and `scheme` must be set.
struct ConvertOptions {
  ReadOptions reading = {};
  std::string format = {};  ///< the output format; empty: that of the input
  std::string scheme =
      {};  ///< the output label scheme: iob1, iob2, ioe1, ioe2, iobes or bilou; empty: labels are not changed
  std::string from_scheme = {};  ///< the input label scheme; empty: detected from the labels
};
struct Converted {
  size_t sequences = 0, tokens = 0;
  size_t repaired = 0;      ///< labels that broke the input scheme
  std::string from_scheme;  ///< the label scheme of the input; empty if labels were not converted
};
/// Converts one file. If it fails, an existing output file is left unchanged.
Result<Converted> convert(const std::string& path, const Sink& sink, const ConvertOptions& options);
/// An error if the options contradict each other. Reads no data.
Status check_options(const ConvertOptions& options);

/// A generated corpus of any size, for tests and benchmarks. Which fields apply depends on the kind.
struct SynthOptions {
  std::string name = "tagging";  ///< one of synth_kinds()
  uint64_t seed = 1;
  size_t sequences = 1000;                 ///< of the training file; dev has a tenth of them, test a fifth
  size_t labels = 50, length = 20;         ///< kind labels: number of labels, mean tokens per sequence
  double noise = 0.1;                      ///< kind labels: share of words that say nothing about the label
  std::string source = {};                 ///< kind copies: the file to repeat
  ReadOptions reading = {};                ///< kind copies: how it is read
  size_t copies = 2;                       ///< kind copies: how often, the original included
  size_t variables = 5, dimensions = 100;  ///< kind variables: how many, and numbers that describe each
  double kappa = 0.15;                     ///< kind variables: share of examples that need inference
};
struct SynthKind {
  std::string name, summary;
};
/// A file that was written.
struct SynthFile {
  std::string path;
  size_t bytes = 0;
  uint64_t seed = 1;
};
/// The kinds of corpora that can be generated.
std::vector<SynthKind> synth_kinds();
/// An error if a value is out of range. Writes nothing.
Status check_options(const SynthOptions& options);
/// Writes train, dev and test files (kind copies: train only; kind variables: also constraints) into a
/// folder, which is created if it does not exist. on_progress may return false, or *stop become true, to stop
/// with an error.
Result<std::vector<SynthFile>> synthesize(const std::string& folder, const SynthOptions& options,
                                          const std::function<bool(const Progress&)>& on_progress = {},
                                          const std::atomic<bool>* stop = nullptr);

/// Classes of words from unlabelled text, for TrainOptions::word_classes: words that occur between the same
/// neighbours get the same class (the exchange algorithm).
struct WordClassOptions {
  size_t classes = 512;
  uint32_t least_count = 2;  ///< words seen fewer times get no class
  int rounds = 15;           ///< passes over the words, at most
  int threads = 0;           ///< 0: all cores; the classes are the same at any number
  std::function<bool(const Progress&)> on_progress = {};  ///< return false to stop, which is an error
  const std::atomic<bool>* stop = nullptr;                ///< set to true to stop, which is an error
};
struct WordClasses {
  std::string text;  ///< lines of word, tab, class, the most frequent word first
  size_t words = 0, classes = 0, tokens = 0;
};
/// Reads files with one sentence per line, words separated by blanks; "-" is standard input.
Result<WordClasses> make_word_classes(const std::vector<std::string>& files,
                                      const WordClassOptions& options = {});

/// An error if a file cannot be written at this path. Call it before long work begins; changes nothing.
Status check_writable(const std::string& path);
/// The version of the library, such as "0.2.0".
std::string version();

}  // namespace espalier
#pragma GCC visibility pop
