// Parses the input as a constraints file. If that succeeds, decodes made-up scores under it: what is found
// satisfies the constraints, or the outcome says why not. Bytes after a NUL are the contents of the list
// "names.tsv".
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/espalier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier;
  const std::string all(reinterpret_cast<const char*>(data), size);
  const size_t nul = all.find('\0');
  const std::string text = all.substr(0, nul);
  const std::string list = nul == std::string::npos ? "" : all.substr(nul + 1);
  auto rules = Constraints::parse(text, {{"names.tsv", list}}, "input");
  if (!rules.ok()) return 0;
  const std::vector<std::string> labels = {"O", "B-NP", "I-NP", "B-VP", "I-VP", "R-NP", "C-NP"};
  const size_t length = 5;
  std::vector<float> emissions(length * labels.size());
  for (size_t i = 0; i < emissions.size(); ++i) emissions[i] = std::sin(static_cast<float>(7 * i + size));
  const Decoder decoder(labels, {.constraints = std::move(rules).value()});
  TagOptions options;
  options.decode.time_limit = 0.1;
  (void)decoder.decode(emissions, length, options).ok();
  return 0;
}
