// SPDX-License-Identifier: BSD-3-Clause
// Of file.h, what needs zlib and xxHash: programs that only write files are built without them.
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"
#include "base/input_file.h"

namespace colltree {

std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  return InputFile(path).read(most_bytes);
}

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace colltree
