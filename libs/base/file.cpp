// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/not_copied.h"
#include "base/text.h"

namespace colltree {

namespace fs = std::filesystem;

Descriptor::~Descriptor() { close(); }

int Descriptor::write_all(std::string_view content) const {
  while (!content.empty()) {
    const ssize_t written = ::write(number_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) != 0 ? errno : 0;
}

int close_copy(int file) {
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  return copy >= 0 && ::close(copy) != 0 ? errno : 0;
}

namespace {

constexpr int kMostLinks = 40;  // as Linux

bool begins_with(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

FollowedPath follow(const fs::path& path) {
  fs::path current = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const fs::path folder =
        fs::canonical(current.has_parent_path() ? current.parent_path() : ".", error);
    if (error) return {current, std::nullopt};
    const fs::path found = folder / current.filename();
    // /proc/PID/fd of this process, or that of one of its threads.
    if (folder.filename() == "fd" && begins_with(folder, concat("/proc/", ::getpid())))
      return {found, parse_number<int>(current.filename().string())};
    if (begins_with(folder, "/proc") || !fs::is_symlink(found, error)) return {found, std::nullopt};
    const fs::path target = fs::read_symlink(found, error);
    if (error) return {found, std::nullopt};
    current = folder / target;  // an absolute target stands alone
  }
  throw Error(concat(path.string(), ": its symbolic links lead to each other; name another file"));
}

namespace {

// Writes the whole content of a file to its place, with the guarantees of write_file (file.h).
class OutputFile {
 public:
  // Throws Error when nothing can be written there: no name, a directory, no permission.
  explicit OutputFile(std::filesystem::path name);

  void write(std::string_view content) const;  // throws Error

 private:
  [[noreturn]] void fail(int error) const;
  void check_access() const;
  bool can_be_replaced() const;
  bool replace(std::string_view content) const;
  void overwrite(std::string_view content) const;

  std::filesystem::path name_;  // as given, for messages
  FollowedPath target_;
  bool exists_ = false;
  struct stat status_ {};  // when it exists
};

constexpr int kOpenFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;

// 0 or the error number of lost data. Pipes and devices cannot be synchronised, which is no error.
int synchronise(int file) {
  if (::fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP) return 0;
  return errno;
}

// While it exists, no signal that can be blocked ends this thread.
class SignalsBlocked : NotCopied {
 public:
  SignalsBlocked() {
    sigset_t every_signal;
    ::sigfillset(&every_signal);
    ::pthread_sigmask(SIG_BLOCK, &every_signal, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// The file that will replace `target`. If the file system allows it, it has no name while it is
// written, so nothing remains however this program ends. Otherwise, and between linkat and rename,
// it has a temporary name that belongs to `target`, and it is locked: if a kill leaves it behind,
// the next write of `target` finds it without a lock and removes it.
class NewFile : NotCopied {
 public:
  explicit NewFile(fs::path target) : target_(std::move(target)) {
    const fs::path folder = target_.parent_path();
    file_.emplace(::open(folder.empty() ? "." : folder.c_str(), kOpenFlags | O_TMPFILE, 0666));
    if (file_->is_open() && ::access(link().c_str(), F_OK) == 0) {
      ::flock(number(), LOCK_EX | LOCK_NB);
      return;
    }
    file_.reset();
    file_.emplace(create([](const fs::path& path) {
      const int file = ::open(path.c_str(), kOpenFlags | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
      if (file < 0 || lock_named(file)) return file;
      ::close(file);
      errno = EEXIST;
      return -1;
    }));
  }
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  bool is_open() const { return file_->is_open(); }  // else errno says why
  int number() const { return file_->number(); }

  // All of these return 0 or the error number.
  int write(std::string_view content) {
    const int error = file_->write_all(content);
    return error == 0 ? synchronise(number()) : error;
  }
  int replace_target() {
    const SignalsBlocked blocked;
    if (name_.empty() && create([this](const fs::path& path) {
                           return ::linkat(AT_FDCWD, link().c_str(), AT_FDCWD, path.c_str(),
                                           AT_SYMLINK_FOLLOW);
                         }) < 0)
      return errno;
    const int error = close_copy(number());
    if (error != 0) return error;
    if (::rename(name_.c_str(), target_.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string link() const { return concat("/proc/self/fd/", number()); }

  // False: between its creation and the lock, another writer took it for an abandoned file. The
  // lack of locks in a file system is no reason to give up.
  static bool lock_named(int file) {
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    struct stat status {};
    return ::fstat(file, &status) == 0 && status.st_nlink > 0;
  }

  // Calls `make` with one temporary name after another until one is free, and returns its result.
  template <typename Make>
  int create(const Make& make) {
    const std::size_t of_target = std::hash<std::string>()(target_.filename().string());
    for (int i = 0;; ++i) {
      const fs::path path = target_.parent_path() / concat(".colltree-", of_target, "-", i, ".tmp");
      int result = make(path);
      if (result < 0 && errno == EEXIST) {
        remove_if_abandoned(path);
        result = make(path);
      }
      if (result >= 0) name_ = path;
      if (result >= 0 || errno != EEXIST || i == 1000) return result;
    }
  }

  // A writer holds the lock of its file until the file is renamed.
  static void remove_if_abandoned(const fs::path& path) {
    const Descriptor left(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (left.is_open() && ::flock(left.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }

  fs::path target_;
  std::optional<Descriptor> file_;
  fs::path name_;  // empty: none
};

// Copies access control lists and other attributes, except those that the file system rejects.
void copy_attributes(const fs::path& from, int to) {
  std::vector<char> names(64 * 1024);
  const ssize_t size = ::listxattr(from.c_str(), names.data(), names.size());
  for (ssize_t offset = 0; offset < size;) {
    const char* name = names.data() + offset;
    offset += static_cast<ssize_t>(std::strlen(name)) + 1;
    char value[64 * 1024];
    const ssize_t got = ::getxattr(from.c_str(), name, value, sizeof value);
    if (got >= 0) ::fsetxattr(to, name, value, static_cast<std::size_t>(got), 0);
  }
}

// False when the new file cannot get the owner of the old file.
bool take_over(const fs::path& old_path, const struct stat& old, int file) {
  struct stat created {};
  if (::fstat(file, &created) != 0) return false;
  if ((created.st_uid != old.st_uid || created.st_gid != old.st_gid) &&
      ::fchown(file, old.st_uid, old.st_gid) != 0)
    return false;
  if (::fchmod(file, old.st_mode & 07777) != 0) return false;
  copy_attributes(old_path, file);
  return true;
}

OutputFile::OutputFile(fs::path name) : name_(std::move(name)) {
  if (name_.empty()) throw Error("no file to write is named: its name is empty");
  target_ = follow(name_);
  if (target_.descriptor) return;
  exists_ = ::stat(target_.path.c_str(), &status_) == 0;
  check_access();
}

void OutputFile::fail(int error) const {
  throw Error(concat(name_.string(), ": cannot write: ", std::strerror(error)));
}

void OutputFile::check_access() const {
  if (exists_ && S_ISDIR(status_.st_mode))
    throw Error(concat(name_.string(), ": is a directory, not a file; name a file in it"));
  if (exists_ && S_ISSOCK(status_.st_mode))
    throw Error(concat(name_.string(), ": is a socket, not a file; name a file"));
  if (!exists_ && !name_.has_filename())
    throw Error(concat(name_.string(), ": names a directory, and none is there; name a file"));
  const fs::path& asked = exists_ ? target_.path : target_.path.parent_path();
  if (::faccessat(AT_FDCWD, asked.empty() ? "." : asked.c_str(), W_OK, AT_EACCESS) != 0)
    fail(errno);
}

// A file cannot be replaced behind another process's descriptor, in a device or a pipe, or under a
// second name: there the file itself must be written.
bool OutputFile::can_be_replaced() const {
  if (target_.descriptor) return false;
  if (!exists_) return true;
  return S_ISREG(status_.st_mode) && status_.st_nlink == 1 && !fs::is_symlink(target_.path);
}

void OutputFile::write(std::string_view content) const {
  if (!can_be_replaced() || !replace(content)) overwrite(content);
}

// False when the existing file cannot be replaced by one with the same user and group; then nothing
// has happened.
bool OutputFile::replace(std::string_view content) const {
  const fs::path folder = target_.path.parent_path();
  NewFile file(target_.path);
  if (!file.is_open()) {
    if (exists_) return false;
    fail(errno);
  }
  if (exists_ && !take_over(target_.path, status_, file.number())) return false;
  int error = file.write(content);
  if (error == 0) error = file.replace_target();
  if (error == EBUSY && exists_) return false;  // something is mounted on it
  if (error != 0) fail(error);
  const Descriptor holds(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (holds.is_open()) synchronise(holds.number());
  return true;
}

void OutputFile::overwrite(std::string_view content) const {
  std::fflush(stdout);  // what was printed before comes before
  Descriptor file(target_.descriptor ? ::fcntl(*target_.descriptor, F_DUPFD_CLOEXEC, 0)
                                     : ::open(target_.path.c_str(), kOpenFlags));
  if (!file.is_open()) fail(errno);
  int error = file.write_all(content);
  // Cuts the rest of a longer old content, but not of an open file, which others may also write.
  if (error == 0 && exists_ && S_ISREG(status_.st_mode) &&
      ::ftruncate(file.number(), static_cast<off_t>(content.size())) != 0)
    error = errno;
  if (error == 0) error = synchronise(file.number());
  if (error == 0) error = file.close();
  if (error != 0) fail(error);
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content) {
  OutputFile(path).write(content);
}

void check_writable(const std::filesystem::path& path) { static_cast<void>(OutputFile(path)); }

// It creates the file and never opens an existing file: in a folder that others can write, the name
// may be their link.
TransientFile::TransientFile(std::filesystem::path path, std::string_view content)
    : path_(std::move(path)) {
  ::unlink(path_.c_str());
  Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  int error = file.is_open() ? file.write_all(content) : errno;
  if (error == 0) error = file.close();
  if (error == 0) return;
  if (file.is_open()) ::unlink(path_.c_str());
  throw Error(concat(name(), ": cannot write: ", std::strerror(error),
                     "; fix this and rerun the same command"));
}

TransientFile::~TransientFile() { ::unlink(path_.c_str()); }

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(concat(folder.string(), ": cannot make this folder: ", error.message()));
}

TransientFolder::TransientFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = (parent / "colltree-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    throw Error(concat(name, ": cannot make a folder for temporary files: ",
                       error ? error.message() : std::strerror(errno), "; set TMPDIR"));
  path_ = name;
}

TransientFolder::~TransientFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace colltree
