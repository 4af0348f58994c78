#include "espalier/base/files/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/files/wait_scope.h"
#include "espalier/base/random.h"

namespace espalier {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  std::vector<std::string> lines;
  std::string error;
};

Outcome drain(Input& input) {
  Outcome outcome;
  std::string_view line;
  while (true) {
    auto more = input.next_line(line);
    if (!more.ok()) {
      outcome.error = more.error().message;
      return outcome;
    }
    if (!*more) return outcome;
    outcome.lines.emplace_back(line);
    EXPECT_EQ(input.line_number(), outcome.lines.size());
  }
}

std::vector<std::string> drain_rest(Input& input) {
  std::vector<std::string> lines;
  std::string_view line;
  while (input.next_line(line).value()) lines.emplace_back(line);
  return lines;
}

Outcome drain_file(const std::string& path) {
  auto input = Input::open(path);
  if (!input.ok()) return {{}, input.error().message};
  return drain(*input);
}

std::vector<std::string> lines_of(std::string_view bytes) {
  Input input = Input::from_memory(bytes, "memory");
  Outcome outcome = drain(input);
  EXPECT_EQ(outcome.error, "");
  // Whatever the bytes, a file gives the same lines as memory.
  const TemporaryDirectory directory;
  EXPECT_EQ(drain_file(directory.write("plain", bytes)).lines, outcome.lines);
  return outcome.lines;
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Lines of many lengths, compressible and not.
std::string many_lines(size_t bytes) {
  Random random(7);
  std::string text;
  while (text.size() < bytes) {
    for (uint64_t n = random.below(120); n > 0; --n) text += static_cast<char>('!' + random.below(90));
    text += '\n';
  }
  return text;
}

TEST(Input, SplitsAtLineFeeds) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\n\n\nb"), ElementsAre("a", "", "", "b"));
}

TEST(Input, TakesCarriageReturnsOffLineEndsOnly) {
  EXPECT_THAT(lines_of("a\r\nb\r\n\r\n"), ElementsAre("a", "b", ""));
  EXPECT_THAT(lines_of("a\rb\n\r\r\nlast\r"), ElementsAre("a\rb", "\r", "last"));
}

TEST(Input, DropsOneByteOrderMarkAtTheStart) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"), IsEmpty());
  EXPECT_THAT(lines_of("\xEF\xBB\xBF\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("\xEF\xBB\xBFx\n\xEF\xBB\xBFy"), ElementsAre("x", "\xEF\xBB\xBFy"));
  EXPECT_THAT(lines_of("\xEF\xBB"), ElementsAre("\xEF\xBB"));
}

TEST(Input, PassesOtherBytesOn) {
  EXPECT_THAT(lines_of(std::string_view("a\0b\nc\0", 6)),
              ElementsAre(std::string("a\0b", 3), std::string("c\0", 2)));
  EXPECT_THAT(lines_of("\x1f"), ElementsAre("\x1f"));
}

TEST(Input, LinesAcrossBufferEndsAreWhole) {
  const std::string text = many_lines(3 << 20);
  const TemporaryDirectory directory;
  Input memory = Input::from_memory(text, "memory");
  const Outcome plain = drain_file(directory.write("plain", text));
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.lines, drain(memory).lines);
  std::string joined;
  for (const auto& line : plain.lines) joined += line + "\n";
  EXPECT_EQ(joined, text);
}

TEST(Input, LongLinesGrowTheBuffer) {
  const std::string longest(5'000'001, 'x');
  EXPECT_EQ(lines_of("a\n" + longest + "\nb\n" + longest + longest),
            (std::vector<std::string>{"a", longest, "b", longest + longest}));
}

TEST(Input, ReadsGzipLikePlain) {
  const TemporaryDirectory directory;
  const std::string text = many_lines(1 << 20);
  const Outcome plain = drain_file(directory.write("plain", text));
  const Outcome packed = drain_file(directory.write("packed", gzip(text)));
  EXPECT_EQ(packed.error, "");
  EXPECT_EQ(packed.lines, plain.lines);
  EXPECT_THAT(drain_file(directory.write("empty.gz", gzip(""))).lines, IsEmpty());
  EXPECT_THAT(drain_file(directory.write("mark.gz", gzip("\xEF\xBB\xBFx\r\n"))).lines, ElementsAre("x"));
}

