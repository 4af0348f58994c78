#include "espalier/base/files/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/files/temporary_directory.h"
#include "espalier/base/files/unfinished_files.h"
#include "espalier/base/files/wait_scope.h"

namespace espalier {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

AtomicFile open_or_throw(const std::string& path) {
  auto file = AtomicFile::open(path);
  if (!file.ok()) throw std::runtime_error(file.error().message);
  return std::move(file).value();
}

TEST(AtomicFile, TheFileAppearsWithCommit) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x");
  AtomicFile file = open_or_throw(path);
  EXPECT_TRUE(file.write("hello ").ok());
  EXPECT_TRUE(file.write(std::string(1'000'000, 'y')).ok());
  EXPECT_TRUE(file.write("").ok());
  EXPECT_TRUE(file.write(" there").ok());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(directory.entries(), 1u);
  EXPECT_TRUE(file.commit().ok());
  EXPECT_EQ(directory.read("x"), "hello " + std::string(1'000'000, 'y') + " there");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, SmallWritesKeepTheirOrder) {
  const TemporaryDirectory directory;
  std::string expected;
  AtomicFile file = open_or_throw(directory.path("x"));
  for (int i = 0; i < 200'000; ++i) {
    const std::string piece = std::to_string(i) + ",";
    expected += piece;
    ASSERT_TRUE(file.write(piece).ok());
  }
  ASSERT_TRUE(file.commit().ok());
  EXPECT_EQ(directory.read("x"), expected);
}

TEST(AtomicFile, DroppedWithoutCommitLeavesTheOldFileAndNothingElse) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x", "old");
  {
    AtomicFile file = open_or_throw(path);
    EXPECT_TRUE(file.write("new").ok());
    EXPECT_TRUE(file.flush().ok());
    AtomicFile moved = std::move(file);
    EXPECT_TRUE(moved.write("er").ok());
  }
  EXPECT_EQ(directory.read("x"), "old");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(UnfinishedFiles, AreRemovedAndCommittedOnesStay) {
  const TemporaryDirectory directory;
  AtomicFile done = open_or_throw(directory.path("done"));
  EXPECT_TRUE(done.commit().ok());
  { const AtomicFile dropped = open_or_throw(directory.path("dropped")); }
  // More than can be remembered: the others are not removed here, but when their writers end.
  std::vector<AtomicFile> open;
  for (size_t i = 0; i < kMostUnfinishedFiles + 2; ++i)
    open.push_back(open_or_throw(directory.path("open" + std::to_string(i))));
  EXPECT_EQ(directory.entries(), 1 + open.size());
  remove_unfinished_files();
  EXPECT_EQ(directory.entries(), 3u);
  EXPECT_TRUE(std::filesystem::exists(directory.path("done")));
  open.clear();
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, PartialFilesAreNamedForTheTargetAndTheProcess) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x");
  AtomicFile first = open_or_throw(path);
  EXPECT_TRUE(std::filesystem::exists(path + ".partial-" + std::to_string(::getpid())));
  // A second writer in the same process is not disturbed.
  AtomicFile second = open_or_throw(path);
  EXPECT_EQ(directory.entries(), 2u);
  EXPECT_TRUE(first.write("first").ok());
  EXPECT_TRUE(second.write("second").ok());
  EXPECT_TRUE(first.commit().ok());
  EXPECT_EQ(directory.read("x"), "first");
  EXPECT_TRUE(second.commit().ok());
  EXPECT_EQ(directory.read("x"), "second");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, ACommittedFileLeavesTheNextWriterAlone) {
  const TemporaryDirectory directory;
  std::optional<AtomicFile> first = open_or_throw(directory.path("x"));
  ASSERT_TRUE(first->commit().ok());
  AtomicFile second = open_or_throw(directory.path("x"));  // under the partial name that is free again
  first.reset();
  ASSERT_TRUE(second.write("second").ok());
  EXPECT_TRUE(second.commit().ok());
  EXPECT_EQ(directory.read("x"), "second");
}

