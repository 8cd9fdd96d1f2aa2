// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/input.h"
#include "base/test_scratch.h"

// A moment that a test can choose: write_file's rename, before it is done.
int signal_before_rename = 0;
extern "C" int rename(const char* from, const char* to) noexcept {
  if (signal_before_rename != 0) ::raise(signal_before_rename);
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace colltree {
namespace {

std::size_t entries_of(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST(File, WriteThenRead) {
  const auto path = fresh_path("one.txt");
  write_file(path, "one\n");
  write_file(path, std::string_view("two\0two", 7));
  EXPECT_EQ(read_file(path), std::string_view("two\0two", 7));
}

// A limit on files ends the child in the middle of its write.
TEST(File, NothingIsLeftOfAWriteThatIsKilled) {
  const auto path = fresh_path("folder_of_one") / "one.txt";
  std::filesystem::create_directories(path.parent_path());
  write_file(path, "old");
  const int probe = ::open(path.parent_path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(probe);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit = {10, 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_DFL);
    write_file(path, "new and longer than the limit");
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries_of(path.parent_path()), 1U);
}

// Writes "new" in a child that is sent `number` between linkat and rename. Returns the signal that
// ended it.
int write_signalled(const std::filesystem::path& path, int number) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(number, SIG_DFL);
    signal_before_rename = number;
    write_file(path, "new");
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(File, NoTemporaryNameIsLeftByASignal) {
  const auto path = fresh_path("folder_of_signals") / "one.txt";
  std::filesystem::create_directories(path.parent_path());
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    write_file(path, "old");
    EXPECT_EQ(write_signalled(path, number), number);
    EXPECT_EQ(read_file(path), "new");
    EXPECT_EQ(entries_of(path.parent_path()), 1U) << number;
  }
}

TEST(File, TheNextWriteRemovesWhatAKillLeft) {
  const auto path = fresh_path("folder_of_kills") / "one.txt";
  std::filesystem::create_directories(path.parent_path());
  write_file(path, "old");
  EXPECT_EQ(write_signalled(path, SIGKILL), SIGKILL);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries_of(path.parent_path()), 2U);
  write_file(path, "newer");
  EXPECT_EQ(read_file(path), "newer");
  EXPECT_EQ(entries_of(path.parent_path()), 1U);
}

TEST(File, WhatAnotherWriterHoldsIsNotTaken) {
  const auto path = fresh_path("folder_of_writers") / "one.txt";
  std::filesystem::create_directories(path.parent_path());
  write_file(path, "old");
  EXPECT_EQ(write_signalled(path, SIGKILL), SIGKILL);
  std::filesystem::path left;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
    if (entry.path() != path) left = entry.path();
  const int held = ::open(left.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  write_file(path, "newer");
  EXPECT_EQ(read_file(path), "newer");
  EXPECT_TRUE(std::filesystem::exists(left));
  ::close(held);
  write_file(path, "newest");
  EXPECT_EQ(entries_of(path.parent_path()), 1U);
}

TEST(File, GzipIsReadAsItsContent) {
  const auto path = fresh_path("one.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "hello");
  gzclose(file);
  EXPECT_EQ(read_file(path), "hello");
}

TEST(File, GzipThatIsCutShortIsAnError) {
  const auto path = fresh_path("cut.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  for (int i = 0; i < 1000; ++i) gzprintf(file, "line %d\n", i * i);
  gzclose(file);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_EQ(error_of([&] { read_file(path); }),
            path.string() + ": cannot read: the compressed file is cut short");
}

TEST(File, ErrorsNameThePath) {
  EXPECT_EQ(error_of([] { read_file("/no/such"); }),
            "/no/such: cannot open: No such file or directory");
  EXPECT_EQ(error_of([] { read_file("/"); }), "/: is a directory, not a file");
  EXPECT_EQ(error_of([] { write_file("/no/such/file", "x"); }),
            "/no/such/file: cannot write: No such file or directory");
}

TEST(File, FullDiskIsAnError) {
  EXPECT_THAT(error_of([] { write_file("/dev/full/x", "x"); }),
              ::testing::HasSubstr("cannot write"));
}

TEST(File, HashDependsOnContentOnly) {
  EXPECT_EQ(content_hash("abc"), content_hash(std::string("abc")));
  EXPECT_NE(content_hash("abc"), content_hash("abd"));
  EXPECT_EQ(content_hash("").size(), 32U);
}

namespace fs = std::filesystem;

fs::path link_to(const fs::path& target, const std::string& name) {
  const fs::path link = fresh_path(name);
  fs::create_symlink(target, link);
  return link;
}

TEST(Follow, PlainPathsAndLinks) {
  const fs::path file = fresh_path("followed");
  write_file(file, "x");
  EXPECT_EQ(follow(file).path, file);
  EXPECT_FALSE(follow(file).descriptor);
  const fs::path one = link_to(file, "one");
  const fs::path two = link_to("one", "two");  // beside it
  EXPECT_EQ(fs::weakly_canonical(follow(two).path), fs::weakly_canonical(file));
  const fs::path dangling = link_to(file.parent_path() / "not_there", "dangling_link");
  EXPECT_EQ(follow(dangling).path.filename(), "not_there");
  EXPECT_EQ(follow(one.parent_path() / "no_folder" / "x").path,
            one.parent_path() / "no_folder" / "x");
}

TEST(Follow, LinksInACircleAreSaid) {
  const fs::path a = link_to("circle_b", "circle_a");
  const fs::path b = link_to("circle_a", "circle_b");
  const std::string error = error_of([&] { follow(a); });
  EXPECT_NE(error.find(a.string()), std::string::npos) << error;
  EXPECT_NE(error, "no error");
}

TEST(Follow, OpenFilesOfThisProcess) {
  const Descriptor file(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(file.is_open());
  const std::string number = std::to_string(file.number());
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"})
    EXPECT_EQ(follow(folder + number).descriptor, file.number()) << folder;
  EXPECT_EQ(follow("/dev/stdout").descriptor, STDOUT_FILENO);
  EXPECT_EQ(follow("/dev/stdin").descriptor, STDIN_FILENO);
  EXPECT_FALSE(follow("/dev/null").descriptor);
  const fs::path link = link_to("/dev/fd/" + number, "link_to_open");
  EXPECT_EQ(follow(link).descriptor, file.number());
}

TEST(Descriptor, WritesAllAndSaysWhatFails) {
  const fs::path path = fresh_path("written");
  const std::string content(200000, 'c');
  {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    EXPECT_EQ(file.write_all(content), 0);
    EXPECT_EQ(file.close(), 0);
    EXPECT_FALSE(file.is_open());
  }
  EXPECT_EQ(read_file(path), content);
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (full.is_open()) {
    EXPECT_EQ(full.write_all("x"), ENOSPC);
  }
  const Descriptor read_only(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_only.write_all("x"), EBADF);
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC | O_NONBLOCK), 0);
  const Descriptor reader(pipe[0]);
  const Descriptor writer(pipe[1]);
  EXPECT_EQ(writer.write_all(content), EAGAIN) << "a part is not all";
  const Descriptor none(-1);
  EXPECT_FALSE(none.is_open());
}

TEST(Descriptor, IsClosedWithItsObject) {
  int number = -1;
  {
    const Descriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = file.number();
    EXPECT_GE(::fcntl(number, F_GETFD), 0);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace colltree
