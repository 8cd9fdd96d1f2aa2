// SPDX-License-Identifier: BSD-3-Clause
// The contents of a kit: the plan, and the sources of colltree that its measuring program needs.
// They are found by following includes, so there is no list that could grow old.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kit/kit_format.h"

namespace colltree::kit {

struct ArchiveFile {
  std::string name;  // "colltree-kit/libs/base/text.h", at most 100 bytes
  std::string content;
};

// Packs one .tar.gz (POSIX ustar), as any tar reads it. The same files give the same bytes. Throws
// Error for a name that is too long.
std::string tar_gz(const std::vector<ArchiveFile>& files);

// Every file of a kit, from the folder `root` that holds libs/, tool/ and LICENSE. Throws Error
// that names what is missing.
std::vector<ArchiveFile> kit_files(const std::filesystem::path& root, const KitPlan& plan);

// The folder of the sources: in share/colltree/kit of the installed colltree, else in the source
// tree it was built from. Throws Error.
std::filesystem::path kit_root();

}  // namespace colltree::kit
