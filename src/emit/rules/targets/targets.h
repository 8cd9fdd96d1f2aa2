// SPDX-License-Identifier: BSD-3-Clause
// One function a target, which makes its row: defined in the file that writes and reads its files.
#pragma once

#include "emit/rules/rule_target.h"

namespace colltree::targets {

#define COLLTREE_RULE_TARGET(name) RuleTarget name();
#include "emit/rules/targets/targets.def"
#undef COLLTREE_RULE_TARGET

}  // namespace colltree::targets
