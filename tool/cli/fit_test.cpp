// SPDX-License-Identifier: BSD-3-Clause
// fit and emit from a profile on disk to files on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/json.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// bcast: binomial wins up to 1024 bytes, then linear by a factor of two.
std::string small_profile(const std::string& provenance = profile::kProvenanceSimulated,
                          const std::string& source = "portable") {
  const auto path = fresh_path("fit_test.db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  profile::CampaignInfo info = profile::campaign("grig");
  info.system.provenance = provenance;
  info.source = source;
  const profile::CampaignId id = profile.begin_campaign(info);
  std::vector<profile::Cell> cells;
  for (const std::uint64_t ranks : {2, 4, 8, 16}) {
    for (const std::uint64_t bytes : {64, 1024, 16384, 262144}) {
      const bool small = bytes <= 1024;
      cells.push_back(profile::cell(ranks, bytes, {"linear", 0}, {small ? 20.0 : 10.0}));
      cells.push_back(profile::cell(ranks, bytes, {"binomial", 0}, {small ? 10.0 : 20.0}));
    }
  }
  profile.record(id, cells);
  return path.string();
}

TEST(Fit, QuadtreeFromProfileToSource) {
  const std::string profile = small_profile();
  const std::string model = fresh_path("fit_test.json").string();
  const Outcome fitted = colltree_run({"fit", "quadtree", profile, "--collective", "bcast",
                                       "--parameters", "max_depth=1", "-o", model, "--json"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json statistics = Json::parse(fitted.out);
  EXPECT_EQ(statistics["leaves"], 4);
  EXPECT_EQ(statistics["nodes"], 5);
  EXPECT_EQ(statistics["performance_penalty"]["max"], 0.0);
  EXPECT_EQ(statistics["performance_penalty"]["instances"], 16);
  const std::string source = fresh_path("fit_test.c").string();
  EXPECT_EQ(colltree_run({"emit", "c", model, "-o", source}).exit_code, 0);
  EXPECT_THAT(read_file(source), HasSubstr("if (message_size <= UINT64_C(4096))"));
}

TEST(Fit, TheOnlyCollectiveNeedsNoName) {
  const std::string model = fresh_path("only.json").string();
  const Outcome fitted = colltree_run({"fit", "quadtree", small_profile(), "-o", model});
  EXPECT_THAT(fitted.out, HasSubstr("quadtree of bcast on ")) << fitted.err;
}

TEST(Fit, RulesFromProfileToSource) {
  const std::string profile = small_profile();
  const std::string model = fresh_path("rules_test.json").string();
  const Outcome fitted = colltree_run({"fit", "c45-rules", profile, "--collective", "bcast",
                                       "--parameters", "parity=true", "--details", "-o", model});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("Rule 1:\n    \tmessage_size"));
  const std::string source = fresh_path("rules_test.c").string();
  EXPECT_EQ(colltree_run({"emit", "c-nested", model, "-o", source}).exit_code, 0);
  EXPECT_THAT(read_file(source), HasSubstr("if (message_size <= UINT64_C("));
}

std::string method_of(const std::string& answer) { return Json::parse(answer)["method"].text(); }

TEST(Decide, ModelAndCompactFileAgree) {
  const std::string model = fresh_path("decide_test.json").string();
  const std::string compact = fresh_path("decide_test.cdt").string();
  ASSERT_EQ(colltree_run({"fit", "quadtree", small_profile(), "--collective", "bcast", "-o", model})
                .exit_code,
            0);
  for (const char* target : {"cdt", "tree", "table"}) {
    ASSERT_EQ(colltree_run({"emit", target, model, "-o", compact}).exit_code, 0);
    for (const std::string& file : {model, compact}) {
      EXPECT_EQ(
          method_of(colltree_run({"explain", "bcast", "25", "480", "--json", "--model", file}).out),
          "Binomial_0K");
      EXPECT_EQ(
          colltree_run({"explain", "bcast", "25", "64K", "--json", "--model", file}).out,
          "{\"algorithm\":\"linear\",\"method\":\"Linear_0K\",\"schema\":\"colltree/explain/1\","
          "\"segment_size\":0}\n");
    }
  }
  EXPECT_EQ(colltree_run({"explain", "reduce", "2", "2", "--json", "--model", compact}).err,
            "colltree: " + compact + ": does not decide for reduce\n");
  EXPECT_EQ(colltree_run({"explain", "bcast", "2", "x", "--json", "--model", compact}).exit_code,
            2);
}

// Another's algorithms of our names: Open MPI's linear and binomial are not ours.
TEST(Emit, ACompactFileCarriesWhoseAlgorithmsItNamesAndWhoRunsOursRefusesAnothers) {
  const std::string model = fresh_path("whose_test.json").string();
  const std::string compact = fresh_path("whose_test.cdt").string();
  const auto emitted = [&](const std::string& provenance, const std::string& source) {
    EXPECT_EQ(colltree_run({"fit", "quadtree", small_profile(provenance, source), "--collective",
                            "bcast", "-o", model})
                  .exit_code,
              0);
    return colltree_run({"emit", "cdt", model, "-o", compact}).err;
  };
  EXPECT_EQ(emitted(profile::kProvenanceMeasured, "openmpi"),
            "note: the methods are algorithms of openmpi, so colltree run refuses this file; emit "
            "rules for openmpi instead, or measure the portable algorithms\n");
  const std::string refusal =
      ": its methods are the algorithms of openmpi, and colltree runs its own of the same names; "
      "emit rules for openmpi from the model, or measure the portable algorithms\n";
  EXPECT_EQ(colltree_run({"run", "--mpi", "openmpi", "--model", compact, "--", "true"}).err,
            "colltree: " + compact + refusal);
  for (const std::string& file : {compact, model}) {
    EXPECT_EQ(
        colltree_run({"verify", "doctor", "--model", file, "--launcher", "no_such_launcher"}).err,
        "colltree: " + file + refusal);
  }
  for (const char* provenance : {profile::kProvenanceMeasured, profile::kProvenanceImported}) {
    EXPECT_EQ(emitted(provenance, "portable"), "");
    EXPECT_THAT(colltree_run({"run", "--model", compact, "--dry-run", "--", "true"}).err,
                Not(HasSubstr("its methods are the algorithms of")));
  }
}

TEST(Fit, AnOctreeIsExplained) {
  const std::string usage = "\nTry 'colltree fit --help'.\n";
  EXPECT_EQ(
      colltree_run({"fit", "octree", small_profile(), "--collective", "bcast"}).err,
      "colltree: an octree is the quadtree of several collectives, or of several numbers of "
      "ranks a node (third=ranks_per_node): write quadtree\nTry 'colltree fit octree --help'.\n");
  EXPECT_EQ(colltree_run({"fit", "--octree"}).err, "colltree: unknown option '--octree'" + usage);
}

TEST(Fit, ADepthLimitCostsWhatItSays) {
  const Outcome fitted =
      colltree_run({"fit", "quadtree", small_profile(), "--collective", "bcast", "--parameters",
                    "max_depth=0", "-o", fresh_path("fit_test.json").string()});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("1 leaves, 1 nodes, depth 0 at most, 0.00 mean"));
  EXPECT_THAT(fitted.out, HasSubstr("mean 50.00 %, median 50.00 %, max 100.00 %"));
}

TEST(Fit, OptimalStatesWhatWasProved) {
  const std::string profile = small_profile();
  const std::string model = fresh_path("fit_test.json").string();
  const auto fit = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"fit",   "optimal", profile, "--collective",
                                      "bcast", "-o",      model};
    words.insert(words.end(), more.begin(), more.end());
    return colltree_run(words);
  };
  const Outcome fitted = fit({"--parameters", "leaves=1"});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("optimal: no tree of 1 leaves that tests communicator_size, "
                                    "message_size has a mean below 50.0000 %"));
  const Json report =
      Json::parse(fit({"--parameters", "leaves=2,power_of_two=true", "--json"}).out);
  EXPECT_EQ(report["certificate"]["status"], "optimal");
  EXPECT_EQ(report["performance_penalty"]["max"], 0.0);
  EXPECT_EQ(report["frontier"], Json::parse("[[1, 0.5], [2, 0.0]]"));
  EXPECT_EQ(
      method_of(colltree_run({"explain", "bcast", "4", "64", "--json", "--model", model}).out),
      "Binomial_0K");
  EXPECT_THAT(fit({"--parameters", "objective=time,leaves=1"}).out,
              HasSubstr("has a time below 15 us"));
  EXPECT_THAT(fit({"--time-limit", "0", "--parameters", "leaves=2"}).out,
              HasSubstr("stopped by a limit: mean 50.0000 %; no tree of 2 leaves that tests "
                        "communicator_size, message_size is below 0.0000 %"));
  EXPECT_EQ(
      fit({"--parameters", "leaves=0"}).err,
      "colltree: optimal: leaves: expected a whole number from 1 to 4096 or auto, got '0'\nTry "
      "'colltree fit optimal --help'.\n");
  EXPECT_EQ(fit({"--parameters", "objective=p100"}).exit_code, 2);
}

