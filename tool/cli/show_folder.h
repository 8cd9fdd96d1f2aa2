// SPDX-License-Identifier: BSD-3-Clause
// `colltree show FOLDER`: how far a `tune` into this folder has come, and what its times say.
#pragma once

#include <string>

namespace colltree::cli {

// Prints the verdict where `tune` has ended, and else the cells measured so far with the best
// method for each class of message sizes. `watch`: again whenever something was stored, until
// nothing measures into the folder any more. Throws Error without a profile in the folder.
void show_folder(const std::string& folder, bool watch);

}  // namespace colltree::cli