TEST(AtomicFile, OpeningRemovesWhatKilledWritersOfTheSameFileLeft) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x");
  const pid_t child = ::fork();
  if (child == 0) {
    const AtomicFile left = open_or_throw(path);
    const AtomicFile also = open_or_throw(path);
    const AtomicFile of_another_file = open_or_throw(path + "y");
    ::_exit(0);  // no destructor runs, as with kill -9
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(directory.entries(), 3u);
  const std::string number = std::to_string(child);
  directory.write("x.partial-" + std::to_string(::getpid()) + "-7",
                  "under our own number, of a dead container");
  for (const char* name : {"x.partial-", "x.partial-abc", "x.partial--1", "x.partial-0"})
    directory.write(name, "");
  directory.write("x.partial-" + number + "-note", "not ours");
  EXPECT_TRUE(open_or_throw(path).commit().ok());
  EXPECT_FALSE(std::filesystem::exists(path + ".partial-" + number));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial-" + number + "-2"));
  EXPECT_TRUE(std::filesystem::exists(path + "y.partial-" + number));
  EXPECT_EQ(directory.entries(), 7u);  // x, that of y, and five that no writer makes
}

TEST(AtomicFile, OpeningLeavesTheFilesOfLivingWritersAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x");
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file = open_or_throw(path);
    char c = 0;
    (void)!::write(ready[1], &c, 1);
    (void)!::read(done[0], &c, 1);
    const bool written = file.write("the child's").ok() && file.commit().ok();
    ::_exit(written ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  char c = 0;
  ASSERT_EQ(::read(ready[0], &c, 1), 1);
  EXPECT_TRUE(open_or_throw(path).commit().ok());
  EXPECT_TRUE(std::filesystem::exists(path + ".partial-" + std::to_string(child)));
  ASSERT_EQ(::write(done[1], &c, 1), 1);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(directory.read("x"), "the child's");
  for (const int number : {ready[0], ready[1], done[0], done[1]}) ::close(number);
}

TEST(AtomicFile, KeepsTheModeOfTheFileItReplaces) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  AtomicFile file = open_or_throw(path);
  ASSERT_TRUE(file.commit().ok());
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const TemporaryDirectory directory;
  directory.write("real", "old");
  std::filesystem::create_symlink("real", directory.path("link"));
  AtomicFile file = open_or_throw(directory.path("link"));
  ASSERT_TRUE(file.write("new").ok());
  ASSERT_TRUE(file.commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path("link")));
  EXPECT_EQ(directory.read("real"), "new");
}

TEST(AtomicFile, RefusesWhatCannotBeWrittenBeforeAnythingIs) {
  const TemporaryDirectory directory;
  directory.write("plain", "");
  const auto refusal = [&](const std::string& path) {
    const auto opened = AtomicFile::open(path);
    const auto checked = AtomicFile::check_writable(path);
    if (opened.ok() || checked.ok()) return std::string("not refused");
    EXPECT_EQ(opened.error().message, checked.error().message);
    EXPECT_THAT(checked.error().message, StartsWith("cannot write '" + path + "': "));
    return checked.error().message;
  };
  EXPECT_THAT(refusal(directory.root().string()), EndsWith("Is a directory"));
  EXPECT_THAT(refusal(directory.path("none/x")),
              EndsWith("directory '" + directory.path("none") + "': No such file or directory"));
  EXPECT_THAT(refusal(directory.path("none/")), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal(directory.path("plain/x")), EndsWith("Not a directory"));
  EXPECT_THAT(refusal(directory.path(std::string(300, 'n'))), EndsWith("File name too long"));
  EXPECT_THAT(refusal(""), EndsWith("the file name is empty"));
  if (::geteuid() != 0) {  // the superuser writes everywhere
    std::filesystem::create_directory(directory.path("locked"));
    ASSERT_EQ(::chmod(directory.path("locked").c_str(), 0500), 0);
    EXPECT_THAT(refusal(directory.path("locked/x")), EndsWith("Permission denied"));
    ASSERT_EQ(::chmod(directory.path("plain").c_str(), 0400), 0);
    EXPECT_THAT(refusal(directory.path("plain")), EndsWith("Permission denied"));
  }
}

