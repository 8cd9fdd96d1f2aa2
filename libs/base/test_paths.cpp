// SPDX-License-Identifier: BSD-3-Clause
#include "base/test_paths.h"

namespace colltree::testing {

std::filesystem::path source_dir() { return COLLTREE_SOURCE_DIR; }

std::filesystem::path data_dir() { return source_dir() / "tests/data"; }

std::filesystem::path unpacked_dir() {
  return std::filesystem::path(COLLTREE_BINARY_DIR) / "tests/data";
}

}  // namespace colltree::testing
