// SPDX-License-Identifier: BSD-3-Clause
// Any file that decides, as the commands take it: a model (M.json), or a compact decision file
// (F.cdt) through the same C functions that programs use.
#pragma once

#include <functional>
#include <string>

#include "coll/method.h"

namespace colltree {

struct Decisions {
  std::function<bool(Collective)> decides;
  std::function<Method(const Instance&)> decide;  // throws Error where it does not
};

// Throws Error.
Decisions load_decisions(const std::string& path);

}  // namespace colltree