TEST(AtomicFile, CheckingLeavesNothingBehind) {
  const TemporaryDirectory directory;
  const std::string old = directory.write("old", "kept");
  EXPECT_TRUE(AtomicFile::check_writable(directory.path("new")).ok());
  EXPECT_TRUE(AtomicFile::check_writable(old).ok());
  EXPECT_TRUE(AtomicFile::check_writable("-").ok());
  EXPECT_TRUE(AtomicFile::check_writable("/dev/null").ok());
  EXPECT_EQ(directory.entries(), 1u);
  EXPECT_EQ(directory.read("old"), "kept");
}

TEST(AtomicFile, AFullDeviceIsAnErrorThatStays) {
  AtomicFile file = open_or_throw("/dev/full");
  EXPECT_TRUE(file.write("buffered").ok());
  const std::string expected = "cannot write '/dev/full': No space left on device";
  EXPECT_EQ(file.flush().error().message, expected);
  EXPECT_EQ(file.write("more").error().message, expected);
  EXPECT_EQ(file.commit().error().message, expected);
}

TEST(AtomicFile, AFailedWriteNamesTheFileAndKeepsTheOldOne) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("x", "old");
  // A limit on the size of files stands in for a disk that fills up half way.
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string error;
  {
    AtomicFile file = open_or_throw(path);
    (void)file.write(std::string(400'000, 'n'));
    const Status status = file.commit();
    if (!status.ok()) error = status.error().message;
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "cannot write '" + path + "': File too large");
  EXPECT_EQ(directory.read("x"), "old");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, ATargetThatTurnedIntoADirectoryIsAnError) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x");
  {
    AtomicFile file = open_or_throw(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(file.commit().error().message, StartsWith("cannot write '" + path + "': "));
  }
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(AtomicFile, DevicesAreStreamedToAndStayDevices) {
  AtomicFile file = open_or_throw("/dev/null");
  EXPECT_TRUE(file.write("gone").ok());
  EXPECT_TRUE(file.commit().ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, StandardOutputIsStreamedToAndStaysOpen) {
  const TemporaryDirectory directory;
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  const int to = ::open(directory.path("out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::dup2(to, STDOUT_FILENO), STDOUT_FILENO);
  bool good = true;
  std::string flushed;
  std::string name;
  {
    AtomicFile file = open_or_throw("-");
    name = file.name();
    good = good && file.write("a").ok() && file.flush().ok();
    flushed = directory.read("out");
    good = good && file.write("b").ok() && file.commit().ok();
  }
  {
    AtomicFile dropped = open_or_throw("-");
    good = good && dropped.write("c").ok();
  }
  const bool still_open = ::lseek(STDOUT_FILENO, 0, SEEK_CUR) != -1;
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(to);
  EXPECT_TRUE(good);
  EXPECT_TRUE(still_open);
  EXPECT_EQ(name, "standard output");
  EXPECT_EQ(flushed, "a");
  EXPECT_EQ(directory.read("out"), "abc");
}

TEST(AtomicFile, StopsWaitingForAReaderWhenItIsAskedTo) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::atomic<bool> stop = true;
  Monitor monitor;
  const WaitScope waiting(monitor);
  monitor.stop = &stop;
  const auto unread = AtomicFile::open(path);
  ASSERT_FALSE(unread.ok());
  EXPECT_THAT(unread.error().message, testing::EndsWith("': stopped before anybody read from it"));
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  AtomicFile file = open_or_throw(path);
  const std::string much(1 << 20, 'x');  // more than the pipe holds
  const Status written = file.write(much);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, testing::EndsWith("': stopped while nobody reads from it"));
  ::close(reader);
}

TEST(AtomicFile, UseAfterCommitIsABrokenContract) {
  const TemporaryDirectory directory;
  AtomicFile file = open_or_throw(directory.path("x"));
  ASSERT_TRUE(file.commit().ok());
  EXPECT_THROW((void)file.write("late"), ContractViolation);
  EXPECT_THROW((void)file.commit(), ContractViolation);
}

}  // namespace
}  // namespace espalier
