#include "server/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "server/server_test_support.h"

namespace espalier::server {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServiceTest : public testing::Test {
 protected:
  HttpAnswer send(const std::string& method, const std::string& path, std::string body = "",
                  const std::string& type = "application/json", const std::string& accept = "") {
    HttpRequest request;
    request.method = method;
    request.path = path.substr(0, path.find('?'));
    if (path.find('?') != std::string::npos) request.query = path.substr(path.find('?') + 1);
    request.body = std::move(body);
    request.content_type = type;
    request.accept = accept;
    return service_->answer(request);
  }
  HttpAnswer tag(const std::string& body) { return send("POST", "/v1/tag", body); }

  ModelFolder folder_;
  std::unique_ptr<Service> service_ = small_service(folder_);
};

TEST_F(ServiceTest, TagsTokens) {
  const HttpAnswer answer = tag(R"({"model":"tags","tokens":["the","dog","slept"]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            "{\"model\":\"tags\",\"sequences\":[{\"tokens\":[\"the\",\"dog\",\"slept\"],\"labels\":[\"DT\","
            "\"NN\",\"VB\"]}]}\n");
}

TEST_F(ServiceTest, TagsRowsTextAndBatches) {
  EXPECT_THAT(tag(R"({"model":"chunks","rows":[["the","DT"],["dog","NN"]]})").body,
              HasSubstr(R"("tokens":["the","dog"],"labels":["B-NP","I-NP"])"));
  EXPECT_THAT(tag(R"({"model":"tags","text":"Zoë slept"})").body,
              HasSubstr(R"("offsets":[[0,3],[4,9]],"labels":)"));
  EXPECT_THAT(tag(R"({"model":"tags","sequences":[{"tokens":["the"]},{"tokens":["dog","sang"]}]})").body,
              HasSubstr(R"({"tokens":["dog","sang"],"labels":["NN","VB"]})"));
  EXPECT_THAT(tag(R"({"model":"tags","sequences":[]})").body, HasSubstr(R"("sequences":[])"));
}

TEST_F(ServiceTest, GivesWhatIsAskedFor) {
  const std::string body =
      tag(R"({"model":"chunks","rows":[["the","DT"],["dog","NN"]],"confidence":true,"marginals":true,"nbest":2})")
          .body;
  EXPECT_THAT(body, HasSubstr(R"("probability":0.)"));
  EXPECT_THAT(body, HasSubstr(R"("confidence":[0.)"));
  EXPECT_THAT(body, HasSubstr(R"("spans":[{"first":0,"last":2,"type":"NP","probability":0.)"));
  EXPECT_THAT(body, HasSubstr(R"("marginals":[{"B-NP":0.)"));
  EXPECT_THAT(body, HasSubstr(R"("nbest":[{"labels":["B-NP","I-NP"],"score":)"));
}

TEST_F(ServiceTest, ForcesLabelsAndObeysConstraints) {
  EXPECT_THAT(tag(R"({"model":"tags","tokens":["the","dog"],"forced":[null,"VB"]})").body,
              HasSubstr(R"("labels":["DT","VB"])"));
  EXPECT_THAT(tag(R"({"model":"tags","tokens":["the"],"forced":["XX"]})").body, HasSubstr("no label 'XX'"));
  const std::string ruled =
      tag(R"({"model":"tags","tokens":["the","dog"],"constraints":"no-nouns: at most 0 of NN\n","why":true})")
          .body;
  EXPECT_THAT(ruled, HasSubstr(R"("constraints":{"outcome":"exact")"));
  EXPECT_THAT(ruled, HasSubstr(R"("changes":[{"token":1,"before":"NN","because":[{"constraint":"no-nouns")"));
  EXPECT_EQ(tag(R"({"model":"tags","tokens":["the"],"constraints":"what?"})").status, 400);
}

TEST_F(ServiceTest, PipelinesShowEveryStage) {
  EXPECT_THAT(
      tag(R"({"pipeline":"all","text":"the dog sang"})").body,
      HasSubstr(
          R"("labels":["B-NP","I-NP","B-VP"],"stages":{"tags":["DT","NN","VB"],"chunks":["B-NP","I-NP","B-VP"]})"));
  const std::string why =
      send("POST", "/v1/explain", R"({"pipeline":"all","tokens":["the","dog"],"top":2})").body;
  EXPECT_THAT(why, HasSubstr(R"("stages":{"tags":["DT","NN"],"chunks":["B-NP","I-NP"]})"));
}

TEST_F(ServiceTest, Explains) {
  const std::string why =
      send("POST", "/v1/explain", R"({"model":"tags","tokens":["the","dog"],"top":2})").body;
  EXPECT_THAT(why, HasSubstr(R"("explanations":[{"token":0,"label":"DT","runner_up":")"));
  EXPECT_THAT(why, HasSubstr(R"("features":[{"feature":)"));
  EXPECT_THAT(send("POST", "/v1/explain",
                   R"({"model":"tags","tokens":["the","dog"],"constraints":"r: at most 0 of NN\n"})")
                  .body,
              HasSubstr(R"("changed":{"before":"NN","because":[{"constraint":"r")"));
}

TEST_F(ServiceTest, ExplainsForcedLabels) {
  for (const char* what : {R"("model":"tags")", R"("pipeline":"all")"}) {
    const bool tags = std::string_view(what).find("tags") != std::string_view::npos;
    const std::string body = std::string("{") + what + R"(,"tokens":["the","dog"],"forced":[null,")" +
                             (tags ? "VB" : "B-VP") + "\"],\"top\":3}";
    const std::string why = send("POST", "/v1/explain", body).body;
    EXPECT_THAT(why, HasSubstr(tags ? R"("labels":["DT","VB"])" : R"("labels":["B-NP","B-VP"])"));
    EXPECT_THAT(why, HasSubstr(tags ? R"({"token":1,"label":"VB","runner_up":"NN","margin":-)"
                                    : R"({"token":1,"label":"B-VP","runner_up":"I-NP","margin":-)"));
    EXPECT_THAT(why, Not(HasSubstr(R"("features":[])")));
  }
  EXPECT_THAT(send("POST", "/v1/explain", R"({"model":"tags","tokens":["the"],"forced":["XX"]})").body,
              HasSubstr("no label 'XX'"));
}

TEST_F(ServiceTest, DecodesFilesOfScores) {
  const std::string text = "A B\n1 2\n-inf 3\n\n5 0\n";
  const std::string expected = R"({"sequences":[{"labels":["B","B"]},{"labels":["A"]}]})";
  EXPECT_EQ(send("POST", "/v1/decode", text, "text/plain").body, expected + "\n");
  const std::string ruled =
      send("POST", "/v1/decode?constraints=r%3A+at+most+0+of+B%0A&why=true&marginals=true&nbest=2",
           "A B\n1 2\n", "text/plain")
          .body;
  EXPECT_THAT(ruled, HasSubstr(R"("labels":["A"])"));
  EXPECT_THAT(ruled, HasSubstr(R"("constraint":"r")"));
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  std::string array =
      std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size() + 1) + '\0' + header + '\n';
  for (const float score : {1.0f, 2.0f, 4.0f, 3.0f}) array.append(reinterpret_cast<const char*>(&score), 4);
  const std::string bytes = "application/octet-stream";
  EXPECT_EQ(send("POST", "/v1/decode?labels=A,B", array, bytes).body,
            R"({"sequences":[{"labels":["B","A"]}]})"
            "\n");
  EXPECT_THAT(send("POST", "/v1/decode", array, bytes).body, HasSubstr("not named"));
  EXPECT_EQ(send("POST", "/v1/decode?labels=A,B,C", array, bytes).status, 400);
  EXPECT_EQ(send("POST", "/v1/decode?labels=A,B", array.substr(0, array.size() - 1), bytes).status, 400);
  EXPECT_EQ(send("POST", "/v1/decode?labels=A,B", text, "text/plain").status, 400);  // it names its own
  EXPECT_EQ(send("POST", "/v1/decode", "", "text/plain").status, 400);
  EXPECT_EQ(send("POST", "/v1/decode", "A B\n1\n", "text/plain").status, 400);
  EXPECT_EQ(send("POST", "/v1/decode?model=tags", text, "text/plain").status, 400);
  EXPECT_EQ(send("POST", "/v1/decode", text, "text/x-conllu").status, 415);
  EXPECT_EQ(send("POST", "/v1/decode", text, "text/plain", "text/plain").status, 406);
  std::string longer = "A\n";
  for (size_t i = 0; i <= service_->limits().tokens; ++i) longer += "1\n";
  EXPECT_EQ(send("POST", "/v1/decode", longer, "text/plain").status, 413);
}

TEST_F(ServiceTest, DecodesScores) {
  const HttpAnswer answer =
      send("POST", "/v1/decode",
           R"({"labels":["A","B"],"emissions":[[1,2],[null,3]],"confidence":true,"nbest":2})");
  EXPECT_THAT(answer.body, HasSubstr(R"({"sequences":[{"labels":["B","B"])"));
  EXPECT_EQ(send("POST", "/v1/decode", R"({"labels":["A","B"],"emissions":[[1,2,3]]})").status, 400);
  EXPECT_EQ(send("POST", "/v1/decode", R"({"labels":["A"],"emissions":[[1]],"transitions":[[1,2]]})").status,
            400);
}

TEST_F(ServiceTest, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(tag(R"({"tokens":["a"]})").body, HasSubstr("which model? There are tags, chunks, all"));
  EXPECT_EQ(tag(R"({"model":"none","tokens":["a"]})").status, 404);
  EXPECT_EQ(tag(R"({"pipeline":"none","tokens":["a"]})").status, 404);
  EXPECT_THAT(tag(R"({"model":"chunks","tokens":["a"]})").body, HasSubstr("\"status\":400"));
  EXPECT_THAT(tag(R"({"model":"tags","sequences":[{"tokens":["a"]},{"tokens":[]}]})").body,
              HasSubstr("sequence 2: "));
  EXPECT_EQ(send("GET", "/nothing").status, 404);
  const HttpAnswer wrong = send("GET", "/v1/tag");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.front().second, "POST");
  EXPECT_EQ(send("POST", "/v1/tag", "x", "image/png").status, 415);
  EXPECT_EQ(send("POST", "/v1/tag?model=tags", "x", "text/plain", "image/png").status, 406);
  EXPECT_EQ(send("POST", "/v1/models/tags/reload").status, 403);
}

