// Much text: batches on all cores, and streams of constant memory.
//
//   throughput TRAIN TEXT
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const es::Tagger tagger = es::train(es::Corpus::read(argv[1]).value(), "perceptron").value();
  const std::string text_file = argv[2];
  // [docs: much text]
  std::vector<es::Tagged> all = tagger.tag_batch(es::Corpus::read(text_file).value()).value();
  std::cout << all.size() << " sequences\n";

  std::string out;
  es::StreamReport report = es::tag_stream(tagger, es::Source::file(text_file), es::Sink::string(out)).value();
  std::cout << report.tokens << " tokens, " << report.sequences << " sequences\n";
  // [end]
  std::cout << out.substr(0, out.find('\n')) << '\n';
}
