// SPDX-License-Identifier: BSD-3-Clause
// Any file that decides, as the commands take it: a model (M.json), or a compact decision file
// (F.cdt) through the same C functions that programs use.
#pragma once

#include <functional>
#include <string>

#include "coll/method.h"
#include "colltree/decision.h"

namespace colltree {

struct Decisions {
  std::function<bool(Collective)> decides;
  std::function<Method(const Instance&)> decide;  // throws Error where it does not
  std::string owner;  // whose algorithms the methods are where they are not ours; "" = ours
};

std::string owner_of_methods(const colltree_decision& decision);
// Throws Error for the methods of another owner: colltree's algorithms have no more than their
// names.
void require_our_methods(const std::string& path, const std::string& owner);

// Whether it is a compact decision file: by its first bytes, whatever its name is. A pipe can be
// read once only: what comes through one is a model.
bool is_compact(const std::string& path);

// Throws Error.
Decisions load_decisions(const std::string& path);

}  // namespace colltree
