// SPDX-License-Identifier: BSD-3-Clause
// Writes a model as a file that another program reads. A new target is one file and one row in
// emitter.cpp; a new format of rules is one file and one line in rules/targets.def.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace colltree::emit {

struct EmitOptions {
  std::string prefix = "colltree";  // of every name in generated source; a C identifier
  bool plain = false;               // the tests of the model; neighbours are not merged
  // The options for rules of libraries (rules/adapt.h).
  bool allow_unsafe = false;         // also rules that can break correct programs
  bool replace_default = false;      // also where a part is left to the library
  std::uint64_t ranks_per_node = 0;  // the placement, where the target cannot ask; 0 = best
  std::string* companion = nullptr;  // the text of the second file (RuleTarget::companion)
  const std::vector<Timings>* timings = nullptr;  // what losses cost; better replacements
  // A site's rules file that keeps all but the model's collectives; "" = none. Only for targets
  // that merge (rules/rule_target.h).
  std::string into;
  std::vector<std::string>* notes = nullptr;  // what the target cannot express goes here
};

struct Emitter {
  const char* target;
  const char* summary;
  // Returns the content of the file. Throws Error when the target cannot express the model.
  std::function<std::string(const model::Model& model, const EmitOptions& options)> emit;
};

std::span<const Emitter> emitters();
// Throws UsageError with the nearest name.
const Emitter& find_emitter(std::string_view target);

// Returns the smallest tree that decides as the model does, from which emitters start.
model::RuleTree tree_to_emit(const model::Model& model, const EmitOptions& options = {});
// "quadtree of bcast on grig, 1200 instances, simulated; colltree 2.0.0": for a comment.
std::string describe(const model::Model& model);

}  // namespace colltree::emit
