#include "server/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace espalier::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ModelRequest parsed(std::string body, RequestKind kind = RequestKind::kTag) {
  ModelRequest out;
  const auto wrong = parse_request(body, kind, {}, out);
  EXPECT_FALSE(wrong) << (wrong ? wrong->detail : "");
  return out;
}

std::string refused(std::string body, RequestKind kind = RequestKind::kTag, const Limits& limits = {}) {
  ModelRequest out;
  const auto wrong = parse_request(body, kind, limits, out);
  return wrong ? std::to_string(wrong->status) + " " + wrong->detail : "accepted";
}

TEST(ParseRequest, ReadsEveryFieldOfATagRequest) {
  const ModelRequest r = parsed(
      R"({"model":"m","sequences":[{"tokens":["Zo\u00eb","\"x\""],"forced":[null,"B"]},{"rows":[["a","b"],["c","d"]]},)"
      R"({"attributes":[{"w=a":1,"w=b":-0.5},{}]}],"confidence":true,"marginals":true,"nbest":5,"constraints":"c",)"
      R"("why":true,"decoder":"beam","beam":7,"unconstrained":false})");
  EXPECT_EQ(r.model, "m");
  ASSERT_EQ(r.sequences.size(), 3u);
  EXPECT_EQ(r.sequences[0].cell(0), "Zo\xC3\xAB");
  EXPECT_EQ(r.sequences[0].cell(1), "\"x\"");
  EXPECT_THAT(r.sequences[0].forced, ElementsAre("_", "B"));
  EXPECT_EQ(r.sequences[1].tokens(), 2u);
  EXPECT_EQ(r.sequences[1].cell(3), "d");
  EXPECT_EQ(r.sequences[1].first_cell(1), 2u);
  EXPECT_THAT(r.sequences[2].values, ElementsAre(1, -0.5));
  EXPECT_EQ(r.sequences[2].tokens(), 2u);
  EXPECT_TRUE(r.confidence && r.marginals && r.why && r.batch);
  EXPECT_EQ(r.nbest, 5u);
  EXPECT_EQ(r.beam, 7u);
  EXPECT_EQ(r.decoder, "beam");
  EXPECT_EQ(r.constraints, "c");
}

TEST(ParseRequest, ReadsTextAndScores) {
  const ModelRequest text = parsed(R"({"text":"A b.","split":"blanks","pipeline":"p"})");
  EXPECT_EQ(text.raw_text, "A b.");
  EXPECT_EQ(text.split, TextSplit::blanks);
  const ModelRequest scores =
      parsed(R"({"labels":["A","B"],"emissions":[[1,null],[2.5,-3]],"transitions":[[0,1],[2,3]]})",
             RequestKind::kDecode);
  ASSERT_EQ(scores.sequences.size(), 1u);
  EXPECT_EQ(scores.sequences[0].emissions.size(), 4u);
  EXPECT_TRUE(std::isinf(scores.sequences[0].emissions[1]));
  EXPECT_EQ(scores.transitions[3], 3);
}

TEST(ParseRequest, RefusesUnknownFieldsByName) {
  EXPECT_THAT(refused(R"({"modle":"m","tokens":["a"]})"),
              HasSubstr("400 unknown field 'modle'; there are model, "));
  EXPECT_THAT(refused(R"({"sequences":[{"token":["a"]}]})"),
              HasSubstr("unknown field 'token' in a sequence"));
  EXPECT_THAT(refused(R"({"tokens":["a"],"top":3})"), HasSubstr("unknown field 'top'"));
  EXPECT_THAT(refused(R"({"tokens":["a"],"nbest":3})", RequestKind::kExplain),
              HasSubstr("unknown field 'nbest'"));
  EXPECT_THAT(refused(R"({"tokens":["a"]})", RequestKind::kDecode), HasSubstr("unknown field 'tokens'"));
}