TEST(Fit, EveryKindOfTheTableIsACommand) {
  const std::string profile = small_profile();
  for (const char* kind : {"kdtree", "c45-rules"}) {
    const std::string model = fresh_path("fit_test.json").string();
    const Outcome fitted =
        colltree_run({"fit", kind, profile, "--collective", "bcast", "-o", model});
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_EQ(
        method_of(colltree_run({"explain", "bcast", "4", "64", "--json", "--model", model}).out),
        "Binomial_0K")
        << kind;
  }
  EXPECT_EQ(colltree_run({"fit", "rules", profile}).exit_code, 2);  // only read
}

TEST(Fit, MistakesAreOneLine) {
  const std::string profile = small_profile();
  const std::string model = fresh_path("fit_test.json").string();
  EXPECT_EQ(colltree_run({"fit", "quadtre", profile}).err,
            "colltree: unknown command 'quadtre'; did you mean 'quadtree'?\n"
            "Try 'colltree fit --help'.\n");
  EXPECT_EQ(colltree_run({"fit", "quadtree", profile, "--collective", "bcast", "--parameters",
                          "reshape=evn", "-o", model})
                .err,
            "colltree: quadtree: reshape: expected end, even or none, got 'evn'\n"
            "Try 'colltree fit quadtree --help'.\n");
  EXPECT_EQ(colltree_run({"emit", "cc", model, "-o", "x"}).err,
            "colltree: unknown target 'cc'; did you mean 'c'?\nTry 'colltree emit --help'.\n");
}

}  // namespace
}  // namespace colltree::cli
