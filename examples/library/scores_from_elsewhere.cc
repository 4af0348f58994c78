// The best legal labelling of scores that another program computed, a neural network for example.
#include <espalier/espalier.h>

#include <iostream>

namespace es = espalier;

int main() {
  // Two tokens by three labels. Taken one by one, the best labels would be O and I-PER, which is no legal pair.
  const std::vector<float> emissions = {2.0f, 1.5f, 0.1f,  //
                                        0.2f, 0.1f, 2.0f};
  // [docs: scores from elsewhere]
  es::Constraints rules = es::Constraints::parse("scheme: valid iob2\n").value();
  es::Decoder decoder({"O", "B-PER", "I-PER"}, {.constraints = rules});
  es::Tagged best = decoder.decode(emissions, 2, {.nbest = 2}).value();
  for (const es::Token& token : best) std::cout << token.label << ' ' << token.probability << '\n';
  // [end]
}
