// Trains a small model on the input, which is data in columns; the first byte chooses the learner. The model,
// its bytes opened again, and the file they are saved to and opened from label the data alike.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "espalier/espalier.h"
#include "fuzz/scratch_file.h"

namespace {

using namespace espalier;

std::vector<std::string> labels_by(const Tagger& tagger, const Corpus& corpus) {
  std::vector<std::string> all;
  const auto tagged = tagger.tag_batch(corpus);
  if (!tagged.ok()) return {"error: " + tagged.error().message};
  for (const Tagged& sequence : *tagged)
    for (const std::string& label : sequence.labels()) all.push_back(label);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > 400) return 0;
  const std::string path = fuzzing::scratch_file(data + 1, size - 1);
  const auto corpus = Corpus::read(path);
  if (!corpus.ok()) return 0;
  static constexpr const char* kLearners[] = {"perceptron", "crf", "memm", "searn", "laso", "local"};
  TrainOptions options;
  options.learner = Learner(kLearners[data[0] % std::size(kLearners)], {{"passes", "2"}});
  options.threads = 1;
  const auto trained = train(*corpus, options);
  if (!trained.ok()) return 0;
  const auto opened = Tagger::from_bytes(trained->bytes(), "bytes");
  const std::string saved = path + ".model";
  if (!opened.ok() || !trained->save(saved).ok() || opened->bytes() != trained->bytes()) std::abort();
  const auto again = Tagger::open(saved);
  if (!again.ok()) std::abort();
  const auto first = labels_by(*trained, *corpus);
  if (first != labels_by(*opened, *corpus) || first != labels_by(*again, *corpus)) std::abort();
  return 0;
}
