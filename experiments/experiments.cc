#include "experiments/experiments.h"

#include <algorithm>

#include "espalier/base/text.h"
#include "experiments/experiment.h"

namespace espalier::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all = {
      // One line each: {name, summary, {corpora}, function of experiments.h}.
      {"beam-counterexamples",
       "margins that do not make beam-search learners converge (2007, Figure 5)",
       {},
       beam_counterexamples},
      {"beam-bounds",
       "updates of beam-search learners within their bounds (2007, Theorems 7 to 9)",
       {},
       beam_bounds},
      {"beam-consistency",
       "whether ranking functions for beam search exist, decided exactly (2007, Theorems 1 to 6)",
       {},
       beam_consistency},
      {"constrained-synthetic",
       "learning only, with inference, through inference: synthetic variables (2005, Figure 2)",
       {},
       constrained_synthetic},
      {"constrained-roles",
       "the same for semantic roles by the number of features (2005, Figure 3)",
       {"srl-ewt/train.verbs.jsonl.gz", "srl-ewt/test.verbs.jsonl.gz", "srl-ewt/rolesets.tsv.gz",
        "srl-wsj/train.verbs.jsonl.gz", "srl-wsj/test.verbs.jsonl.gz"},
       constrained_roles},
      {"constrained-np",
       "the same for base noun phrases by the features' frequency (2005, Figure 4)",
       {"conll2000/np_train.txt.gz", "conll2000/np_test.txt.gz"},
       constrained_np},
      {"constrained-bounds",
       "bounds on the error of local and global training (2005, Figure 5)",
       {},
       constrained_bounds},
      {"constrained-speed",
       "what constraints cost: Viterbi, automata, integer programs",
       {},
       constrained_speed},
      {"cascade-handwriting",
       "cascades of order 1 to 4 on handwriting (2010, Table 1)",
       {"ocr/letter.data.gz"},
       cascade_handwriting},
      {"cascade-pos",
       "trigram taggers: unfiltered, cascade, CRF filters, tag dictionary (2010, Table 2)",
       {"ud/en_ewt-ud-train.conllu.gz", "ud/en_ewt-ud-test.conllu.gz", "ud/pt_bosque-ud-train.conllu.gz",
        "ud/pt_bosque-ud-test.conllu.gz", "ud/bg_btb-upos-train.txt.gz", "ud/bg_btb-upos-test.txt.gz"},
       cascade_pos},
      {"cascade-tradeoff",
       "efficiency against filter loss of cascade, CRF and perceptron filters (2010, Figure 2)",
       {"ud/en_ewt-ud-train.conllu.gz", "ud/en_ewt-ud-dev.conllu.gz", "ud/en_ewt-ud-test.conllu.gz",
        "ud/pt_bosque-ud-train.conllu.gz", "ud/pt_bosque-ud-dev.conllu.gz", "ud/pt_bosque-ud-test.conllu.gz",
        "ud/bg_btb-upos-train.txt.gz", "ud/bg_btb-upos-dev.txt.gz", "ud/bg_btb-upos-test.txt.gz"},
       cascade_tradeoff},
      {"cascade-speed",
       "what a trigram cascade costs by the number of labels, and beside first-order Viterbi",
       {"brown/brown.txt.gz"},
       cascade_speed},
      {"ensemble-ads1", "ensembles: experts good at some positions (2014, Table 1)", {}, ensemble_ads1},
      {"ensemble-ads2", "ensembles: experts that err at random positions (2014, Table 1)", {}, ensemble_ads2},
      {"ensemble-ads3", "ensembles: experts good at some letters (2014, Table 2)", {}, ensemble_ads3},
      {"ensemble-pronunciation",
       "ensembles of pronouncers, Hamming and edit distance (2014, Tables 3 and 4)",
       {"cmudict/l2p.train.tsv.gz", "cmudict/l2p.dev.tsv.gz", "cmudict/l2p.test.tsv.gz"},
       ensemble_pronunciation},
      {"ensemble-ocr", "ensembles on handwriting (2014, section 5.3)", {"ocr/letter.data.gz"}, ensemble_ocr},
      {"ensemble-pos",
       "ensembles of part-of-speech taggers, two designs (2014, Table 5)",
       {"ud/en_ewt-ud-train.conllu.gz", "ud/en_ewt-ud-dev.conllu.gz", "ud/en_ewt-ud-test.conllu.gz"},
       ensemble_pos},
      {"ensemble-long",
       "what ensembles gain by length and number of experts (2014, Tables 6 and 7)",
       {"cmudict/l2p.train.tsv.gz", "cmudict/l2p.dev.tsv.gz", "cmudict/l2p.test.tsv.gz"},
       ensemble_long},
      {"ensemble-speed", "expert-tokens a second, learning and voting", {}, ensemble_speed},
      {"searn-handwriting",
       "SEARN beside classifiers and structured learners on letters (2009, Table 1)",
       {"ocr/letter.data.gz"},
       searn_handwriting},
      {"searn-ner",
       "the same on Spanish entities, 300 sentences and all (2009, Table 1)",
       {"conll2002-esp/esp.train.gz", "conll2002-esp/esp.testb.gz"},
       searn_ner},
      {"searn-chunking",
       "the same on syntactic chunks, word by word and chunk by chunk (2009, Table 1)",
       {"conll2000/train.txt.gz", "conll2000/test.txt.gz"},
       searn_chunking},
      {"searn-joint",
       "Table 1: tags and chunks decided together",
       {"conll2000/train.txt.gz", "conll2000/test.txt.gz"},
       searn_joint},
      {"searn-speed",
       "what an iteration, greedy, beam and best-first decoding cost beside the chain perceptron",
       {"conll2000/train.txt.gz", "conll2000/test.txt.gz"},
       searn_speed},
      {"searn-iterations",
       "scores by SEARN's iterations with beta = 1 (2009, Figure 6)",
       {"ocr/letter.data.gz", "conll2002-esp/esp.train.gz", "conll2002-esp/esp.testb.gz"},
       searn_iterations},
      {"searn-order",
       "left to right and right to left (2009, section 6.1.8)",
       {"conll2002-esp/esp.train.gz", "conll2002-esp/esp.testb.gz"},
       searn_order},
      {"searn-costs",
       "three estimates of what an action costs (2009, section 3.2.2)",
       {"ocr/letter.data.gz"},
       searn_costs},
      {"searn-compounding",
       "errors that feed on errors, beside the formula (2009, Theorem 3)",
       {},
       searn_compounding},
      {"beam-width",
       "beam-search learners by the width of the beam",
       {"conll2002-esp/esp.train.gz", "conll2002-esp/esp.testb.gz"},
       beam_width},
  };
  return all;
}

Result<const Experiment*> find_experiment(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return &experiment;
    names.push_back(experiment.name);
  }
  const std::string near = nearest(name, names);
  return fail("there is no experiment '{}'{}; reproduce --list shows them all", name,
              near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

}  // namespace espalier::experiments
