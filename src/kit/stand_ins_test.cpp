// SPDX-License-Identifier: BSD-3-Clause
// The stand-in of {fmt} writes what the library writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>

#define fmt fmt_stand_in
#include "kit/stand_ins/fmt/format.h"
#undef fmt

namespace colltree {
namespace {

#define EXPECT_SAME(...) EXPECT_EQ(fmt_stand_in::format(__VA_ARGS__), fmt::format(__VA_ARGS__))

TEST(FmtStandIn, WritesWhatTheLibraryWrites) {
  const std::string text = "text";
  EXPECT_SAME("nothing");
  EXPECT_SAME("{}", text);
  EXPECT_SAME("a {} b{}", "c", std::string_view("d"));
  EXPECT_SAME("{{{}}} {{ranks}}", 3);
  EXPECT_SAME("{}{}{}", -7, 1844674407370955161ULL, 'x');
  EXPECT_SAME("{} {}", true, false);
  EXPECT_SAME("{} {} {} {}", 0.05, 1e-7, 10.0, 1e300);
  EXPECT_SAME("\\x{:02X} {:02X}", 27U, 0xE9);
  EXPECT_EQ(fmt_stand_in::to_string(-3), "-3");
}

TEST(FmtStandIn, MarksWhatItCannot) {
  EXPECT_EQ(fmt_stand_in::format("{:.3f} {:>5} {:x}", 1.5, "a", 12), "{?} {?} {?}");
}

#undef EXPECT_SAME

}  // namespace
}  // namespace colltree
