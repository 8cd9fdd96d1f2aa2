// SPDX-License-Identifier: BSD-3-Clause
// Three dimensions on real timings: ORFEO was measured with two placements, which are one system
// here, so that most communicator sizes come with two numbers of ranks per node.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/test_paths.h"
#include "base/text.h"
#include "cli/test_run.h"
#include "emit/cdt.h"
#include "emit/test_decisions.h"
#include "model/model.h"
#include "model/test_models.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;

// Up to 30 ranks, which is quick.
std::string two_placements(std::string_view collective) {
  const auto source = colltree::testing::data_dir() / "orfeo_epyc_openmpi_bcast_reduce.csv.gz";
  const std::string content = read_file(source);
  std::string csv;
  for (const std::string_view line : split(content, '\n')) {
    const std::vector<std::string_view> fields = split(line, ',');
    const bool header = csv.empty();
    if (!header && (fields.size() < 4 || fields[2] != collective)) continue;
    if (!header && parse_number<std::uint64_t>(fields[3]).value() > 30) continue;
    const std::size_t rest = line.find(',');
    csv += header ? std::string(line) : "orfeo" + std::string(line.substr(rest));
    csv += '\n';
  }
  const auto path = fresh_path("two_placements.db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  profile::import_csv(profile, csv, source.string(), {profile::MessageSizeConvention::kBlock});
  return path.string();
}

// What a map refuses says how to import it, and that does it.
TEST(ThirdAxis, SplitPlacementsMakesMapsOfThem) {
  const std::string profile = two_placements("bcast");
  EXPECT_THAT(colltree_run({"show", profile, "--map", "--collective", "bcast"}).err,
              HasSubstr("'colltree import --split-placements' makes each a system"));
  const Outcome packed =
      colltree_run({"show", profile, "--map", "--collective", "bcast", "--ranks-per-node", "128"});
  EXPECT_EQ(packed.exit_code, 0) << packed.err;
  const std::string csv = fresh_path("exported.csv").string();
  ASSERT_EQ(colltree_run({"export", profile, "-o", csv}).exit_code, 0);
  const std::string split = fresh_path("split.db").string();
  const Outcome imported = colltree_run({"import", csv, "--split-placements", "-o", split});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  const std::string system =
      profile::Profile(split, profile::OpenMode::kRead).systems().front().name;
  EXPECT_THAT(imported.out, HasSubstr(system));
  const Outcome map =
      colltree_run({"show", split, "--map", "--system", system, "--collective", "bcast"});
  EXPECT_EQ(map.exit_code, 0) << map.err;
  EXPECT_EQ(colltree_run({"import", profile, "--split-placements", "-o", split}).err,
            fmt::format("colltree: --split-placements: {0} is a profile; write 'colltree export "
                        "{0} -o F.csv' and import F.csv\nTry 'colltree import --help'.\n",
                        profile));
}

// The octree knows each placement's best method, and so do the files made of it.
TEST(ThirdAxis, PlacementsAreDecidedApart) {
  const std::string profile = two_placements("reduce");
  const std::string model_file = fresh_path("third_axis.json").string();
  ASSERT_EQ(colltree_run({"fit", "quadtree", profile, "--collective", "reduce", "--parameters",
                          "third=ranks_per_node,reshape=none", "-o", model_file})
                .exit_code,
            0);
  const auto model = model::load_model(model_file);
  const model::RuleTree tree = model.rules;
  std::vector<std::unique_ptr<testing::Loaded>> files;
  for (const emit::CdtForm form :
       {emit::CdtForm::kAuto, emit::CdtForm::kTree, emit::CdtForm::kTable}) {
    files.push_back(std::make_unique<testing::Loaded>(emit::make_cdt(tree, {}, form)));
  }
  const Timings timings = surrogate::complete(profile::load_timings(
      profile::Profile(profile, profile::OpenMode::kRead), "orfeo", Collective::kReduce));
  std::size_t differ = 0;
  for (const Instance& at : timings.instances) {
    const Method expected = model.decide(at);
    Instance elsewhere = at;
    std::swap(elsewhere.nodes, elsewhere.ranks_per_node);
    differ += model.decide(elsewhere) == expected ? 0 : 1;
    for (const auto& file : files) {
      ASSERT_EQ(file->decide(at), expected);
      ASSERT_EQ(file->decide(elsewhere), model.decide(elsewhere));
    }
  }
  EXPECT_GT(differ, 10U);
}

}  // namespace
}  // namespace colltree::cli
