// SPDX-License-Identifier: BSD-3-Clause
// Any file that decides, as the commands take it: a model (M.json), or a compact decision file
// (F.cdt) through the same C functions that programs use.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "coll/method.h"

namespace colltree {

// Nothing for a collective that the file does not decide for.
using Decisions = std::function<std::optional<Method>(const Instance&)>;

// Throws Error.
Decisions load_decisions(const std::string& path);

}  // namespace colltree
