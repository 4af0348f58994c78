#include "espalier/tasks/chunks/chunk_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/tasks/chunks/frequent_hashes.h"

namespace espalier::tasks {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

/// The word and symbol of every token.
data::Sequence rows(std::initializer_list<std::pair<const char*, const char*>> cells) {
  data::Sequence sequence;
  sequence.clear(2);
  size_t line = 0;
  for (const auto& [word, symbol] : cells) {
    sequence.begin_row("", ++line);
    sequence.add_cell(word);
    sequence.add_cell(symbol);
  }
  return sequence;
}

data::Sequence parties() {
  return rows(
      {{"They", "PRP"}, {"Had", "VBD"}, {"happy", "JJ"}, {"Birthday", "NN"}, {"parties", "NNS"}, {".", "."}});
}

ChunkFamilies families(const std::string& text) {
  auto found = ChunkFamilies::parse(text);
  EXPECT_TRUE(found.ok()) << found.error().message;
  return found.ok() ? *found : ChunkFamilies();
}

ChunkFeatureOptions options_with(const std::string& meta) {
  ChunkFeatureOptions options;
  options.columns = {0, 1};
  options.stemmer = "english";
  options.meta = families(meta);
  for (const char* name : {"moods", "feasts"}) options.lists.push_back({name, {}});
  options.lists[0].entries = {hash_bytes("happy")};
  options.lists[1].entries = {hash_bytes("birthday parties")};
  return options;
}

constexpr size_t kLongest = 4;

/// The template has only these few features; meta features do not depend on them.
data::FeatureExtractor extractor() {
  data::FeatureOptions options;
  options.template_text = "U:%x[0,0]";
  options.feature_columns = {0, 1};
  return std::move(data::FeatureExtractor::make(options)).value();
}

/// The names of a chunk's features with their hashes, without those of the template.
std::multimap<std::string, uint64_t> features_of(const ChunkFeatures& features,
                                                 const data::Sequence& sequence, size_t first,
                                                 size_t length) {
  const data::FeatureExtractor tokens = extractor();
  data::FeatureExtractor::Scratch scratch;
  data::HashedFeatures hashed, out;
  tokens.extract(sequence, scratch, hashed);
  ChunkViews views;
  std::vector<TokenLook> looks;
  features.extract(sequence, &hashed, views, out, looks);
  const ChunkBlocks blocks{sequence.length(), kLongest, features.places()};
  EXPECT_EQ(out.state_begin.size(), blocks.size() + 1);
  std::multimap<std::string, uint64_t> found;
  data::FeatureNames of_token(tokens);
  blocks.for_each_of(first, length, [&](uint32_t block) {
    of_token.move_to(sequence, block % sequence.length());
    for (uint32_t i = out.state_begin[block]; i < out.state_begin[block + 1]; ++i) {
      std::string name = features.name(sequence, of_token, hashed, views, block, i - out.state_begin[block]);
      if (name.find("U:") == std::string::npos) found.emplace(std::move(name), out.state[i]);
    }
  });
  return found;
}

std::vector<std::string> names_of(const std::string& meta, size_t first, size_t length,
                                  const data::Sequence& sequence = parties()) {
  const auto features = ChunkFeatures::make(options_with(meta), kLongest);
  EXPECT_TRUE(features.ok());
  std::vector<std::string> names;
  for (const auto& [name, hash] : features_of(*features, sequence, first, length)) names.push_back(name);
  return names;
}

// Most tests look at the chunk "happy Birthday parties".

TEST(ChunkFeatures, EveryBaseFeatureIsSeenInItsRole) {
  EXPECT_THAT(
      names_of("roles", 2, 3),
      testing::UnorderedElementsAre(
          "begin word=happy", "begin low=happy", "begin stem=happi", "begin rest=y", "begin case=x",
          "begin pre1=h", "begin pre2=ha", "begin pre3=hap", "begin suf1=y", "begin suf2=py",
          "begin suf3=ppy", "begin x1=JJ", "begin x1 first=J", "begin in moods=yes", "inside word=Birthday",
          "inside low=birthday", "inside stem=birthday", "inside rest=", "inside case=Xx", "inside pre1=B",
          "inside pre2=Bi", "inside pre3=Bir", "inside suf1=y", "inside suf2=ay", "inside suf3=day",
          "inside x1=NN", "inside x1 first=N", "inside word=parties", "inside low=parties",
          "inside stem=parti", "inside rest=es", "inside case=x", "inside pre1=p", "inside pre2=pa",
          "inside pre3=par", "inside suf1=s", "inside suf2=es", "inside suf3=ies", "inside x1=NNS",
          "inside x1 first=N", "end word=parties", "end low=parties", "end stem=parti", "end rest=es",
          "end case=x", "end pre1=p", "end pre2=pa", "end pre3=par", "end suf1=s", "end suf2=es",
          "end suf3=ies", "end x1=NNS", "end x1 first=N", "length=3"));
}

TEST(ChunkFeatures, EveryBaseFeatureIsSeenAtItsPlace) {
  EXPECT_THAT(
      names_of("places", 2, 3),
      AllOf(IsSupersetOf({"word 2 word=Birthday", "word 2 low=birthday", "word 2 stem=birthday",
                          "word 2 rest=", "word 2 case=Xx", "word 2 pre3=Bir", "word 2 suf3=day",
                          "word 2 x1=NN", "word 2 x1 first=N", "word 3 word=parties", "word 3 rest=es"}),
            Not(Contains(HasSubstr("word 4"))), Not(Contains(HasSubstr("word 2 word=parties")))));
  EXPECT_THAT(names_of("places:lists", 1, 2), Contains("word 2 in moods=yes"));
}

TEST(ChunkFeatures, EveryBaseFeatureOfTwoWordsBeforeAndAfterIsSeen) {
  EXPECT_THAT(
      names_of("around", 2, 2),
      AllOf(IsSupersetOf({"begin word[-1]=Had", "begin low[-1]=had", "begin stem[-1]=had",
                          "begin rest[-1]=", "begin case[-1]=Xx", "begin pre2[-1]=Ha", "begin suf1[-1]=d",
                          "begin x1[-1]=VBD", "begin x1 first[-1]=V", "begin word[-2]=They",
                          "end word[+1]=parties", "end stem[+1]=parti", "end rest[+1]=es", "end case[+1]=x",
                          "end suf3[+1]=ies", "end x1[+1]=NNS", "end x1[+2]=.", "end word[+2]=."}),
            Not(Contains(HasSubstr("happy"))), Not(Contains(HasSubstr("Birthday")))));
  EXPECT_THAT(names_of("around:lists", 3, 1), Contains("begin in moods[-1]=yes"));
  EXPECT_THAT(names_of("around:word", 0, 6),
              IsSupersetOf({"begin word[-1]=^", "begin word[-2]=^", "end word[+1]=^", "end word[+2]=^"}));
}

TEST(ChunkFeatures, EveryBaseFeatureIsSeenInPairsTriplesAndWhole) {
  const std::pair<const char*, const char*> bases[] = {
      {"word", "word=happy Birthday parties"},
      {"low", "low=happy birthday parties"},
      {"stem", "stem=happi birthday parti"},
      {"rest", "rest=y  es"},
      {"case", "case=x Xx x"},
      {"affixes", "pre2=ha Bi pa"},
      {"affixes", "suf3=ppy day ies"},
      {"symbols", "x1=JJ NN NNS"},
      {"initials", "x1 first=J N N"},
      {"lists", "in moods=yes - -"},
  };
  for (const auto& [base, value] : bases) {
    EXPECT_THAT(names_of(fmt::format("wholes:{}", base), 2, 3), Contains(fmt::format("whole {}", value)));
    EXPECT_THAT(names_of(fmt::format("triples:{}", base), 2, 3), Contains(fmt::format("triple {}", value)));
    EXPECT_THAT(names_of(fmt::format("triples:{}", base), 2, 2), Not(Contains(HasSubstr("triple"))));
  }
  EXPECT_THAT(names_of("pairs", 2, 3),
              IsSupersetOf({"pair word=happy Birthday", "pair word=Birthday parties",
                            "pair low=happy birthday", "pair stem=happi birthday", "pair rest=y ",
                            "pair rest= es", "pair case=x Xx", "pair pre1=h B", "pair suf2=ay es",
                            "pair x1=JJ NN", "pair x1 first=N N", "pair in moods=yes -"}));
  EXPECT_THAT(names_of("pairs:lists", 3, 2), Not(Contains(HasSubstr("moods"))));
  EXPECT_THAT(names_of("wholes:lists", 3, 2), Contains("whole phrase in feasts"));
  EXPECT_THAT(names_of("wholes:lists", 2, 3), Not(Contains(HasSubstr("feasts"))));
}

TEST(ChunkFeatures, WordsAndSymbolsAtTheEdgesAreJoined) {
  EXPECT_THAT(
      names_of("edges", 2, 3),
      IsSupersetOf({"begin low[-1]=had x1[+0]=JJ", "end x1[+0]=NNS low[+1]=.",
                    "begin x1[-2]=PRP x1[-1]=VBD x1[+0]=JJ x1[+1]=NN",
                    "x1, all and two before: JJ NN NNS PRP VBD", "x1, first, last and length: JJ NNS 3",
                    "length 3 between x1 VBD and .", "whole x1=JJ NN NNS between VBD and .",
                    "x1, first word and last word: happy parties"}));
}

TEST(ChunkFeatures, NothingBesideTheTemplatesWhereNoneAreAskedFor) {
  EXPECT_THAT(names_of("no", 2, 3), testing::IsEmpty());
}

TEST(ChunkFeatures, NamesTellFeaturesApart) {
  // Over several sentences, each name has one hash and each hash one name.
  const auto features = ChunkFeatures::make(options_with("all"), kLongest);
  std::map<std::string, uint64_t> hash_of;
  std::map<uint64_t, std::string> name_of;
  for (const data::Sequence& sequence :
       {parties(), rows({{"happy", "NN"}, {"Happy", "JJ"}, {"x", "X"}, {"they", "PRP"}, {"Had", "NN"}})})
    for (size_t first = 0; first < sequence.length(); ++first)
      for (size_t length = 1; length <= std::min(kLongest, sequence.length() - first); ++length)
        for (const auto& [name, hash] : features_of(*features, sequence, first, length)) {
          EXPECT_EQ(hash_of.emplace(name, hash).first->second, hash) << name;
          EXPECT_EQ(name_of.emplace(hash, name).first->second, name);
        }
  EXPECT_GT(hash_of.size(), 500u);
}

TEST(ChunkFeatures, TheRestOfAWordIsWhatItsStemDoesNotHave) {
  const auto rest = [](std::string_view word, std::string_view stem) {
    return std::string(word.substr(common_beginning(word, stem)));
  };
  EXPECT_EQ(rest("parties", "parti"), "es");
  EXPECT_EQ(rest("happy", "happi"), "y");  // a letter was changed, none removed
  EXPECT_EQ(rest("run", "run"), "");
  EXPECT_EQ(rest("went", "go"), "went");
  EXPECT_EQ(rest("caf\u00e9s", "caf\u00ea"), "\u00e9s");  // never half a character
}

TEST(ChunkFeatures, WithoutAStemmerThereAreNoStems) {
  ChunkFeatureOptions options = options_with("all");
  options.stemmer.clear();
  const auto features = ChunkFeatures::make(options, kLongest);
  for (const auto& [name, hash] : features_of(*features, parties(), 2, 2))
    EXPECT_THAT(name, AllOf(Not(HasSubstr("stem")), Not(HasSubstr("rest"))));
  options.stemmer = "klingon";
  EXPECT_FALSE(ChunkFeatures::make(options, kLongest).ok());
}

TEST(ChunkFamilies, AreChosenByNameAndSurviveTheirText) {
  for (const char* text :
       {"no", "yes", "all", "wholes", "edges", "pairs:low+case,wholes:word", "yes,triples:low", "before"})
    EXPECT_EQ(families(families(text).text()), families(text)) << text;
  EXPECT_TRUE(families("no").none());
  EXPECT_FALSE(families("edges").none());
  EXPECT_TRUE(families("yes,before").before());
  EXPECT_TRUE(families("pairs:low+case").has(ChunkWay::kPairs, ChunkBase::kCase));
  EXPECT_FALSE(families("pairs:low+case").has(ChunkWay::kPairs, ChunkBase::kWord));
  EXPECT_FALSE(families("pairs:low+case").has(ChunkWay::kTriples));
  EXPECT_EQ(families("yes,all"), ChunkFamilies::all());
  for (const char* bad : {"", "pears", "pairs:", "pairs:lower", "pairs,", "no,pairs"})
    EXPECT_FALSE(ChunkFamilies::parse(bad).ok()) << bad;
}

TEST(ChunkBlocks, SayWhatTheyStandFor) {
  const ChunkBlocks blocks{5, 3, true};
  EXPECT_EQ(blocks.size(), 5u * (5 + 3 + 2));
  std::set<uint32_t> used;
  for (size_t first = 0; first < 5; ++first)
    for (size_t length = 1; length <= 3 && first + length <= 5; ++length)
      blocks.for_each_of(first, length, [&](uint32_t block) {
        used.insert(block);
        const ChunkBlocks::What what = blocks.what(block);
        EXPECT_GE(what.first, first);
        EXPECT_LE(what.first + what.length, first + length);
        if (what.kind == ChunkBlocks::kPlace) {
          EXPECT_EQ(what.first, first + what.number);
        }
        if (what.kind == ChunkBlocks::kWholeChunk) {
          EXPECT_EQ(what.length, length);
        }
      });
  EXPECT_LT(*used.rbegin(), blocks.size());
  EXPECT_EQ(used.count(blocks.place(1, 1)) + used.count(blocks.place(4, 2)), 2u);
}

TEST(WordLists, AreReadWhateverBlanksTheyHave) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path("names.txt")) << "  New \t York \r\n\n   \nParis\n";
  const auto list = read_word_list(folder.path("names.txt"));
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_EQ(list->name, "names");
  EXPECT_EQ(list->entries.size(), 2u);
  EXPECT_TRUE(list->has(hash_bytes("new york")));
  EXPECT_TRUE(list->has(hash_bytes("paris")));
  std::ofstream(folder.path("blank.txt")) << " \n\t\n";
  EXPECT_THAT(read_word_list(folder.path("blank.txt")).error().message, HasSubstr("empty"));
}

