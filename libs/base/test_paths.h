// SPDX-License-Identifier: BSD-3-Clause
// Where tests find files of the source and the build tree. Defined once (colltree_test links it),
// so that no other object depends on the place of the checkout and compiler caches serve every
// clone.
#pragma once

#include <filesystem>

namespace colltree::testing {

std::filesystem::path source_dir();
std::filesystem::path data_dir();  // tests/data
// The unpacked archives of test data, in the build tree.
std::filesystem::path unpacked_dir();

}  // namespace colltree::testing
