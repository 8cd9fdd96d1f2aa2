// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing what is no plain file of one name: links, devices, pipes, descriptors.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <functional>
#include <future>
#include <string>

#include "base/file.h"
#include "base/input.h"
#include "base/test_scratch.h"

namespace colltree {
namespace {

namespace fs = std::filesystem;

struct stat status_of(const fs::path& path) {
  struct stat status {};
  ::lstat(path.c_str(), &status);
  return status;
}

// A fresh folder, where nothing else makes files.
fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fresh_path("in").parent_path() / name;
  fs::remove_all(folder);
  fs::create_directory(folder);
  return folder;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

bool make_device(const fs::path& path, unsigned minor) {
  return ::mknod(path.c_str(), S_IFCHR | 0666, makedev(1, minor)) == 0 &&
         Descriptor(::open(path.c_str(), O_RDWR)).is_open();  // not where devices are forbidden
}

constexpr unsigned kNull = 3;
constexpr unsigned kZero = 5;

TEST(WriteFile, ReplacesAFileAndKeepsItsMode) {
  const fs::path folder = fresh_folder("mode");
  write_file(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0640);
  const auto before = status_of(folder / "a");
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(status_of(folder / "a").st_mode & 07777, 0640U);
  EXPECT_NE(status_of(folder / "a").st_ino, before.st_ino) << "readers may see half of it";
  EXPECT_EQ(entries(folder), 1U);
}

TEST(WriteFile, KeepsTheOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const fs::path path = fresh_folder("owner") / "a";
  write_file(path, "old");
  ASSERT_EQ(::chown(path.c_str(), 12, 34), 0);
  write_file(path, "new");
  EXPECT_EQ(status_of(path).st_uid, 12U);
  EXPECT_EQ(status_of(path).st_gid, 34U);
}

TEST(WriteFile, FollowsSymbolicLinks) {
  const fs::path folder = fresh_folder("links");
  fs::create_directory(folder / "far");
  write_file(folder / "far" / "a", "old");
  fs::create_symlink("far/a", folder / "one");
  fs::create_symlink(folder / "one", folder / "two");
  write_file(folder / "two", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "one"));
  EXPECT_TRUE(fs::is_symlink(folder / "two"));
  EXPECT_EQ(read_file(folder / "far" / "a"), "new");
}

TEST(WriteFile, MakesWhatADanglingLinkNames) {
  const fs::path folder = fresh_folder("dangling");
  fs::create_symlink("later", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "later"), "new");
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THAT(error_of([&] { write_file(folder / "a", "x"); }),
              ::testing::HasSubstr("symbolic links lead to each other"));
}

TEST(WriteFile, HardLinksStayTogether) {
  const fs::path folder = fresh_folder("hard");
  write_file(folder / "a", "a longer old content");
  fs::create_hard_link(folder / "a", folder / "b");
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "b"), "new");
  EXPECT_EQ(status_of(folder / "b").st_nlink, 2U);
}

TEST(WriteFile, DevicesStayDevices) {
  const fs::path folder = fresh_folder("devices");
  if (!make_device(folder / "null", kNull)) GTEST_SKIP() << "needs root and a folder for devices";
  write_file(folder / "null", "gone");
  EXPECT_TRUE(S_ISCHR(status_of(folder / "null").st_mode));
  fs::create_symlink("null", folder / "link");
  write_file(folder / "link", "gone");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(S_ISCHR(status_of(folder / "null").st_mode));
  EXPECT_EQ(entries(folder), 2U);
}

