#include "espalier/data/synth/synth.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "espalier/base/hash.h"
#include "espalier/base/random.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/data/synth/synth_grammar.h"
#include "espalier/data/synth/synth_words.h"

namespace espalier::data {
namespace {

constexpr size_t kMostLabels = 5000;
constexpr size_t kMostTokens = 1'000'000;  ///< mean of a sequence

constexpr std::array<SynthKind, 6> kKinds = {{
    {"tagging", "English-like sentences: word, part of speech"},
    {"chunking", "the same: word, part of speech, chunk (IOB2)"},
    {"entities", "the same: word, part of speech, entity (IOB2)"},
    {"sentences", "the same with all columns: word, part of speech, chunk, entity"},
    {"labels", "a hidden Markov chain over any number of labels: word, label"},
    {"copies", "a given corpus several times over, words altered from the second copy on"},
}};

/// Collects text and passes it on in large pieces.
class Buffer {
 public:
  explicit Buffer(const std::function<Status(std::string_view)>& sink) : sink_(sink) {}
  std::string& text() { return text_; }
  Status flush_when_full() { return text_.size() >= kFull ? flush() : Status(); }
  Status flush() {
    if (text_.empty()) return {};
    Status status = sink_(text_);
    text_.clear();
    return status;
  }

 private:
  static constexpr size_t kFull = 1 << 16;
  const std::function<Status(std::string_view)>& sink_;
  std::string text_;
};

void report(const Monitor& monitor, size_t done, size_t total) {
  constexpr size_t kEvery = 4096;
  if (done % kEvery != 0) return;
  Progress progress;
  progress.phase = "writing";
  progress.done = static_cast<double>(done);
  progress.total = static_cast<double>(total);
  monitor.report(progress);
}

void append_sentence(std::string_view kind, Random random, std::string& out) {
  for (const SynthToken& token : draw_sentence(random)) {
    out.append(token.word).append("\t").append(token.tag);
    if (kind == "chunking" || kind == "sentences") out.append("\t").append(token.chunk);
    if (kind == "entities" || kind == "sentences") out.append("\t").append(token.entity);
    out.push_back('\n');
  }
  out.push_back('\n');
}

/// The chain is a function of the number of labels alone, computed from hashes where it is needed, so that
/// 5000 labels need no tables. From a label, the chain moves on to its r-th successor with probability about
/// 2^−(r+1), sometimes to any label. There are five times as many words as labels, and each label uses ten of
/// them, so a word has two labels on average and only its neighbours tell which; noise words are drawn from
/// all words.
void append_chain(const SynthOptions& options, Random random, std::string& out) {
  constexpr uint64_t kSuccessor = 1, kWord = 2;
  constexpr double kJump = 0.05;
  const uint64_t labels = options.labels;
  const uint64_t words = 5 * labels;
  const auto fixed = [](uint64_t use, uint64_t label, uint64_t rank) {
    return hash_combine(hash_combine(use, label + 1), rank + 1);
  };
  const auto length = options.length / 2 + random.below(options.length + 1);
  uint64_t label = random.below(labels);
  for (size_t t = 0; t < std::max<size_t>(length, 1); ++t) {
    uint64_t rank = 0;
    while (rank < 16 && random.below(2) == 0) ++rank;
    label = random.uniform() < kJump ? random.below(labels) : fixed(kSuccessor, label, rank) % labels;
    const bool noise = random.uniform() < options.noise;
    const uint64_t word = noise ? random.below(words) : fixed(kWord, label, random.below(10)) % words;
    append_format(out, "w{}\tL{}\n", word, label);
  }
  out.push_back('\n');
}

/// The row with its word replaced; the word is a slice of the row, as both formats guarantee.
void append_varied_row(const Sequence& s, size_t r, size_t word_column, uint64_t key, std::string& out) {
  const std::string_view raw = s.raw(r);
  const std::string_view word = s.cell(r, word_column);
  // The same word gets the same variant throughout a copy, and every other word keeps its form.
  const uint64_t hash = hash_bytes(word, key);
  const auto begin = static_cast<size_t>(word.data() - raw.data());
  out.append(raw.substr(0, begin));
  out.append((hash & 1) == 0 ? std::string(word) : vary_word(word, hash >> 1));
  out.append(raw.substr(begin + word.size())).push_back('\n');
}

Status make_copies(const SynthOptions& options, Buffer& buffer, const Monitor& monitor) {
  const Format format = options.source_format.format;
  if (format != Format::kColumns && format != Format::kConllu)
    return fail("copies are made of columns and conllu, not of {}", format_name(format));
  if (options.copies == 0) return fail("copies is 0, expected a number of at least 1");
  const size_t word_column = format == Format::kConllu ? 1 : 0;
  Sequence s;
  size_t done = 0;
  for (size_t copy = 0; copy < options.copies; ++copy) {
    const uint64_t key = hash_combine(options.seed, copy);
    ESPALIER_ASSIGN(const auto reader, open_reader(options.source, options.source_format));
    while (!monitor.stop_requested()) {
      ESPALIER_ASSIGN(const bool more, reader->next(s));
      if (!more) break;
      for (size_t r = 0; r < s.length(); ++r) {
        if (copy == 0) {
          buffer.text().append(s.raw(r)).push_back('\n');
        } else {
          append_varied_row(s, r, word_column, key, buffer.text());
        }
      }
      buffer.text().push_back('\n');
      ESPALIER_TRY(buffer.flush_when_full());
      report(monitor, ++done, 0);
    }
  }
  return buffer.flush();
}

}  // namespace

std::span<const SynthKind> synth_kinds() { return kKinds; }

Status synthesize(const SynthOptions& options, const std::function<Status(std::string_view text)>& sink,
                  const Monitor& monitor) {
  Buffer buffer(sink);
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.name == options.name; });
  if (kind == kKinds.end()) {
    std::vector<std::string_view> names;
    for (const SynthKind& k : kKinds) names.push_back(k.name);
    const std::string near = nearest(options.name, names);
    return fail("unknown corpus '{}'{}; there are {}", options.name,
                near.empty() ? std::string() : fmt::format(", did you mean {}?", near), joined(names, ", "));
  }
  if (kind->name == "copies") return make_copies(options, buffer, monitor);

  const bool chain = kind->name == "labels";
  if (chain && (options.labels < 2 || options.labels > kMostLabels))
    return fail("labels is {}, expected a number from 2 to {}", options.labels, kMostLabels);
  if (chain && (options.length < 1 || options.length > kMostTokens))
    return fail("length is {}, expected a number from 1 to {}", options.length, kMostTokens);
  if (chain && !(options.noise >= 0 && options.noise <= 1))
    return fail("noise is {}, expected a number from 0 to 1", options.noise);

  const Random random(options.seed);
  for (size_t i = 0; i < options.sequences && !monitor.stop_requested(); ++i) {
    if (chain) {
      append_chain(options, random.split(i), buffer.text());
    } else {
      append_sentence(kind->name, random.split(i), buffer.text());
    }
    ESPALIER_TRY(buffer.flush_when_full());
    report(monitor, i + 1, options.sequences);
  }
  return buffer.flush();
}

}  // namespace espalier::data
