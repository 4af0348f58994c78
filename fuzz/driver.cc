// Runs a fuzz target without libFuzzer: first on the seeds, then on mutations of them for some seconds.
//
//   fuzz_x --seconds N [--seed S] SEED-FILE-OR-FOLDER...
//
// Mutations are not guided by coverage and are the same for the same seed. The sanitizers find crashes; the
// input that caused one is written to crash-input.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "espalier/base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::string current;

void leave_input(int) {
  if (std::FILE* file = std::fopen("crash-input", "wb")) {
    std::fwrite(current.data(), 1, current.size(), file);
    std::fclose(file);
  }
  std::_Exit(1);
}

void run(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(current.data()), current.size());
}

std::string mutate(const std::vector<std::string>& seeds, espalier::Random& random) {
  std::string text = seeds[random.below(seeds.size())];
  static const std::string pieces[] = {"\n",   "\n\n",     "\t",  " ",     ":",   "\\", "\r\n",
                                       "_",    "O",        "B-X", "1e999", "nan", "-1", "%x[",
                                       "]",    "\"",       "{",   "}",     "[",   ",",  "\xEF\xBB\xBF",
                                       "\xC3", "\xF0\x9F", "0"};
  for (uint64_t n = 1 + random.below(6); n > 0; --n) {
    const size_t at = text.empty() ? 0 : random.below(text.size() + 1);
    switch (random.below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.next());
        break;
      case 1:
        text.insert(at, pieces[random.below(std::size(pieces))]);
        break;
      case 2:
        text.erase(at, random.below(16));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, text.substr(text.empty() ? 0 : random.below(text.size()), random.below(64)));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 5;
  uint64_t seed = 1;
  std::vector<std::string> seeds;
  const auto read = [&](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--seconds" && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (argument == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::directory_iterator(argument)) read(entry.path());
    } else {
      read(argument);
    }
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 2;
  }
  std::signal(SIGABRT, leave_input);
  std::signal(SIGSEGV, leave_input);
  for (const std::string& input : seeds) run(input);
  espalier::Random random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  uint64_t runs = seeds.size();
  for (; std::chrono::steady_clock::now() < end; ++runs) run(mutate(seeds, random));
  std::printf("%llu inputs\n", static_cast<unsigned long long>(runs));
  return 0;
}