TEST(Input, ReadsAllMembersOfAGzipFile) {
  const TemporaryDirectory directory;
  const std::string text = many_lines(400'000);
  const std::string members =
      gzip("first\nse") + gzip("") + gzip("cond\n") + gzip(text) + std::string(700, '\0');
  const Outcome outcome = drain_file(directory.write("x.gz", members));
  EXPECT_EQ(outcome.error, "");
  ASSERT_GT(outcome.lines.size(), 2u);
  EXPECT_EQ(outcome.lines[0], "first");
  EXPECT_EQ(outcome.lines[1], "second");
  Input memory = Input::from_memory(text, "memory");
  EXPECT_EQ(std::vector<std::string>(outcome.lines.begin() + 2, outcome.lines.end()), drain(memory).lines);
}

TEST(Input, EveryTruncationOfGzipIsAnErrorThatNamesTheFile) {
  const TemporaryDirectory directory;
  const std::string whole = gzip("one\ntwo\n") + gzip("three\n");
  const size_t first_member = gzip("one\ntwo\n").size();
  for (size_t size = 0; size < whole.size(); ++size) {
    if (size == first_member) continue;  // a complete file of one member
    const std::string path = directory.write("x.gz", whole.substr(0, size));
    EXPECT_THAT(drain_file(path).error, StartsWith(path + ": damaged gzip data")) << size;
  }
}

TEST(Input, DamagedGzipIsAnErrorAfterTheLinesBefore) {
  const TemporaryDirectory directory;
  const std::string good = gzip("one\ntwo\n");
  for (const size_t from_end : {8, 5, 4, 1}) {  // checksum and length
    std::string bad = good;
    bad[bad.size() - from_end] = static_cast<char>(bad[bad.size() - from_end] ^ 0x10);
    const Outcome outcome = drain_file(directory.write("x.gz", bad));
    EXPECT_THAT(outcome.error, HasSubstr("x.gz: damaged gzip data: incorrect")) << from_end;
    EXPECT_THAT(outcome.lines, ElementsAre("one", "two"));
  }
  EXPECT_THAT(drain_file(directory.write("x.gz", good + "more")).error, HasSubstr("other bytes follow"));
  EXPECT_THAT(drain_file(directory.write("x.gz", good + '\0' + good)).error, HasSubstr("other bytes follow"));
}

TEST(Input, AnErrorStays) {
  const TemporaryDirectory directory;
  auto input = Input::open(directory.write("x.gz", gzip("one\ntwo\n").substr(0, 20)));
  ASSERT_TRUE(input.ok());
  const std::string first = drain(*input).error;
  EXPECT_NE(first, "");
  EXPECT_EQ(drain(*input).error, first);
}

TEST(Input, SaysWhyAFileCannotBeOpened) {
  const TemporaryDirectory directory;
  const std::string missing = directory.path("missing");
  EXPECT_EQ(drain_file(missing).error, "cannot open '" + missing + "': No such file or directory");
  EXPECT_THAT(drain_file(directory.root().string()).error, EndsWith("': Is a directory"));
  EXPECT_THAT(drain_file("").error, StartsWith("cannot open ''"));
  const std::string secret = directory.write("secret", "x");
  ASSERT_EQ(::chmod(secret.c_str(), 0), 0);
  if (::geteuid() != 0) {  // the superuser reads everything
    EXPECT_THAT(drain_file(secret).error, EndsWith("': Permission denied"));
  }
}

TEST(Input, GivesALineOfAPipeBeforeTheNextArrives) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int answer[2];
  ASSERT_EQ(::pipe(answer), 0);
  const auto send = [](int to, std::string_view bytes) {
    EXPECT_EQ(::write(to, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  };
  // The writer goes on only when the reader has seen the line: a reader that waits for more would hang. The
  // mark comes in two parts, the second of which ends with a line.
  std::thread writer([&] {
    FILE* pipe = std::fopen(path.c_str(), "w");
    char seen;
    send(fileno(pipe), "\xEF");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    send(fileno(pipe), "\xBB\xBF\na\n");
    EXPECT_EQ(::read(answer[0], &seen, 1), 1);
    send(fileno(pipe), "b\n");
    std::fclose(pipe);
  });
  auto input = Input::open(path);
  ASSERT_TRUE(input.ok());
  std::string_view line;
  EXPECT_TRUE(*input->next_line(line));
  EXPECT_EQ(line, "");
  EXPECT_TRUE(*input->next_line(line));
  EXPECT_EQ(line, "a");
  send(answer[1], "!");
  EXPECT_TRUE(*input->next_line(line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(*input->next_line(line));
  writer.join();
  ::close(answer[0]);
  ::close(answer[1]);
}

TEST(Input, ReadsStandardInput) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("packed", gzip("a\nb\n"));
  const int saved = ::dup(STDIN_FILENO);
  FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(::dup2(fileno(file), STDIN_FILENO), STDIN_FILENO);
  {
    auto input = Input::open("-");
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input->name(), "standard input");
    EXPECT_THAT(drain(*input).lines, ElementsAre("a", "b"));
  }
  EXPECT_NE(::lseek(STDIN_FILENO, 0, SEEK_CUR), -1) << "standard input was closed";
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  std::fclose(file);
}

TEST(Input, GoesOnAfterAMove) {
  const TemporaryDirectory directory;
  auto opened = Input::open(directory.write("x", "a\nb\nc"));
  ASSERT_TRUE(opened.ok());
  std::string_view line;
  EXPECT_TRUE(*opened->next_line(line));
  Input moved = std::move(opened).value();
  EXPECT_TRUE(*moved.next_line(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(moved.line_number(), 2u);
  EXPECT_EQ(moved.name(), directory.path("x"));
}

TEST(InputFromAPipe, TellsWhetherAWholeLineOrParagraphHasCome) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto send = [&](std::string_view text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  Input input = Input::open("/dev/fd/" + std::to_string(ends[0])).value();
  using enum Input::Piece;
  EXPECT_TRUE(input.would_wait());
  send("\nfirst\n");
  EXPECT_FALSE(input.would_wait());
  EXPECT_TRUE(input.would_wait(kParagraph)) << "nothing says that it has ended";
  send("second\n \t\r\nthird");
  EXPECT_FALSE(input.would_wait(kParagraph));
  std::string_view line;
  for (const char* const expected : {"", "first", "second", " \t"}) {
    ASSERT_TRUE(input.next_line(line).value());
    EXPECT_EQ(line, expected);
  }
  EXPECT_TRUE(input.would_wait(kLine)) << "the line has not ended";
  send("\n");
  EXPECT_TRUE(input.would_wait(kParagraph));
  send(std::string(60000, 'x') + "\n");
  EXPECT_TRUE(input.would_wait(kParagraph));
  ::close(ends[1]);
  EXPECT_FALSE(input.would_wait(kParagraph)) << "the end of the input ends a paragraph";
  EXPECT_THAT(drain_rest(input), ElementsAre("third", std::string(60000, 'x')));
  ::close(ends[0]);
}

TEST(InputFromAPipe, IsOpenedBeforeAnybodyWritesAndWaitsForTheFirstLine) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto input = Input::open(path);
  ASSERT_TRUE(input.ok());
  EXPECT_TRUE(input->would_wait());
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    FILE* const pipe = std::fopen(path.c_str(), "w");
    std::fputs("a\nb", pipe);
    std::fclose(pipe);
  });
  EXPECT_THAT(drain_rest(*input), ElementsAre("a", "b"));
  writer.join();
}

TEST(InputFromAPipe, StopsWaitingWhenItIsAskedTo) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a\nb", 3), 3);
  std::atomic<bool> stop = false;
  Monitor monitor;
  monitor.stop = &stop;
  const WaitScope waiting(monitor);
  Input input = Input::open("/dev/fd/" + std::to_string(ends[0])).value();
  std::string_view line;
  EXPECT_TRUE(input.next_line(line).value());
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  const auto next = input.next_line(line);
  EXPECT_THAT(next.ok() ? "" : next.error().message, EndsWith(": stopped while waiting for input"));
  stopper.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace espalier
