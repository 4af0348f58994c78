// The learners and decoders of summaries, compiled apart from those of sequences: looking at a state of a
// summary takes so long that the search around it need not be fast. Tested in apps/tests/summary_test.sh.
#include "espalier/tasks/decode_by_search.h"
#include "espalier/tasks/learn_by_search.h"

namespace espalier::tasks {

template Result<std::shared_ptr<search::Scorer>> learn_classifier(const SummaryProblem&, const SearchOptions&,
                                                                  const SearchContext&,
                                                                  const search::Examples<SummarySpace>&, int,
                                                                  int, int);
template Result<search::Mixture> train_search(const SummaryProblem&, const SearchOptions&,
                                              const SearchContext&, const SummaryProblem*);

Result<Decoded> decode_pieces(const SummarySpace& space, size_t longest, const search::Mixture& policy,
                              const DecodeOptions& options) {
  return decode_by_search(space, policy, options, longest);
}

}  // namespace espalier::tasks
