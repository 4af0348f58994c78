#include "espalier/data/word_clustering.h"

#include <algorithm>
#include <cmath>

namespace espalier::data {

namespace {

/// n · ln n, from a table where n is small.
double n_log_n(uint64_t n) {
  constexpr size_t kTable = 1 << 14;
  static const std::vector<double> table = [] {
    std::vector<double> values(kTable, 0.0);
    for (size_t i = 1; i < kTable; ++i) values[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    return values;
  }();
  return n < kTable ? table[n] : static_cast<double>(n) * std::log(static_cast<double>(n));
}

}  // namespace

uint32_t WordBigrams::number_of(std::string_view word) {
  if (words_.empty()) {  // the edge of a sentence, which no word can be
    words_.emplace_back();
    counts_.push_back(0);
  }
  if (const auto known = numbers_.find(word); known != numbers_.end()) return known->second;
  const auto number = static_cast<uint32_t>(words_.size());
  words_.emplace_back(word);
  counts_.push_back(0);
  numbers_.emplace(word, number);
  return number;
}

void WordBigrams::add(const std::vector<std::string_view>& sentence) {
  if (sentence.empty()) return;
  uint32_t before = 0;
  for (const std::string_view word : sentence) {
    const uint32_t here = number_of(word);
    ++counts_[here];
    ++pairs_[uint64_t{before} << 32 | here];
    before = here;
  }
  ++counts_[0];
  ++pairs_[uint64_t{before} << 32];
  tokens_ += sentence.size();
}

/// The state of the exchange: classes of words, counts of class pairs.
class WordClustering {
 public:
  /// Words are renumbered by falling frequency; 0 stays the edge, and rare words share a class that nothing
  /// moves to, behind the others.
  WordClustering(const WordBigrams& text, const ClusteringOptions& options) : classes_(options.classes) {
    std::vector<uint32_t> order;
    for (uint32_t w = 1; w < text.words_.size(); ++w)
      if (text.counts_[w] >= options.least_count) order.push_back(w);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return text.counts_[a] > text.counts_[b]; });
    std::vector<uint32_t> number(text.words_.size(), kRare);
    if (!number.empty()) number[0] = kEdge;
    for (const uint32_t w : order) {
      number[w] = static_cast<uint32_t>(words_.size());
      words_.push_back(w);
      count_.push_back(text.counts_[w]);
    }
    width_ = classes_ + 2;
    class_of_.resize(words_.size());
    for (size_t w = 0; w < words_.size(); ++w) class_of_[w] = static_cast<uint32_t>(w % classes_);
    after_.resize(words_.size());
    before_.resize(words_.size());
    pairs_.assign(width_ * width_, 0);
    for (const auto& [pair, n] : text.pairs_) {
      const uint32_t a = number[pair >> 32], b = number[pair & 0xFFFFFFFF];
      if (a < kEdge) after_[a].push_back({b, n});
      if (b < kEdge && b != a) before_[b].push_back({a, n});
      if (b < kEdge && b == a) self_.emplace(a, n);
      pairs_[class_at(a) * width_ + class_at(b)] += n;
    }
    // The order of a hash table must not show.
    for (auto* lists : {&after_, &before_})
      for (auto& list : *lists) std::sort(list.begin(), list.end());
    totals_.assign(width_, 0);
    for (size_t w = 0; w < words_.size(); ++w) totals_[class_of_[w]] += count_[w];
  }

  size_t words() const { return words_.size(); }
  const std::string& text_word(const WordBigrams& text, size_t w) const { return text.words_[words_[w]]; }
  uint32_t class_of(size_t w) const { return class_of_[w]; }
  uint64_t count(size_t w) const { return count_[w]; }

  struct Scratch {
    std::vector<uint32_t> next, before;            ///< counts by class
    std::vector<uint32_t> next_used, before_used;  ///< classes with a count
  };

  /// The best class for a word while all others stay.
  uint32_t best_class(size_t w, Scratch& s) const {
    collect(w, s);
    const uint32_t own = class_of_[w];
    double best = gain(w, own, s);
    uint32_t chosen = own;
    for (uint32_t c = 0; c < classes_; ++c) {
      if (c == own) continue;
      const double value = gain(w, c, s);
      if (value > best + kLeastGain) {
        best = value;
        chosen = c;
      }
    }
    return chosen;
  }

  /// Moves the word if that still is a gain after the moves before. True if it was.
  bool move(size_t w, uint32_t to, Scratch& s) {
    const uint32_t from = class_of_[w];
    if (to == from) return false;
    collect(w, s);
    if (gain(w, to, s) <= gain(w, from, s) + kLeastGain) return false;
    const uint32_t own = self(w);
    for (const uint32_t c : s.next_used) pairs_[from * width_ + c] -= s.next[c];
    for (const uint32_t c : s.before_used) pairs_[c * width_ + from] -= s.before[c];
    pairs_[from * width_ + from] -= own;
    for (const uint32_t c : s.next_used) pairs_[to * width_ + c] += s.next[c];
    for (const uint32_t c : s.before_used) pairs_[c * width_ + to] += s.before[c];
    pairs_[to * width_ + to] += own;
    totals_[from] -= count_[w];
    totals_[to] += count_[w];
    class_of_[w] = to;
    return true;
  }

