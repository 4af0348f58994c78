// Espalier: structured prediction for people who have labelled data and an ordinary CPU. The whole public
// API.
//
//   es::Corpus train = es::Corpus::read("train.txt").value();
//   es::Tagger tagger = es::train(train, es::Crf{.l2 = 0.5}).value();
//   tagger.save("chunks.model").value();
//   for (const es::Token& token : tagger.tag_words({"Anna", "flew"}).value())
//     use(token.label, token.probability);
//   es::Corpus test = es::Corpus::read("test.txt").value();
//   es::Scores scores = es::evaluate(tagger, test).value();
//
// A function that can fail returns a Result, whose error has the same message that the command prints. The
// library never prints, and touches no file unless asked to. Options are structs with defaults.
// docs/library.md has a worked example of each part. To define your own search task, include espalier/task.h.
#pragma once

#include "espalier/public/compare.h"           // which learner to take
#include "espalier/public/corpus.h"            // data in memory and in files
#include "espalier/public/decoder.h"           // decoding scores from another program
#include "espalier/public/ensemble.h"          // several predictors combined
#include "espalier/public/evaluate.h"          // scores, cross-validation, thresholds
#include "espalier/public/import_model.h"      // models of other programs
#include "espalier/public/learners.h"          // learners and their parameters
#include "espalier/public/pipeline.h"          // several models, one after the other
#include "espalier/public/progress.h"          // progress reports of long operations
#include "espalier/public/ranks.h"             // several processes that train together
#include "espalier/public/report.h"            // pages about models
#include "espalier/public/result.h"            // a value or an error
#include "espalier/public/sequence_builder.h"  // one sequence, token by token
#include "espalier/public/tagger.h"            // a trained model and its predictions
#include "espalier/public/text.h"              // raw text to sentences and words
#include "espalier/public/tools.h"             // checking, converting and generating data
#include "espalier/public/train.h"             // from data to a model