TEST(WordLists, OfTheSameNameAreToldApart) {
  const TemporaryDirectory folder;
  const std::string one = folder.path("names.txt"), other = folder.path("names.lst"),
                    third = folder.path("x.txt");
  for (const std::string& path : {one, other, third}) std::ofstream(path) << "a\n";
  const auto lists = read_word_lists(one + "," + other + "," + third);
  ASSERT_TRUE(lists.ok()) << lists.error().message;
  EXPECT_EQ((*lists)[0].name, one);
  EXPECT_EQ((*lists)[1].name, other);
  EXPECT_EQ((*lists)[2].name, "x");
  EXPECT_TRUE(read_word_lists("").value().empty());
  EXPECT_THAT(read_word_lists(one + "," + one).error().message, HasSubstr("twice"));
  for (const std::string& bad : {std::string(","), one + ",", "," + one})
    EXPECT_THAT(read_word_lists(bad).error().message, HasSubstr("lacks a file name")) << bad;
}

TEST(FrequentHashes, NeverLoseWhatIsMarkedOrFrequent) {
  FrequentHashes counts(1000, 3);
  const auto hash = [](uint64_t i) { return hash_combine(1, i); };
  for (uint64_t i = 0; i < 300; ++i)
    for (uint64_t n = 0; n < i % 5; ++n) counts.add(hash(i));
  counts.mark(hash(1000));
  size_t wrong = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    if (i % 5 >= 3) {
      EXPECT_TRUE(counts.may_matter(hash(i)));
    } else {
      wrong += counts.may_matter(hash(i));
    }
  }
  EXPECT_TRUE(counts.may_matter(hash(1000)));
  EXPECT_LT(wrong, 30u);
}

}  // namespace
}  // namespace espalier::tasks
