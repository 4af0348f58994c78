// Parses the input, one word per line, as a command line. The verb is not run.
#include <cstdint>
#include <string>
#include <vector>

#include "apps/command.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace espalier::apps;
  std::vector<std::string> words = {"espalier", ""};
  for (size_t i = 0; i < size && words.size() < 30; ++i) {
    if (data[i] == '\n')
      words.emplace_back();
    else if (data[i] != 0)  // ends a word of a real command line
      words.back().push_back(static_cast<char>(data[i]));
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  static constexpr AddVerb kVerbs[] = {add_train,   add_tag,     add_eval,     add_cv,     add_tune,
                                       add_check,   add_convert, add_import,   add_decode, add_synth,
                                       add_inspect, add_explain, add_ensemble, add_serve,  add_help};
  const Outcome outcome = parse_and_run(static_cast<int>(arguments.size()), arguments.data(), kVerbs,
                                        [](const Action&) { return Outcome(); });
  if (outcome.status != kDone && outcome.message.empty()) __builtin_trap();  // refused without saying why
  return 0;
}
