// SPDX-License-Identifier: BSD-3-Clause
// What a kit measures: the file `plan` in it (docs/formats/kit.md).
//
//   colltree-kit-plan 1
//   made_by 1.0.0
//   silence_limit_s 120
//   unknown yes
//   colltree-plan 2
//   ...
#pragma once

#include <string>

#include "measure/plan.h"

namespace colltree {

struct KitPlan {
  std::string made_by;           // version of colltree
  double silence_limit_s = 120;  // a job that reports nothing for so long is stopped
  bool unknown = false;  // also the library's algorithms that our table has not, at every instance
  Plan plan;             // every cell, also of methods that an installed library may not have
};

std::string write_kit_plan(const KitPlan& kit);
KitPlan read_kit_plan(const std::string& text, const std::string& file);  // throws ParseError

}  // namespace colltree
