// Drives CRFsuite's own C++ interface on ready-made attribute strings and prints
// what it cost as one line of JSON.  Built by setup.sh against the sources that
// the npm package carries; those are not part of this repository.
//
//   crfsuite_native train --features FILE --model FILE --algorithm NAME
//                         [--param NAME=VALUE]... [--log FILE]
//   crfsuite_native tag   --features FILE --model FILE --output FILE [--repeat N]
//
// Only the calls into CRFsuite are counted; reading the file is timed apart.
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <crfsuite.hpp>

namespace {

double now() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

double user_cpu() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec) + 1e-6 * static_cast<double>(u.ru_utime.tv_usec);
}

// The high-water mark of this program's own memory.  ru_maxrss would not do: it
// outlives exec, so it may be that of the process that started this one.
long long peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, 6, "VmHWM:") == 0) return std::atoll(line.c_str() + 6) * 1024;
  }
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<long long>(u.ru_maxrss) * 1024;
}

long long file_bytes(const std::string& path) {
  struct stat s{};
  if (stat(path.c_str(), &s) != 0) throw std::runtime_error("no such file: " + path);
  return static_cast<long long>(s.st_size);
}

struct Sentence {
  CRFSuite::ItemSequence items;
  CRFSuite::StringList labels;
};

bool read_sentence(std::istream& in, Sentence& s) {
  s.items.clear();
  s.labels.clear();
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      if (!s.labels.empty()) return true;
      continue;
    }
    std::size_t to = line.find('\t');
    s.labels.push_back(line.substr(0, to));
    CRFSuite::Item item;
    while (to != std::string::npos) {
      const std::size_t from = to + 1;
      to = line.find('\t', from);
      item.push_back(CRFSuite::Attribute(line.substr(from, to == std::string::npos ? to : to - from)));
    }
    s.items.push_back(std::move(item));
  }
  return !s.labels.empty();
}

class LoggingTrainer : public CRFSuite::Trainer {
 public:
  std::FILE* log = nullptr;
  void message(const std::string& text) override {
    if (log != nullptr) std::fputs(text.c_str(), log);
  }
};

struct Options {
  std::string mode, features, model, output, log, algorithm = "lbfgs";
  std::vector<std::string> params;
  int repeat = 5;
};

Options parse(int argc, char** argv) {
  Options o;
  if (argc < 2) throw std::invalid_argument("train or tag is missing");
  o.mode = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 >= argc) throw std::invalid_argument(name + " has no value");
    const std::string value = argv[i + 1];
    if (name == "--features") o.features = value;
    else if (name == "--model") o.model = value;
    else if (name == "--output") o.output = value;
    else if (name == "--log") o.log = value;
    else if (name == "--algorithm") o.algorithm = value;
    else if (name == "--param") o.params.push_back(value);
    else if (name == "--repeat") o.repeat = std::max(1, std::atoi(value.c_str()));
    else throw std::invalid_argument("unknown option " + name);
  }
  if (o.features.empty() || o.model.empty()) throw std::invalid_argument("--features and --model are needed");
  return o;
}

void train(const Options& o) {
  LoggingTrainer trainer;
  if (!trainer.select(o.algorithm, "crf1d")) throw std::invalid_argument("unknown algorithm " + o.algorithm);
  for (const std::string& p : o.params) {
    const std::size_t eq = p.find('=');
    if (eq == std::string::npos) throw std::invalid_argument("--param wants NAME=VALUE: " + p);
    trainer.set(p.substr(0, eq), p.substr(eq + 1));
  }
  if (!o.log.empty()) {
    trainer.log = std::fopen(o.log.c_str(), "w");
    if (trainer.log == nullptr) throw std::runtime_error("cannot write " + o.log);
  }

  std::ifstream in(o.features);
  if (!in) throw std::runtime_error("cannot read " + o.features);
  double read_seconds = 0, append_seconds = 0;
  long long sentences = 0, tokens = 0;
  for (Sentence s;;) {
    const double t0 = now();
    const bool more = read_sentence(in, s);
    const double t1 = now();
    read_seconds += t1 - t0;
    if (!more) break;
    trainer.append(s.items, s.labels, 0);
    append_seconds += now() - t1;
    ++sentences;
    tokens += static_cast<long long>(s.labels.size());
  }

  const double t2 = now(), u2 = user_cpu();
  const int status = trainer.train(o.model, -1);
  const double train_seconds = now() - t2, train_user = user_cpu() - u2;
  if (trainer.log != nullptr) std::fclose(trainer.log);
  if (status != 0) throw std::runtime_error("training failed with status " + std::to_string(status));

  std::printf(
      "{\"sentences\": %lld, \"tokens\": %lld, \"read_seconds\": %.3f, \"append_seconds\": %.3f, "
      "\"train_seconds\": %.3f, \"train_user_seconds\": %.3f, \"process_user_seconds\": %.3f, "
      "\"peak_rss_bytes\": %lld, \"model_bytes\": %lld}\n",
      sentences, tokens, read_seconds, append_seconds, train_seconds, train_user, user_cpu(), peak_rss_bytes(),
      file_bytes(o.model));
}

void tag(const Options& o) {
  if (o.output.empty()) throw std::invalid_argument("--output is needed");
  std::ifstream in(o.features);
  if (!in) throw std::runtime_error("cannot read " + o.features);
  std::vector<Sentence> data;
  long long tokens = 0;
  for (Sentence s; read_sentence(in, s);) {
    tokens += static_cast<long long>(s.labels.size());
    data.push_back(std::move(s));
    s = Sentence();
  }

  CRFSuite::Tagger tagger;
  const double t0 = now();
  if (!tagger.open(o.model)) throw std::runtime_error("cannot open the model " + o.model);
  const double open_seconds = now() - t0;

  std::vector<double> seconds;
  std::vector<CRFSuite::StringList> predicted(data.size());
  double tag_user = 0;
  for (int r = 0; r < o.repeat; ++r) {
    const double u1 = user_cpu(), t1 = now();
    for (std::size_t i = 0; i < data.size(); ++i) predicted[i] = tagger.tag(data[i].items);
    seconds.push_back(now() - t1);
    tag_user += user_cpu() - u1;
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];

  std::ofstream out(o.output);
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (std::size_t t = 0; t < predicted[i].size(); ++t) out << data[i].labels[t] << ' ' << predicted[i][t] << '\n';
    out << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + o.output);

  std::printf(
      "{\"sentences\": %zu, \"tokens\": %lld, \"open_seconds\": %.4f, \"repeats\": %d, \"tag_seconds\": %.4f, "
      "\"tag_seconds_best\": %.4f, \"tag_user_seconds\": %.4f, \"tokens_per_second\": %.0f, "
      "\"peak_rss_bytes\": %lld, \"model_bytes\": %lld}\n",
      data.size(), tokens, open_seconds, o.repeat, median, seconds.front(), tag_user / o.repeat,
      static_cast<double>(tokens) / median, peak_rss_bytes(), file_bytes(o.model));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options o = parse(argc, argv);
    if (o.mode == "train") train(o);
    else if (o.mode == "tag") tag(o);
    else throw std::invalid_argument("unknown mode " + o.mode);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "crfsuite_native: %s\n", e.what());
    return 2;
  }
}
