// SPDX-License-Identifier: BSD-3-Clause
// show from the command line.
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/test_run.h"
#include "profile/csv.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// 4 communicator sizes x 6 message sizes: linear is best for small messages.
std::string profile_of_two(const char* collectives = "bcast") {
  std::string rows(profile::kCsvHeader);
  for (const std::string collective : {"bcast", "reduce"}) {
    if (std::string(collectives).find(collective) == std::string::npos) continue;
    for (const int ranks : {2, 4, 8, 16}) {
      for (const int bytes : {1, 16, 256, 1024, 4096, 16384}) {
        const auto row = [&](const char* method, int time) {
          rows += "\ns,m," + collective + "," + std::to_string(ranks) + ",,," +
                  std::to_string(bytes) + "," + method + ",,," + std::to_string(time);
        };
        row("linear", 10 + bytes * ranks / 64);
        row("tree", 20 + bytes / 32);
        row("default", 40 + bytes / 32);
      }
    }
  }
  const std::string csv = fresh_path("F.csv");
  const std::string db = fresh_path("P.db");
  write_file(csv, rows + "\n");
  EXPECT_EQ(colltree_run({"import", csv, "-o", db}).exit_code, 0);
  return db;
}

std::string model_of_kind(const std::string& db, std::vector<std::string> kind) {
  const std::string model = fresh_path(kind.front() + ".json");
  std::vector<std::string> words = {"fit", kind.front(), db, "--collective", "bcast", "-o", model};
  words.insert(words.end(), kind.begin() + 1, kind.end());
  EXPECT_EQ(colltree_run(words).exit_code, 0);
  return model;
}

TEST(Show, MapPenaltyAndTree) {
  const std::string db = profile_of_two();
  const std::string model = model_of_kind(db, {"quadtree", "--parameters", "max_depth=1"});
  const std::string overview = colltree_run({"show", db}).out;
  EXPECT_THAT(overview, HasSubstr("24 instances, 2 methods"));
  EXPECT_THAT(overview, Not(HasSubstr("best methods")));
  const std::string map = colltree_run({"show", db, "--map"}).out;
  EXPECT_THAT(map, HasSubstr("bcast on s (imported): best methods\n"));
  const std::string all = colltree_run({"show", db, model}).out;
  EXPECT_THAT(all, HasSubstr("bcast on s (imported): default: penalty mean "));
  EXPECT_THAT(all, HasSubstr("bcast on s (imported): quadtree (quadtree)\n"));
  EXPECT_THAT(all, HasSubstr("\u251c\u2500 yes: "));
  EXPECT_THAT(colltree_run({"show", model}).out, HasSubstr("quadtree of bcast on s"));
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_THAT(colltree_run({"show", db, "--map"}).out, HasSubstr("\x1b[48;"));
  ::unsetenv("CLICOLOR_FORCE");
  EXPECT_EQ(colltree_run({"show", model, "--penalty"}).err,
            "colltree: --penalty: needs the profile first, then models: colltree show P.db "
            "M.json\nTry 'colltree show --help'.\n");
}

TEST(Show, PenaltiesAreThoseOfEvaluate) {
  const std::string db = profile_of_two();
  const std::string model = model_of_kind(db, {"quadtree", "--parameters", "max_depth=0"});
  const auto json = Json::parse(colltree_run({"evaluate", model, "--on", db, "--json"}).out);
  const Json& penalty = json["performance_penalty"];
  char wanted[64];
  std::snprintf(wanted, sizeof wanted, "mean %.1f %%, max %.0f %%", 100 * penalty["mean"].number(),
                100 * penalty["max"].number());
  EXPECT_THAT(colltree_run({"show", db, model, "--penalty"}).out, HasSubstr(wanted));
}

TEST(Show, SeveralCollectivesAreNoModelOfOne) {
  const std::string db = profile_of_two("bcast,reduce");
  EXPECT_THAT(colltree_run({"fit", "quadtree", db, "-o", "M.json"}).err,
              HasSubstr(db + ": holds several collectives; choose one with --collective NAME\n"));
}

}  // namespace
}  // namespace colltree::cli
