// SPDX-License-Identifier: BSD-3-Clause
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/output_file.h"

namespace colltree {

std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  return InputFile(path).read(most_bytes);
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  OutputFile(path).write(content);
}

void check_writable(const std::filesystem::path& path) { static_cast<void>(OutputFile(path)); }

// Made anew, never opened: in a folder that others can write, the name may be a link of theirs.
TransientFile::TransientFile(std::filesystem::path path, std::string_view content)
    : path_(std::move(path)) {
  ::unlink(path_.c_str());
  Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  int error = file.is_open() ? file.write_all(content) : errno;
  if (error == 0) error = file.close();
  if (error == 0) return;
  if (file.is_open()) ::unlink(path_.c_str());
  throw Error(fmt::format("{}: cannot write: {}", name(), std::strerror(error)));
}

TransientFile::~TransientFile() { ::unlink(path_.c_str()); }

TransientFolder::TransientFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string made = (parent / "colltree-XXXXXX").string();
  if (error || ::mkdtemp(made.data()) == nullptr)
    throw Error(fmt::format("{}: cannot make a folder for temporary files: {}; set TMPDIR", made,
                            error ? error.message() : std::strerror(errno)));
  path_ = made;
}

TransientFolder::~TransientFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace colltree
