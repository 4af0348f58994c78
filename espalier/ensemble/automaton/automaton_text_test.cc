#include "espalier/ensemble/automaton/automaton_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/ensemble/automaton/automaton.h"
#include "espalier/ensemble/automaton/openfst_writing.h"

namespace espalier::ensemble {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames{"a", "b", "c"};

/// Two ways through three positions, which part after the first and meet in the end.
openfst::PlainFst two_ways() {
  constexpr double kNot = std::numeric_limits<double>::infinity();
  openfst::PlainFst fst;
  fst.states = 5;
  fst.start = 1;
  fst.final_cost = {kNot, kNot, kNot, kNot, 0.25};
  fst.arcs = {{1, 0, 1, 0.5},   {1, 2, 2, 0}, {1, 2, 3, 1e-3}, {0, 3, 3, 2},
              {2, 3, 1, 0.125}, {3, 4, 2, 0}, {3, 4, 1, 1}};
  return fst;
}

/// The text that fstprint would write, with states under other numbers.
std::string as_text(const openfst::PlainFst& fst, std::span<const std::string> names, bool two_labels) {
  std::string out;
  std::vector<openfst::PlainArc> arcs = fst.arcs;
  std::stable_partition(arcs.begin(), arcs.end(), [&](const auto& arc) { return arc.source == fst.start; });
  for (const openfst::PlainArc& arc : arcs) {
    const std::string label =
        names.empty() ? std::to_string(arc.label) : names[static_cast<size_t>(arc.label) - 1];
    out += fmt::format("{}\t{} {}{} {:.17g}\r\n", 10 * arc.source, 10 * arc.target, label,
                       two_labels ? " " + label : "", arc.cost);
  }
  for (int s = 0; s < fst.states; ++s)
    if (std::isfinite(fst.final_cost[static_cast<size_t>(s)]))
      out += fmt::format("{} {}\n\n", 10 * s, fst.final_cost[static_cast<size_t>(s)]);
  return out;
}

TEST(AutomatonText, ReadsOpenFstsTextAsItReadsTheBinaryFile) {
  const TemporaryDirectory folder;
  const std::string binary = folder.path("g.fst");
  ASSERT_TRUE(openfst::write_fst(binary, two_ways()));
  const auto expected = ExpertAutomaton::open(binary, kNames);
  ASSERT_TRUE(expected.ok());
  for (const bool two_labels : {false, true})
    for (const bool named : {false, true}) {
      const std::string path = folder.write(
          "g.txt",
          as_text(two_ways(), named ? std::span<const std::string>(kNames) : std::span<const std::string>(),
                  two_labels));
      const auto read = ExpertAutomaton::open(path, kNames);
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(read->positions(), expected->positions());
      EXPECT_EQ(read->states(), expected->states());
      // The same paths at the same costs.
      std::multiset<std::tuple<uint32_t, uint32_t, float>> arcs, wanted;
      for (const auto& arc : read->arcs())
        arcs.emplace(arc.position, arc.expert, static_cast<float>(arc.prior_cost));
      for (const auto& arc : expected->arcs())
        wanted.emplace(arc.position, arc.expert, static_cast<float>(arc.prior_cost));
      EXPECT_EQ(arcs, wanted) << two_labels << named;
    }
}

TEST(AutomatonText, SaysInWhichLineOfATextWhatIsWrong) {
  const TemporaryDirectory folder;
  const auto message = [&](std::string_view text) {
    const auto read = ExpertAutomaton::open(folder.write("g.txt", text), kNames);
    return read.ok() ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(message("0 1 1\n1\n"), "accepted");
  EXPECT_THAT(message("0 1 1\n1 x\n"), HasSubstr("g.txt:2: not a cost: 'x'"));
  EXPECT_THAT(message("0 1 1\n\nx 2 1\n2\n"), HasSubstr("g.txt:3: not a state: 'x'"));
  EXPECT_THAT(message("0 -1 1\n1\n"), HasSubstr("g.txt:1: not a state: '-1'"));
  EXPECT_THAT(message("0 1 1 0.5 7 8\n1\n"), HasSubstr("g.txt:1: too many fields, from '8'"));
  EXPECT_THAT(message("0 1 1 2 0.5\n1\n"), HasSubstr("another output label than the input label"));
  EXPECT_THAT(message("0 1 9\n1\n"), HasSubstr("names expert 9, but there are 3"));
  EXPECT_THAT(message("0 1 nobody\n1\n"), HasSubstr("the expert 'nobody', which is not among"));
  EXPECT_THAT(message("0 1 1\n1 0 1\n1\n"), HasSubstr("cycle"));
  EXPECT_THAT(message("nonsense\n"), HasSubstr("neither binary nor text"));
}

}  // namespace
}  // namespace espalier::ensemble