TEST_F(ServiceTest, TakesAndGivesOtherFormats) {
  EXPECT_EQ(send("POST", "/v1/tag?model=tags", "the dog", "text/plain", "text/plain").body,
            "the DT\ndog NN\n\n");
  EXPECT_THAT(send("POST", "/v1/tag?model=tags", "the dog", "text/plain").body,
              HasSubstr(R"("labels":["DT","NN"])"));
  EXPECT_THAT(send("POST", "/v1/tag?pipeline=all", "the dog", "text/plain", "text/plain").body,
              HasSubstr("dog NN I-NP\n"));
  const std::string conllu = "1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdog\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
  EXPECT_THAT(send("POST", "/v1/tag?model=tags", conllu, "text/x-conllu").body, HasSubstr("2\tdog\t_\tNN\t"));
  EXPECT_EQ(send("POST", "/v1/tag?pipeline=all", conllu, "text/x-conllu").body,
            "1\tthe\t_\t_\t_\t_\t_\t_\t_\ttags=DT|chunks=B-NP\n2\tdog\t_\t_\t_\t_\t_\t_\t_\ttags=NN|chunks=I-"
            "NP\n\n");
  EXPECT_EQ(send("POST", "/v1/tag?pipeline=all", "the dog", "text/plain", "text/x-conllu").body,
            send("POST", "/v1/tag?pipeline=all", conllu, "text/x-conllu").body);
  EXPECT_EQ(send("POST", "/v1/tag?pipeline=all", conllu, "text/x-conllu", "text/plain").body,
            "the\tDT\tB-NP\ndog\tNN\tI-NP\n\n");
  EXPECT_EQ(send("POST", "/v1/tag?model=tags", "rubbish", "text/x-conllu").status, 400);
  EXPECT_EQ(send("POST", "/v1/tag?model=tags&x=1", "the", "text/plain").status, 400);
}