 private:
  static constexpr double kLeastGain = 1e-9;
  static constexpr uint32_t kRare = 0xFFFFFFFF, kEdge = 0xFFFFFFFE;
  size_t class_at(uint32_t w) const {
    return w == kRare ? classes_ : w == kEdge ? classes_ + 1 : class_of_[w];
  }
  uint32_t self(size_t w) const {
    const auto found = self_.find(static_cast<uint32_t>(w));
    return found == self_.end() ? 0 : found->second;
  }

  /// The neighbours of a word by class, without the word itself.
  void collect(size_t w, Scratch& s) const {
    s.next.resize(width_, 0);
    s.before.resize(width_, 0);
    for (const uint32_t c : s.next_used) s.next[c] = 0;
    for (const uint32_t c : s.before_used) s.before[c] = 0;
    s.next_used.clear();
    s.before_used.clear();
    for (const auto& [word, n] : after_[w]) {
      if (word == w) continue;
      const auto c = static_cast<uint32_t>(class_at(word));
      if (s.next[c] == 0) s.next_used.push_back(c);
      s.next[c] += n;
    }
    for (const auto& [word, n] : before_[w]) {
      const auto c = static_cast<uint32_t>(class_at(word));
      if (s.before[c] == 0) s.before_used.push_back(c);
      s.before[c] += n;
    }
  }

  /// What the word, taken out of its class, adds to the criterion Σ f(N(c,d)) − 2 Σ f(N(c)), f(n) = n ln n,
  /// in class c. Precondition: collect(w, s) was called.
  double gain(size_t w, uint32_t c, const Scratch& s) const {
    const uint32_t own = class_of_[w], repeated = self(w);
    double sum = 0;
    const auto add = [&](uint32_t x, uint32_t y, uint64_t more) {
      uint64_t n = pairs_[x * width_ + y];  // without the word:
      if (x == own) n -= s.next[y];
      if (y == own) n -= s.before[x];
      if (x == own && y == own) n -= repeated;
      sum += n_log_n(n + more) - n_log_n(n);
    };
    for (const uint32_t d : s.next_used)
      if (d != c) add(c, d, s.next[d]);
    for (const uint32_t d : s.before_used)
      if (d != c) add(d, c, s.before[d]);
    const uint64_t both = uint64_t{s.next[c]} + s.before[c] + repeated;
    if (both > 0) add(c, c, both);
    const uint64_t total = totals_[c] - (own == c ? count_[w] : 0);
    return sum - 2 * (n_log_n(total + count_[w]) - n_log_n(total));
  }

  size_t classes_, width_ = 0;
  std::vector<uint32_t> words_;  ///< numbers in the text
  std::vector<uint64_t> count_;
  std::vector<uint32_t> class_of_;
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> after_, before_;
  std::unordered_map<uint32_t, uint32_t> self_;
  std::vector<uint64_t> pairs_, totals_;
};

Result<std::vector<ClassedWord>> cluster_words(const WordBigrams& text, const ClusteringOptions& options,
                                               const Workers& workers, const Monitor& monitor) {
  WordClustering state(text, options);
  if (state.words() == 0)
    return fail("there is no word that was seen {} times or more, so there is nothing to put into classes",
                options.least_count);
  constexpr size_t kBatch = 64, kPieces = 8;
  std::vector<WordClustering::Scratch> scratch(kPieces);
  std::vector<uint32_t> wanted(kBatch);
  for (int round = 1; round <= options.rounds; ++round) {
    size_t moved = 0;
    for (size_t begin = 0; begin < state.words(); begin += kBatch) {
      if (monitor.stop_requested()) return fail("stopped before the classes were complete");
      if (begin % (kBatch * 32) == 0) {
        Progress progress = pass_progress(round, options.rounds,
                                          static_cast<double>(begin) / static_cast<double>(state.words()));
        progress.phase = "clustering";
        monitor.report(progress);
      }
      const size_t size = std::min(kBatch, state.words() - begin);
      workers.for_each(kPieces, [&](size_t piece) {
        const Range range = piece_of(size, kPieces, piece);
        for (size_t i = range.first; i < range.last; ++i)
          wanted[i] = state.best_class(begin + i, scratch[piece]);
      });
      for (size_t i = 0; i < size; ++i) moved += state.move(begin + i, wanted[i], scratch[0]) ? 1 : 0;
    }
    if (1000 * moved < state.words()) break;
  }
  std::vector<ClassedWord> out;
  for (size_t w = 0; w < state.words(); ++w)
    out.push_back({state.text_word(text, w), state.class_of(w), state.count(w)});
  return out;
}

}  // namespace espalier::data
