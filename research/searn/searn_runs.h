// What the experiments on search share: data and settings of a run of SEARN. Header only; tested in
// apps/tests/reproduce_test.sh, which runs every experiment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "research/searn/searn_study.h"

namespace espalier::research {

/// Handwriting: one fold to learn from, the others to measure on.
inline SearnRun letters_run(const Request& request, std::vector<std::string> settings) {
  SearnRun run;
  run.learner = "searn";
  run.settings = std::move(settings);
  run.train = run.test = request.corpus("ocr/letter.data.gz");
  run.train_reading.format = run.test_reading.format = "letters";
  run.train_reading.folds = "0";
  run.test_reading.folds = request.quick ? "1" : "1-9";
  return run;
}

/// SEARN on a corpus, or with `quick` on its first sentences.
inline SearnRun sentences_run(const Request& request, const char* train, const char* test, size_t quick,
                              std::vector<std::string> settings) {
  SearnRun run;
  run.learner = "searn";
  run.settings = std::move(settings);
  run.train = request.corpus(train);
  run.test = request.corpus(test);
  if (request.quick) run.most_sequences = quick;
  return run;
}

/// Spanish entities.
inline SearnRun entities_run(const Request& request, std::string learner, std::vector<std::string> settings) {
  SearnRun run = sentences_run(request, "conll2002-esp/esp.train.gz", "conll2002-esp/esp.testb.gz", 100,
                               std::move(settings));
  run.learner = std::move(learner);
  return run;
}

/// CoNLL-2000: chunks, or with `task` joint tags and chunks.
inline SearnRun chunks_run(const Request& request, std::string task, std::vector<std::string> settings) {
  SearnRun run =
      sentences_run(request, "conll2000/train.txt.gz", "conll2000/test.txt.gz", 60, std::move(settings));
  run.task = std::move(task);
  return run;
}

}  // namespace espalier::research