TEST(ParseRequest, SaysWhatWasExpected) {
  EXPECT_EQ(refused(R"({"tokens":"a"})"), "400 field 'tokens': expected a list of texts");
  EXPECT_EQ(refused(R"({"tokens":["a",1]})"), "400 field 'tokens': expected a list of texts");
  EXPECT_EQ(refused(R"({"tokens":["a"],"nbest":0})"),
            "400 field 'nbest': expected a whole number from 1 to 1000");
  EXPECT_EQ(refused(R"({"tokens":["a"],"nbest":1.5})"),
            "400 field 'nbest': expected a whole number from 1 to 1000");
  EXPECT_EQ(refused(R"({"tokens":["a"],"confidence":1})"), "400 field 'confidence': expected true or false");
  EXPECT_EQ(refused(R"({"tokens":["a"],"tokens":["b"]})"), "400 field 'tokens' is given twice");
  EXPECT_THAT(refused(R"({"tokens":["a"],"text":"b"})"), HasSubstr("exactly one of tokens"));
  EXPECT_THAT(refused("{}"), HasSubstr("one of tokens"));
  EXPECT_THAT(refused(R"({"text":"a","forced":["B"]})"), HasSubstr("raw text has no tokens"));
  EXPECT_THAT(refused(R"({"sequences":[{"forced":["B"]}]})"),
              HasSubstr("sequence 1: tokens, rows or attributes is missing"));
  EXPECT_THAT(refused(R"({"model":"a","pipeline":"b","tokens":["a"]})"), HasSubstr("both"));
  EXPECT_THAT(refused(R"({"labels":["A"],"emissions":[[1],[1,2]]})", RequestKind::kDecode),
              HasSubstr("row 2 has 2"));
}

TEST(ParseRequest, RefusesWhatIsNotJson) {
  for (const char* body :
       {"", "[", "hello", "[]", "\"a\"", "{", R"({"tokens":["a"]} x)", R"({"tokens":["a"])",
        R"({"tokens":["a",]})", R"({"tokens":["\x"]})", "{\"tokens\":[\"\xFF\"]}", R"({"tokens" ["a"]})",
        R"({"tokens":["a"]}{})", R"({"tokens":["a)"})
    EXPECT_THAT(refused(body), testing::StartsWith("400 ")) << body;
}

TEST(ParseRequest, NestingHasALimit) {
  const std::string deep = "{\"tokens\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  EXPECT_THAT(refused(deep), testing::StartsWith("400 "));
  EXPECT_THAT(refused(std::string(1'000'000, '[')), testing::StartsWith("400 "));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"sequences\":[";
  EXPECT_THAT(refused(objects), testing::StartsWith("400 "));
}

TEST(ParseRequest, SequencesHaveALimit) {
  Limits limits;
  limits.tokens = 2;
  EXPECT_EQ(refused(R"({"tokens":["a","b"]})", RequestKind::kTag, limits), "accepted");
  EXPECT_THAT(refused(R"({"tokens":["a","b","c"]})", RequestKind::kTag, limits),
              HasSubstr("413 field 'tokens'"));
  EXPECT_THAT(refused(R"({"tokens":["a"],"forced":[null,null,null]})", RequestKind::kTag, limits),
              HasSubstr("413"));
}

TEST(ParseQuery, TakesOptions) {
  ModelRequest out;
  EXPECT_FALSE(
      parse_query("model=a%20b&confidence=true&nbest=3&split=blanks&decoder=viterbi", kInQuery, out));
  EXPECT_EQ(out.model, "a b");
  EXPECT_TRUE(out.confidence);
  EXPECT_EQ(out.nbest, 3u);
  EXPECT_EQ(out.split, TextSplit::blanks);
  EXPECT_THAT(parse_query("nbset=3", kInQuery, out)->detail, HasSubstr("unknown parameter 'nbset'"));
  EXPECT_THAT(parse_query("nbest=x", kInQuery, out)->detail, HasSubstr("from 1 to 1000"));
  EXPECT_THAT(parse_query("marginals=perhaps", kInQuery, out)->detail, HasSubstr("true or false"));
  EXPECT_THAT(parse_query("labels=A", kInQuery, out)->detail, HasSubstr("unknown parameter 'labels'"));
  EXPECT_FALSE(parse_query("labels=A,B-X,%2C&constraints=r%3A+x", kInScoresQuery, out));
  EXPECT_THAT(out.labels, testing::ElementsAre("A", "B-X", "", ""));  // a comma cannot be part of a label
  EXPECT_EQ(out.constraints, "r: x");
  EXPECT_THAT(parse_query("model=a", kInScoresQuery, out)->detail, HasSubstr("unknown parameter 'model'"));
}

}  // namespace
}  // namespace espalier::server
