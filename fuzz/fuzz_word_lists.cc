// Parses the input as a lexicon and as word classes; with whichever it is, names every feature of a short
// sequence. The words of the input are the sequence, so that entries of several words match.
#include <algorithm>
#include <cstdint>
#include <string>

#include "espalier/data/features/features.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier::data;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sequence sequence;
  sequence.clear(1);
  constexpr size_t kMostWords = 40;
  for (size_t at = 0; at < text.size() && sequence.length() < kMostWords;) {
    const size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    if (end > at) {
      sequence.begin_row(text.substr(at, end - at), 1);
      sequence.add_cell(text.substr(at, end - at));
    }
    at = end + 1;
  }
  for (const auto kind : {WordList::Kind::kLexicon, WordList::Kind::kClasses}) {
    FeatureOptions options;
    options.feature_columns = {0};
    options.lists = {{kind, "input", text}};
    auto extractor = FeatureExtractor::make(options);
    if (!extractor.ok() || sequence.empty()) continue;
    FeatureExtractor::Scratch scratch;
    HashedFeatures features;
    extractor->extract(sequence, scratch, features);
    for (size_t row = 0; row < sequence.length(); ++row)
      for (size_t slot = 0; slot < features.state_begin[row + 1] - features.state_begin[row]; ++slot)
        extractor->state_name(sequence, row, slot);
  }
  return 0;
}
