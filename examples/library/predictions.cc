// Everything one can ask of a prediction: probabilities, spans, alternatives, rules, reasons.
//
//   predictions TRAIN
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const es::Tagger tagger = es::train(es::Corpus::read(argv[1]).value()).value();
  const std::vector<std::vector<std::string>> rows = {
      {"Anna", "PROPN", "B-NP"}, {"Smith", "PROPN", "I-NP"}, {"flew", "VERB", "B-VP"},
      {"to", "ADP", "B-PP"},     {"Lisbon", "PROPN", "B-NP"}};
  // [docs: what a prediction holds]
  es::Constraints rules = es::Constraints::parse("scheme: valid iob2\n").value();
  es::TagOptions options{.confidence = true, .marginals = true, .nbest = 3};
  options.decode = {.constraints = rules, .why = true};
  es::Tagged tagged = tagger.tag_rows(rows, options).value();

  std::cout << tagged[0].label << ' ' << tagged[0].probability << '\n';  // a token
  for (const es::Span& span : tagged.spans())
    std::cout << span.type << ' ' << span.first << '-' << span.last << ' ' << span.probability << '\n';
  for (const es::Labelling& other : tagged.alternatives()) std::cout << other.probability << '\n';
  for (const es::Change& change : tagged.changes())  // which rule changed which token, at what price
    std::cout << change.token << " was " << change.before << '\n';
  // [end]

  // [docs: labels that are given]
  es::TagOptions given;
  given.forced = {"_", "_", "_", "_", "B-PER"};  // the model decides where "_" stands
  std::cout << tagger.tag_rows(rows, given).value()[4].label << '\n';
  // [end]

  // [docs: reasons]
  for (const es::Explanation& token : tagger.explain_rows(rows).value()) {
    std::cout << token.label << " before " << token.runner_up << " by " << token.margin << '\n';
    for (const es::Reason& reason : token.reasons)
      std::cout << "  " << reason.feature << ' ' << reason.weight << ' ' << reason.runner_up_weight << '\n';
  }
  es::Inspection inside = tagger.inspect({.top = 3}).value();
  std::cout << inside.features << " features, " << inside.weights << " weights\n";
  // [end]
}
