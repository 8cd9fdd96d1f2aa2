// SPDX-License-Identifier: BSD-3-Clause
// plot and show from the command line.
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/input.h"
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

TEST(Plot, EveryPictureOfAProfile) {
  const std::string db = profile_of_two();
  for (const std::string what :
       {"map", "penalty", "times", "depth", "threshold", "limits", "leaves"}) {
    const std::string svg = fresh_path(what + ".svg");
    const Outcome outcome = colltree_run({"plot", what, db, "-o", svg});
    EXPECT_EQ(outcome.out, svg + "\n") << outcome.err;
    EXPECT_THAT(read_file(svg), HasSubstr("bcast on s (imported)")) << what;
  }
}

TEST(Plot, PenaltiesAreThoseOfEvaluate) {
  const std::string db = profile_of_two();
  const std::string model = model_of_kind(db, {"quadtree", "--max-depth", "0"});
  const auto json = Json::parse(colltree_run({"evaluate", model, "--on", db, "--json"}).out);
  const Json& penalty = json["performance_penalty"];
  const std::string svg = fresh_path("map.svg");
  EXPECT_EQ(colltree_run({"plot", "map", db, model, "-o", svg}).exit_code, 0);
  char wanted[64];
  std::snprintf(wanted, sizeof wanted, "mean %.1f %%, max %.0f %%",
                100 * penalty["mean"].get<double>(), 100 * penalty["max"].get<double>());
  EXPECT_THAT(read_file(svg), HasSubstr(wanted));
}

TEST(Plot, ModelsAlone) {
  const std::string db = profile_of_two();
  const std::string c45 = model_of_kind(db, {"c45"});
  const std::string optimal = model_of_kind(db, {"optimal", "--leaves", "3"});
  const std::string svg = fresh_path("model.svg");
  for (const std::string what : {"map", "tree"}) {
    EXPECT_EQ(colltree_run({"plot", what, c45, "-o", svg, "--background", "dark"}).out, svg + "\n");
    EXPECT_THAT(read_file(svg), HasSubstr("fitted to s (imported)"));
  }
  EXPECT_EQ(colltree_run({"plot", "frontier", optimal, "-o", svg}).out, svg + "\n");
  EXPECT_THAT(read_file(svg), HasSubstr("mean performance penalty"));
  EXPECT_EQ(colltree_run({"plot", "frontier", c45, "-o", svg}).err,
            "colltree: c45 (c45): has no frontier; only models of `colltree fit optimal` have "
            "one\nTry 'colltree plot frontier --help'.\n");
}

TEST(Plot, BadInput) {
  const std::string db = profile_of_two("bcast,reduce");
  const auto error = [](const std::vector<std::string>& words) {
    const std::string err = colltree_run(words).err;
    return err.substr(0, err.find('\n'));
  };
  EXPECT_EQ(error({"plot", "map", db, "-o", "map.pdf"}),
            "colltree: map.pdf: the name of a picture ends in .svg or .png");
  EXPECT_EQ(error({"plot", "penalties", db, "-o", "map.svg"}),
            "colltree: unknown command 'penalties'; did you mean 'penalty'?");
  EXPECT_EQ(error({"plot", "times", db, "-o", "t.svg"}),
            "colltree: " + db + ": holds several collectives; choose one with --collective NAME");
  EXPECT_THAT(colltree_run({"fit", "quadtree", db, "-o", "M.json"}).err,
              HasSubstr(db + ": holds several collectives; choose one with --collective NAME\n"));
  EXPECT_EQ(error({"plot", "times", db, "--collective", "bcast", "--communicator-size", "3", "-o",
                   "t.svg"}),
            "colltree: bcast on s: nothing was measured at communicator size 3");
  const std::string model = model_of_kind(db, {"c45"});
  EXPECT_EQ(error({"plot", "map", model, "--fit", "c45", "-o", "m.svg"}),
            "colltree: --fit: needs a profile, and " + model + " is not one");
  EXPECT_EQ(error({"plot", "map", "/no/such.db", "-o", "m.svg"}),
            "colltree: /no/such.db: no such file");
  EXPECT_EQ(colltree_run({"plot", "map", db, "-o", "map.pdf"}).exit_code, 2);
}

TEST(Show, MapPenaltyAndTree) {
  const std::string db = profile_of_two();
  const std::string model = model_of_kind(db, {"quadtree", "--max-depth", "1"});
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
  EXPECT_THAT(colltree_run({"show", db, "--map", "--color", "always"}).out, HasSubstr("\x1b[48;"));
  EXPECT_EQ(colltree_run({"show", model, "--penalty"}).err,
            "colltree: --penalty: needs the profile first, then models: colltree show P.db "
            "M.json\nTry 'colltree show --help'.\n");
}

// Times of a library alone, and of two beside each other.
TEST(Plot, TimesOfOneLibraryBesideAnother) {
  std::vector<std::string> profiles;
  for (const std::string name : {"A", "B"}) {
    const std::string csv = fresh_path(name + ".csv");
    profiles.push_back(fresh_path(name + ".db"));
    write_file(csv, std::string(profile::kCsvHeader) + "\n" + name +
                        ",m,bcast,4,,,8,default,,,40\n" + name + ",m,bcast,4,,,64,default,,,50\n");
    EXPECT_EQ(colltree_run({"import", csv, "-o", profiles.back()}).exit_code, 0);
  }
  const std::string svg = fresh_path("times.svg");
  const Outcome outcome =
      colltree_run({"plot", "times", profiles[0], profiles[1], "--collective", "bcast", "-o", svg});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(read_file(svg, kMostFileBytes), HasSubstr("default of B"));
  EXPECT_EQ(colltree_run({"plot", "times", profiles[1], "-o", svg}).exit_code, 0);
}

}  // namespace
}  // namespace colltree::cli
