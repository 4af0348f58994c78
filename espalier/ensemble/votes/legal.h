// Decoding under dependencies between tokens: a label scheme, or overlapping n-grams. Tested in
// substructures_test.cc.
#pragma once

#include <vector>

#include "espalier/chain/lattice/label_automaton.h"
#include "espalier/data/label_scheme.h"
#include "espalier/data/label_set.h"
#include "espalier/ensemble/methods/weight_table.h"
#include "espalier/ensemble/votes/substructures.h"

namespace espalier::ensemble {

/// The automaton of the label sequences that a scheme allows. Its states are "nothing read yet" and "label k
/// read last". Labels outside the scheme are allowed anywhere.
chain::LabelAutomaton scheme_automaton(const data::LabelSet& labels, data::Scheme scheme);

/// The labels that maximise the product of the vote's shares (equation 5), or the sum of their weights, among
/// those the automaton accepts, by Viterbi over the labels said; labels without a vote have a share of
/// kUnsaidShare, so that there is always an answer where the scheme has one. `share` is that of the label
/// taken, one per token; tokens without votes get any label that fits, with share 0. False where
/// nothing fits.
inline constexpr double kUnsaidShare = 1e-9;
bool decode_legal(const VoteView& view, const WeightTable& table, VoteForm form,
                  const chain::LabelAutomaton& automaton, std::vector<data::Label>& out,
                  std::vector<double>& share);

/// The labels that maximise the product of the shares of their n-grams, by Viterbi over the n-grams'
/// contexts; `automaton` null: any. An n-gram without votes has a share of kUnsaidShare.
bool decode_ngrams(const TokenVotes& tokens, const VoteView& view, const Substructures& substructures,
                   const WeightTable& table, const chain::LabelAutomaton* automaton,
                   std::vector<data::Label>& out, std::vector<double>& share);

}  // namespace espalier::ensemble
