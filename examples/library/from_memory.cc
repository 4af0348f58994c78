// Training from memory, with development data, progress and cancellation; nothing touches a file.
#include <espalier/espalier.h>

#include <atomic>
#include <iostream>
#include <thread>

namespace es = espalier;

int main() {
  es::Corpus dev({.columns = {"word", "tag"}});
  dev.add_rows({{"A", "DT"}, {"dog", "NN"}, {"slept", "VBD"}}, {"B-NP", "I-NP", "B-VP"});
  // [docs: training from memory]
  es::Corpus corpus({.columns = {"word", "tag"}});
  corpus.add_rows({{"The", "DT"}, {"cat", "NN"}, {"slept", "VBD"}}, {"B-NP", "I-NP", "B-VP"});
  corpus.add_rows({{"A", "DT"}, {"bird", "NN"}, {"sang", "VBD"}}, {"B-NP", "I-NP", "B-VP"});

  es::TrainOptions options;
  options.learner = es::Cascade{.order = 2};
  options.dev = dev;
  options.on_progress = [](const es::Progress& progress) {
    if (progress.dev_score) std::cout << progress.phase << ": " << *progress.dev_score << '\n';
    return true;  // false would end training early, with a usable model
  };
  es::Training run = es::train_with_report(corpus, options).value();
  std::cout << run.log.size() << " passes over " << run.tokens << " tokens\n";
  // [end]

  // [docs: one model, many threads]
  const es::Tagger& tagger = run.tagger;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k)
        right += tagger.tag_rows({{"The", "DT"}, {"dog", "NN"}}).value()[0].label == "B-NP";
    });
  for (std::thread& thread : threads) thread.join();
  std::cout << right << " of 800\n";
  // [end]
  // A model to bytes and back.
  const es::Tagger again = es::Tagger::from_bytes(tagger.bytes()).value();
  std::cout << again.tag_rows({{"The", "DT"}, {"dog", "NN"}}).value().labels()[1] << '\n';
}
