// SPDX-License-Identifier: BSD-3-Clause
// Files as one .tar.gz (POSIX ustar), as any tar reads it. The same files give the same bytes.
#pragma once

#include <string>
#include <vector>

namespace colltree {

struct ArchiveFile {
  std::string name;  // "colltree-kit/src/base/text.h", at most 100 bytes
  std::string content;
};

// Throws Error for a name that is too long.
std::string tar_gz(const std::vector<ArchiveFile>& files);

}  // namespace colltree