TEST_F(ServiceTest, AnswersLinesOfAStream) {
  EXPECT_THAT(service_->answer_line(R"({"model":"tags","tokens":["the"]})"), HasSubstr(R"("labels":["DT"])"));
  EXPECT_THAT(service_->answer_line("rubbish"),
              StartsWith("{\"type\":\"about:blank\",\"title\":\"Bad Request\""));
}

TEST_F(ServiceTest, ListsModels) {
  const std::string all = send("GET", "/v1/models").body;
  EXPECT_THAT(
      all,
      HasSubstr(
          R"({"name":"tags","task":"label","learner":"crf","format":"columns","labels":["DT","NN","VB"],"columns":1,)"));
  EXPECT_THAT(all, HasSubstr(R"("pipelines":[{"name":"all","models":["tags","chunks"])"));
  EXPECT_THAT(send("GET", "/v1/models/chunks").body, StartsWith(R"({"name":"chunks")"));
  EXPECT_THAT(send("GET", "/v1/models/all").body, HasSubstr(R"("words_only":true)"));
  EXPECT_EQ(send("GET", "/v1/models/none").status, 404);
  EXPECT_EQ(send("GET", "/v1/models/../../etc/passwd").status, 404);
}

TEST_F(ServiceTest, CountsWhatItDoes) {
  tag(R"({"model":"tags","tokens":["the","dog"]})");
  service_->metrics().count_request(Endpoint::kTag, 200, 0.0002);
  const std::string text = send("GET", "/metrics").body;
  EXPECT_THAT(text, HasSubstr("espalier_tokens_total 2\n"));
  EXPECT_THAT(text, HasSubstr("espalier_requests_total{endpoint=\"tag\",status=\"2xx\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("espalier_request_seconds_bucket{endpoint=\"tag\",le=\"0.00025\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("espalier_request_seconds_bucket{endpoint=\"tag\",le=\"0.0001\"} 0\n"));
}

TEST_F(ServiceTest, ThePageHasAStrictPolicyAndATagForCaches) {
  HttpRequest request;
  request.method = "GET";
  request.path = "/";
  const HttpAnswer page = service_->answer(request);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_THAT(page.headers,
              testing::Contains(testing::Pair("Content-Security-Policy",
                                              StartsWith("default-src 'none'; script-src 'self';"))));
  request.if_none_match = page.headers.front().second;
  EXPECT_EQ(service_->answer(request).status, 304);
  EXPECT_EQ(send("GET", "/page/index.html").body, page.body);
  EXPECT_EQ(send("GET", "/page/none.js").status, 404);
}

TEST(Service, NeedsTheTokenWhereThereIsOne) {
  const ModelFolder folder;
  const auto service = small_service(folder, {}, "a-secret-of-some-length");
  HttpRequest request;
  request.method = "GET";
  request.path = "/v1/models";
  EXPECT_EQ(service->answer(request).status, 401);
  for (const char* wrong : {"Bearer ", "Bearer a-secret-of-some-lengt", "Bearer a-secret-of-some-lengthh",
                            "Basic eA==", "Bearer b-secret-of-some-length"}) {
    request.authorization = wrong;
    EXPECT_EQ(service->answer(request).status, 401) << wrong;
  }
  request.authorization = "Bearer a-secret-of-some-length";
  EXPECT_EQ(service->answer(request).status, 200);
  request.authorization.clear();
  for (const char* open : {"/healthz", "/readyz", "/"}) {
    request.path = open;
    EXPECT_EQ(service->answer(request).status, 200) << open;
  }
}

TEST(Service, OtherOriginsMayCallItOnlyIfAllowed) {
  const ModelFolder folder;
  HttpRequest preflight;
  preflight.method = "OPTIONS";
  preflight.path = "/v1/tag";
  const auto closed = small_service(folder);
  EXPECT_EQ(closed->answer(preflight).status, 405);
  HttpRequest get;
  get.method = "GET";
  get.path = "/v1/models";
  for (const auto& [name, value] : closed->answer(get).headers)
    EXPECT_THAT(name, Not(StartsWith("Access-Control")));
  ServeOptions options;
  options.cors_origin = "https://example.org";
  const auto open = small_service(folder, options);
  EXPECT_EQ(open->answer(preflight).status, 204);
  EXPECT_THAT(open->answer(get).headers,
              testing::Contains(testing::Pair("Access-Control-Allow-Origin", "https://example.org")));
  get.path = "/nothing";
  EXPECT_EQ(open->accept_header(get)->headers.size(), 2u);  // errors can be read as well
  EXPECT_EQ(open->answer(get).headers.size(), 2u);
}

TEST(Service, ReloadsWhereAllowed) {
  const ModelFolder folder;
  ServeOptions options;
  options.allow_reload = true;
  const auto service = small_service(folder, options);
  HttpRequest reload;
  reload.method = "POST";
  reload.path = "/v1/models/tags/reload";
  EXPECT_EQ(service->answer(reload).status, 200);
  std::filesystem::resize_file(folder.path("tags.model"), 50);
  const HttpAnswer damaged = service->answer(reload);
  EXPECT_EQ(damaged.status, 409);
  EXPECT_THAT(damaged.body, HasSubstr("stays as it is"));
  reload.path = "/v1/models/none/reload";
  EXPECT_EQ(service->answer(reload).status, 404);
}

// A smaller version of fuzz/fuzz_request.cc: damaged requests are answered, whatever they are.
TEST_F(ServiceTest, DamagedRequestsAreAnswered) {
  const std::vector<std::string> bodies = {
      R"({"model":"tags","tokens":["the","dog"],"confidence":true,"nbest":2,"forced":[null,"NN"]})",
      R"({"model":"chunks","sequences":[{"rows":[["the","DT"]]}],"marginals":true,"constraints":"r: at most 0 of B-VP\n"})",
      R"({"pipeline":"all","text":"The dog sang. Zoë slept.","split":"words"})",
      R"({"labels":["A","B"],"emissions":[[1,null],[0.5,2e3]],"transitions":[[0,1],[1,0]]})"};
  std::mt19937 random(7);
  size_t good = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string body = bodies[random() % bodies.size()];
    const char* const path = random() % 4 == 0 ? "/v1/explain" : body[2] == 'l' ? "/v1/decode" : "/v1/tag";
    for (unsigned changes = random() % 4; changes > 0 && !body.empty(); --changes) {
      const size_t at = random() % body.size();
      if (random() % 3 == 0) {
        body.erase(at, random() % 5);
      } else if (random() % 2 == 0) {
        body[at] = static_cast<char>(random());
      } else {
        body.insert(at, body.substr(random() % body.size(), random() % 20));
      }
    }
    const HttpAnswer answer = send("POST", path, body);
    ASSERT_TRUE(answer.status == 200 || answer.status == 400 || answer.status == 404)
        << answer.status << " " << body;
    good += answer.status == 200;
  }
  EXPECT_GT(good, 300u);
}

TEST_F(ServiceTest, TheDescriptionHasEveryPathAndField) {
  const std::string description = send("GET", "/openapi.json").body;
  for (const FieldInfo& field : request_fields())
    EXPECT_THAT(description, HasSubstr("\"" + std::string(field.name) + "\":{"));
  for (const char* path :
       {"/v1/tag", "/v1/explain", "/v1/decode", "/v1/models", "/v1/models/{name}/reload", "/metrics"})
    EXPECT_THAT(description, HasSubstr("\"" + std::string(path) + "\":"));
}

}  // namespace
}  // namespace espalier::server
