// SPDX-License-Identifier: BSD-3-Clause
#include "cli/record_sites.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/test_paths.h"
#include "base/test_scratch.h"
#include "cli/test_run.h"

extern "C" {
void sought();
void sought() {}
}

namespace colltree::cli {
namespace {

constexpr const char* kShown =
    R"(28 % of the run is in collectives: 15 % waiting for late ranks (no method helps; rank 3 is last in 67 % of it), 6.0 % working; 6.5 % not sampled
FILE: 8 ranks, 0.001 s after MPI_Init
call site                        function             size from      calls of the run    waiting
solve at cg+0x1a2f               allreduce                   8B         21       22 %       15 %
cg+0x2000                        iallreduce                              5      4.0 %          -
step at run.py:17                bcast                       1K          2      1.0 %        0 %
not known                        gatherv                                 5     0.50 %          -
of the time in collectives 0.00 % went to colltree's methods, 100.00 % to the MPI library:
)";

TEST(RecordSites, SayHowMuchIsWaitingForWhomAndWhere) {
  const std::string path = testing::source_dir() / "tests/fuzz/corpus/record/sites";
  std::string shown = colltree_run({"show", path}).out;
  shown.replace(shown.find(path), path.size(), "FILE");
  EXPECT_EQ(shown.substr(0, std::string_view(kShown).size()), kShown);
}

TEST(RecordSites, OfARecordWithoutSamples) {
  const std::string shown =
      colltree_run({"show", testing::source_dir() / "tests/fuzz/corpus/record/small"}).out;
  EXPECT_EQ(shown.substr(0, shown.find('\n')),
            "0.01 % of the run is in collectives; how much of it is waiting was not sampled");
}

TEST(RecordSites, AreAsRecordedWhereNothingElseIsKnown) {
  SiteCost cost;
  cost.site.where = "/no/such+0x10";
  EXPECT_EQ(places_of({cost}).front(), "such+0x10");
  cost.site = {"-no+file+0xzz", "f\n"};
  EXPECT_EQ(places_of({cost}).front(), R"(f\x0A at -no+file+0xzz)");
}

// This program is the file of the site; tests are compiled with debug information or without.
TEST(RecordSites, HaveTheFunctionOfThatAddress) {
  if (std::system("addr2line --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no addr2line";
  Dl_info unused = {};
  link_map* program = nullptr;
  ASSERT_NE(::dladdr1(reinterpret_cast<void*>(&sought), &unused, reinterpret_cast<void**>(&program),
                      RTLD_DL_LINKMAP),
            0);
  const auto offset = reinterpret_cast<std::uintptr_t>(&sought) - program->l_addr;
  SiteCost cost;
  cost.site.where =
      fmt::format("{}+{:#x}", std::filesystem::read_symlink("/proc/self/exe").string(), offset);
  EXPECT_TRUE(places_of({cost}).front().starts_with("sought")) << places_of({cost}).front();
  // Without its symbols nothing is known but what was recorded.
  const std::string stripped = fresh_path("stripped").string();
  const std::string whole = cost.site.where.substr(0, cost.site.where.rfind('+'));
  if (std::system(fmt::format("strip -o '{}' '{}' 2>&1", stripped, whole).c_str()) != 0)
    GTEST_SKIP() << "no strip";
  cost.site.where = fmt::format("{}+{:#x}", stripped, offset);
  EXPECT_EQ(places_of({cost}).front(), fmt::format("stripped+{:#x}", offset));
}

}  // namespace
}  // namespace colltree::cli
