// SPDX-License-Identifier: BSD-3-Clause
#include "entered_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if defined(__linux__) && defined(__x86_64__)

extern "C" {
int colltree_watched_one(int* calls) { return ++*calls; }
int colltree_watched_two(int* calls) { return *calls += 2; }
int colltree_passed_over(int* calls) { return *calls += 4; }
}

namespace colltree::test {

namespace {

TEST(EnteredFunctions, AreNamedInTheOrderOfTheFirstEntry) {
  int (*volatile one)(int*) = colltree_watched_one;
  int (*volatile two)(int*) = colltree_watched_two;
  int (*volatile other)(int*) = colltree_passed_over;
  int calls = 0;
  watch_functions(reinterpret_cast<void*>(&colltree_watched_one), [](std::string_view function) {
    return function.starts_with("colltree_watched_");
  });
  one(&calls);
  start_watching();
  two(&calls);
  other(&calls);
  one(&calls);
  two(&calls);
  EXPECT_THAT(stop_watching(),
              testing::ElementsAre("colltree_watched_two", "colltree_watched_one"));
  two(&calls);
  EXPECT_EQ(calls, 1 + 2 + 4 + 1 + 2 + 2) << "they do what they did";
  start_watching();
  EXPECT_THAT(stop_watching(), testing::IsEmpty());
}

}  // namespace

}  // namespace colltree::test

#endif
