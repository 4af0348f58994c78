#include "server/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::server {
namespace {

using State = RequestReader::State;
using testing::HasSubstr;

/// Feeds bytes in pieces of `step`, as a connection does.
State feed_all(RequestReader& reader, const std::string& bytes, size_t step) {
  std::string waiting;
  State state = State::kNeedsMore;
  for (size_t at = 0; at < bytes.size() && state == State::kNeedsMore; at += step) {
    waiting += bytes.substr(at, step);
    while (true) {
      size_t used = 0;
      state = reader.feed(waiting, used);
      waiting.erase(0, used);
      if (state == State::kHeader) continue;
      if (state != State::kNeedsMore || used == 0 || waiting.empty()) break;
    }
  }
  return state;
}

const std::string kPost =
    "POST /v1/tag?model=a%20b HTTP/1.1\r\nHost: x\r\nContent-Type: Application/JSON; charset=utf-8\r\n"
    "Content-Length: 5\r\n\r\nhello";

TEST(RequestReader, ReadsARequestWhateverThePieces) {
  for (size_t step = 1; step <= kPost.size(); ++step) {
    RequestReader reader({});
    ASSERT_EQ(feed_all(reader, kPost, step), State::kDone) << step;
    EXPECT_EQ(reader.request().method, "POST");
    EXPECT_EQ(reader.request().path, "/v1/tag");
    EXPECT_EQ(reader.request().query, "model=a%20b");
    EXPECT_EQ(reader.request().content_type, "application/json");
    EXPECT_EQ(reader.request().body, "hello");
    EXPECT_TRUE(reader.request().keep_alive);
  }
}

TEST(RequestReader, ReadsChunks) {
  const std::string chunked =
      "POST /v1/tag HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2;note=1\r\nde\r\n0\r\n\r\n";
  for (const size_t step : {size_t{1}, size_t{7}, chunked.size()}) {
    RequestReader reader({});
    ASSERT_EQ(feed_all(reader, chunked, step), State::kDone) << step;
    EXPECT_EQ(reader.request().body, "abcde");
  }
}

TEST(RequestReader, RefusesBodiesAboveTheLimitBeforeTheyArrive) {
  Limits limits;
  limits.body_bytes = 4;
  RequestReader reader(limits);
  ASSERT_EQ(feed_all(reader, kPost.substr(0, kPost.size() - 5) + "h", 1000), State::kFailed);
  EXPECT_EQ(reader.failure().status, 413);
  RequestReader huge(limits);
  EXPECT_EQ(feed_all(huge, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\nx", 1000),
            State::kFailed);
  RequestReader chunks(limits);
  EXPECT_EQ(feed_all(chunks,
                     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n", 1000),
            State::kFailed);
  EXPECT_EQ(chunks.failure().status, 413);
}

TEST(RequestReader, RefusesWhatIsNotARequest) {
  const auto status_of = [](const std::string& bytes) {
    RequestReader reader({});
    return feed_all(reader, bytes, 100'000) == State::kFailed ? reader.failure().status : 0;
  };
  EXPECT_EQ(status_of("hello\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);  // no Host
  EXPECT_EQ(status_of("GET x HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
            400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nLong: " + std::string(20'000, 'a') + "\r\n\r\n"), 431);
}

TEST(RequestReader, TheNextRequestOfAConnectionFollows) {
  RequestReader reader({});
  std::string bytes = kPost + kPost;
  size_t used = 0;
  ASSERT_EQ(reader.feed(bytes, used), State::kHeader);
  bytes.erase(0, used);
  ASSERT_EQ(reader.feed(bytes, used), State::kDone);
  bytes.erase(0, used);
  EXPECT_EQ(bytes, kPost);
  reader.next();
  EXPECT_EQ(feed_all(reader, bytes, 10), State::kDone);
}

TEST(Http, DecodesQueries) {
  const auto fields = query_fields("a=1+2&b=%C3%AB&&c").value();
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].second, "1 2");
  EXPECT_EQ(fields[1].second, "\xC3\xAB");
  EXPECT_EQ(fields[2].first, "c");
  EXPECT_FALSE(query_fields("a=%4"));
}

TEST(Http, ProblemsAreJson) {
  const HttpAnswer answer = problem(404, "no \"such\" thing");
  EXPECT_EQ(answer.body,
            "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\"no \\\"such\\\" "
            "thing\"}\n");
  std::string out;
  AnswerStyle style;
  style.close = true;
  append_answer(answer, style, out);
  EXPECT_THAT(
      out, HasSubstr("HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\nContent-Length: "));
  EXPECT_THAT(out, HasSubstr("\r\nConnection: close\r\n\r\n{"));
}

}  // namespace
}  // namespace espalier::server