TEST(WriteFile, AFullDeviceIsAnError) {
  EXPECT_EQ(error_of([] { write_file("/dev/full", "x"); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WriteFile, FeedsAPipe) {
  const fs::path pipe = fresh_folder("pipe") / "fifo";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  const std::string content(300'000, 'x');
  auto reader = std::async(std::launch::async, [&] { return read_file(pipe); });
  write_file(pipe, content);
  EXPECT_EQ(reader.get(), content);
  EXPECT_TRUE(S_ISFIFO(status_of(pipe).st_mode));
}

TEST(WriteFile, DescriptorsGoOnWhereTheyAre) {
  const fs::path path = fresh_folder("descriptor") / "a";
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  ASSERT_EQ(file.write_all("before "), 0);
  for (const char* folder : {"/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"})
    write_file(fs::path(folder) / std::to_string(file.number()), "in ");
  ASSERT_EQ(file.write_all("after"), 0);
  EXPECT_EQ(read_file(path), "before in in in after");
  const std::string closed = "/dev/fd/" + std::to_string(file.number());
  file.close();
  EXPECT_EQ(error_of([&] { write_file(closed, "x"); }),
            closed + ": cannot write: Bad file descriptor");
}

TEST(WriteFile, RefusesWhatIsNoFile) {
  const fs::path folder = fresh_folder("refused");
  const std::string directory = folder.string();
  EXPECT_EQ(error_of([&] { write_file(directory, "x"); }),
            directory + ": is a directory, not a file; name a file in it");
  EXPECT_EQ(error_of([&] { write_file(directory + "/", "x"); }),
            directory + "/: is a directory, not a file; name a file in it");
  EXPECT_EQ(error_of([&] { write_file(directory + "/none/", "x"); }),
            directory + "/none/: names a directory, and none is there; name a file");
  EXPECT_EQ(error_of([] { write_file("", "x"); }), "no file to write is named: its name is empty");
  EXPECT_EQ(error_of([] { read_file(""); }), "no file to read is named: its name is empty");
  EXPECT_EQ(error_of([] { check_writable("/no/such/file"); }),
            "/no/such/file: cannot write: No such file or directory");
  EXPECT_EQ(entries(folder), 0U);
}

// In a child without root's rights: the texts of its errors, "no error" where there is none.
std::string as_nobody(const std::function<std::string()>& work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(::setgid(65534) == 0 && ::setuid(65534) == 0);  // fails when it is so already
    Descriptor(ends[1]).write_all(work());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said = read_file("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

TEST(WriteFile, RightsAreWhatCounts) {
  const fs::path folder = fresh_folder("rights");
  const fs::path ours = folder / "writable";
  const fs::path locked = folder / "locked";
  write_file(ours, "a longer old content");
  write_file(locked, "old");
  ::chmod(ours.c_str(), 0666);
  ::chmod(locked.c_str(), 0444);
  ::chmod(folder.c_str(), 0555);
  ::chmod(folder.parent_path().c_str(), 0755);
  const auto before = status_of(ours);
  const std::string said = as_nobody([&] {
    return error_of([&] { write_file(ours, "new"); }) + "\n" +
           error_of([&] { write_file(locked, "new"); }) + "\n" +
           error_of([&] { write_file(folder / "another", "new"); });
  });
  EXPECT_EQ(said, "no error\n" + locked.string() + ": cannot write: Permission denied\n" +
                      (folder / "another").string() + ": cannot write: Permission denied");
  EXPECT_EQ(read_file(ours), "new");
  EXPECT_EQ(status_of(ours).st_ino, before.st_ino);
  EXPECT_EQ(read_file(locked), "old");
  ::chmod(folder.c_str(), 0755);
}

// A folder that anybody can write: the file of another user is written, not replaced by one of
// ours.
TEST(WriteFile, AnOwnerWhoCannotBeKeptKeepsTheFile) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const fs::path folder = fresh_folder("shared");
  write_file(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0666);
  ::chmod(folder.c_str(), 0777);
  EXPECT_EQ(as_nobody([&] { return error_of([&] { write_file(folder / "a", "new"); }); }),
            "no error");
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(status_of(folder / "a").st_uid, 0U);
  EXPECT_EQ(entries(folder), 1U);
}

TEST(TransientFile, TakesThePlaceOfALink) {
  const fs::path folder = fresh_folder("transient");
  write_file(folder / "precious", "old");
  fs::create_symlink("precious", folder / "plan");
  { const TransientFile plan(folder / "plan", "new"); }
  EXPECT_EQ(read_file(folder / "precious"), "old");
  EXPECT_EQ(entries(folder), 1U);
}

TEST(ReadFile, DevicesThatNeverEndAreRefused) {
  EXPECT_EQ(error_of([] { read_file("/dev/zero"); }),
            "/dev/zero: is a device, not a file; name a file or a pipe");
  EXPECT_EQ(read_file("/dev/null"), "");
  const fs::path folder = fresh_folder("zero");
  if (!make_device(folder / "zero", kZero)) GTEST_SKIP() << "needs root and a folder for devices";
  EXPECT_THAT(error_of([&] { read_file(folder / "zero"); }), ::testing::HasSubstr("is a device"));
}

TEST(ReadFile, LengthHasALimit) {
  const fs::path path = fresh_path("long.txt");
  write_file(path, std::string(2048, 'x'));
  EXPECT_EQ(read_file(path, 2048).size(), 2048U);
  EXPECT_EQ(error_of([&] { read_file(path, 1024); }),
            path.string() + ": cannot read: longer than 1K; name another file or split it");
  const fs::path pipe = fresh_path("endless");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    const Descriptor endless(::open(pipe.c_str(), O_WRONLY));
    while (endless.write_all(std::string(4096, 'x')) == 0) {
    }
    ::_exit(0);
  }
  EXPECT_THAT(error_of([&] { read_file(pipe, 1 << 20); }), ::testing::HasSubstr("longer than 1M"));
  ::waitpid(child, nullptr, 0);
}

std::string gzip_of(const std::string& content) {
  const fs::path path = fresh_path("made.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  const Descriptor made(::open(path.c_str(), O_RDONLY));
  std::string bytes(fs::file_size(path), '\0');
  EXPECT_EQ(::read(made.number(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

TEST(ReadFile, GzipMembersAreOneContentAndNothingElseFollows) {
  const fs::path path = fresh_path("members.gz");
  const std::string one = gzip_of("one ");
  const std::string two = gzip_of("two");
  write_file(path, one + two);
  EXPECT_EQ(read_file(path), "one two");
  write_file(path, one + "garbage");
  EXPECT_EQ(error_of([&] { read_file(path); }),
            path.string() +
                ": cannot read: other bytes follow the compressed content; fetch it again, or "
                "decompress it first");
  write_file(path, one + two.substr(0, 1));
  EXPECT_THAT(error_of([&] { read_file(path); }), ::testing::HasSubstr("is cut short"));
  std::string wrong = one;
  wrong[wrong.size() - 6] ^= 1;  // in the checksum
  write_file(path, wrong);
  EXPECT_THAT(error_of([&] { read_file(path); }), ::testing::HasSubstr("is damaged"));
  write_file(path, one.substr(0, 2));
  EXPECT_THAT(error_of([&] { read_file(path); }), ::testing::HasSubstr("is cut short"));
}

std::string pieces_of(const fs::path& path) {
  std::string content;
  read_pieces(path, [&](std::string_view piece) { content += piece; });
  return content;
}

TEST(ReadFile, PiecesAreTheWhole) {
  const fs::path path = fresh_path("pieces");
  std::string text;
  for (std::int64_t i = 0; i < 50000; ++i) text += std::to_string(i * i) + "\n";
  write_file(path, text);
  EXPECT_EQ(pieces_of(path), text);
  write_file(path, gzip_of(text) + gzip_of("more"));
  EXPECT_EQ(pieces_of(path), text + "more");
  write_file(path, gzip_of(text) + "garbage");
  EXPECT_THAT(error_of([&] { pieces_of(path); }), ::testing::HasSubstr("other bytes follow"));
  write_file(path, gzip_of(text).substr(0, 1000));
  EXPECT_THAT(error_of([&] { pieces_of(path); }), ::testing::HasSubstr("is cut short"));
  write_file(path, gzip_of(std::string(200'000'000, '\0')));
  EXPECT_THAT(error_of([&] { pieces_of(path); }),
              ::testing::HasSubstr("times as long as the compressed file"));
}

TEST(ReadFile, AGzipBombIsRefusedEarly) {
  const fs::path path = fresh_path("bomb.gz");
  write_file(path, gzip_of(std::string(200'000'000, '\0')));
  EXPECT_THAT(error_of([&] { read_file(path); }),
              ::testing::HasSubstr("more than 100 times as long as the compressed file"));
  EXPECT_THAT(error_of([&] { read_file(path, 1 << 20); }),
              ::testing::HasSubstr("its compressed content is longer than 1M"));
}

// In pieces of any size the answer is the same.
TEST(ReadFile, GzipThroughAPipeOfSingleBytes) {
  const fs::path pipe = fresh_path("single");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  const std::string bytes = gzip_of("one ") + gzip_of("two");
  auto writer = std::async(std::launch::async, [&] {
    const Descriptor out(::open(pipe.c_str(), O_WRONLY));
    for (const char byte : bytes) {
      out.write_all({&byte, 1});
      ::usleep(200);
    }
  });
  EXPECT_EQ(read_file(pipe), "one two");
  writer.get();
}

}  // namespace
}  // namespace colltree
