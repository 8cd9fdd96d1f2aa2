// SPDX-License-Identifier: BSD-3-Clause
// Where tests find files of the source and the build tree. Defined once (colltree_test links it),
// so that no other object depends on the place of the checkout and compiler caches serve every
// clone.
#pragma once

#include <filesystem>

namespace colltree::testing {

std::filesystem::path source_dir();
std::filesystem::path data_dir();      // tests/data
std::filesystem::path unpacked_dir();  // of the build tree: what of tests/data is an archive

}  // namespace colltree::testing
