// SPDX-License-Identifier: BSD-3-Clause
// Where paths lead, and what is said when bytes do not get there.
#include "base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/file.h"
#include "base/test_scratch.h"

namespace colltree {
namespace {

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
  const fs::path dangling = link_to(file.parent_path() / "not_there", "dangling");
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
