// SPDX-License-Identifier: BSD-3-Clause
// The stand-in of {fmt} writes what the library writes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#define fmt fmt_stand_in
#include "kit/stand_ins/fmt/core.h"
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
  EXPECT_SAME("\\x{:02X} {:02X}", 27U, 0xE9U);
}

// The same check that fails a compilation, of texts that are known at run time.
TEST(FmtStandIn, RefusesWhatItCannotWrite) {
  using fmt_stand_in::format;
  using fmt_stand_in::runtime;
  EXPECT_THROW(format(runtime("{:.3f}"), 1.5), std::logic_error);
  EXPECT_THROW(format(runtime("{:>5}"), "a"), std::logic_error);
  EXPECT_THROW(format(runtime("{:x}"), 12U), std::logic_error);
  EXPECT_THROW(format(runtime("{:02X}"), -1), std::logic_error);
  EXPECT_THROW(format(runtime("{0}"), 1), std::logic_error);
  EXPECT_THROW(format(runtime("{"), 1), std::logic_error);
  EXPECT_THROW(format(runtime("{} {}"), 1), std::logic_error);
  EXPECT_THROW(format(runtime("{}"), 1, 2), std::logic_error);
  EXPECT_EQ(format(runtime("{} of {}"), 1, "2"), "1 of 2");
}

#undef EXPECT_SAME

}  // namespace
}  // namespace colltree
