// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace colltree {

inline constexpr const char* kVersion = COLLTREE_VERSION;  // from project() in CMakeLists.txt

}  // namespace colltree
