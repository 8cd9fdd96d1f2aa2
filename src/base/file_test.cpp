// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>

#include "base/error.h"
#include "base/test_scratch.h"

namespace colltree {
namespace {

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
  const std::filesystem::directory_iterator entries(path.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
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

}  // namespace
}  // namespace colltree
