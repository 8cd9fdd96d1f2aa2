// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "emit/rules/rule_target.h"

namespace colltree {
namespace {

TEST(OpenmpiText, Placeholder) { find_rule_target("openmpi-4.1"); }

}  // namespace
}  // namespace colltree
