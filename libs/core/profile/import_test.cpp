// SPDX-License-Identifier: BSD-3-Clause
#include "profile/import.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/input.h"
#include "base/test_paths.h"
#include "profile/load_timings.h"
#include "profile/test_csv.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

using ::testing::ElementsAre;

const ImportOptions kTotal{MessageSizeConvention::kTotal};

std::string test_data(const std::string& name) {
  return read_file(colltree::testing::data_dir() / (name + ".csv.gz"));
}

Profile imported(const std::string& path, const std::string& text,
                 const ImportOptions& options = {}) {
  Profile profile(fresh_path(path), OpenMode::kWrite);
  import_csv(profile, text, "F.csv", options);
  return profile;
}

std::string csv(const std::string& rows) { return std::string(kCsvHeader) + "\n" + rows; }

TEST(Import, OrfeoHas5376Instances) {
  Profile profile(fresh_path("orfeo.db"), OpenMode::kWrite);
  const std::string text = test_data("orfeo_epyc_openmpi_bcast_reduce");
  const ImportReport report = import_csv(profile, text, "orfeo.csv.gz");
  EXPECT_EQ(report.rows, 25536U);
  EXPECT_THAT(report.systems, ElementsAre("orfeo-epyc-core", "orfeo-epyc-node"));
  EXPECT_FALSE(report.known);
  std::size_t instances = 0;
  for (const SystemInfo& system : profile.systems()) {
    EXPECT_EQ(system.provenance, kProvenanceImported);
    EXPECT_EQ(system.mpi, "openmpi-4.1.5");
    for (const Collective collective : profile.collectives(system.name)) {
      instances += load_timings(profile, system.name, collective).timings.instances.size();
    }
  }
  EXPECT_EQ(instances, 5376U);

  // The same again changes nothing, and what is exported is what was read.
  const std::string exported = export_csv(profile);
  EXPECT_TRUE(import_csv(profile, text, "renamed.csv").known);
  EXPECT_EQ(export_csv(profile), exported);
  EXPECT_EQ(exported, canonical_csv(parse_csv(text, "orfeo.csv.gz")));
  EXPECT_TRUE(import_csv(profile, exported, "exported.csv").known);
  EXPECT_EQ(export_csv(profile), exported);
}

TEST(Import, FugakuTotalsBecomeBlocks) {
  Profile profile(fresh_path("fugaku.db"), OpenMode::kWrite);
  const ImportReport report = import_csv(profile, test_data("fugaku_fjmpi_8coll"), "F.csv", kTotal);
  EXPECT_EQ(report.converted, 272U + 257U + 122U + 115U);  // allgather, alltoall, gather, scatter
  EXPECT_EQ(report.remainders, 0U);
  const auto sizes_of = [&](Collective collective) {
    std::set<std::uint64_t> sizes;
    for (const Instance& instance : load_timings(profile, "fugaku", collective).timings.instances) {
      if (instance.communicator_size == 8) sizes.insert(instance.message_size);
    }
    return sizes;
  };
  EXPECT_EQ(*sizes_of(Collective::kAllgather).begin(), 32U / 8);
  EXPECT_EQ(*sizes_of(Collective::kReduceScatter).begin(), 32U);  // stays the total
  EXPECT_EQ(*sizes_of(Collective::kBcast).begin(), 4U);
  const Profile again = imported("fugaku_again.db", export_csv(profile));  // now blocks
  EXPECT_EQ(export_csv(again), export_csv(profile));
}

TEST(Import, RemaindersAreCountedAndRoundedDown) {
  Profile profile(fresh_path("mare.db"), OpenMode::kWrite);
  const ImportReport report =
      import_csv(profile, test_data("marenostrum5_openmpi_8coll"), "F.csv", kTotal);
  EXPECT_EQ(report.remainders, 32U);  // 60 ranks
  const Timings timings = load_timings(profile, "marenostrum5", Collective::kAllgather).timings;
  EXPECT_EQ(timings.instances[8].communicator_size, 60U);
  EXPECT_EQ(timings.instances[8].message_size, 256U / 60);
}

TEST(Import, TotalsThatBecomeOneBlockAreRefused) {
  Profile profile(fresh_path("collide.db"), OpenMode::kWrite);
  const std::string text =
      csv("s,m,gather,64,,,128,x,,,1\ns,m,gather,64,,,128,y,,,1\ns,m,gather,64,,,130,x,,,1\n");
  EXPECT_EQ(error_of([&] { import_csv(profile, text, "F.csv", kTotal); }),
            "F.csv:4: totals of 128 B (line 2) and 130 B are the same block of 2 B on 64 ranks; "
            "leave one out, or is this file --message-sizes block?");
  EXPECT_TRUE(profile.systems().empty());
}

TEST(Import, TheOtherConventionIsRefused) {
  const std::string text = csv("s,m,gather,4,,,128,x,,,1\n");
  Profile profile = imported("convention.db", text);
  EXPECT_EQ(error_of([&] { import_csv(profile, text, "F.csv", kTotal); }),
            profile.path().string() +
                ": holds these timings of 's' already, imported under the other --message-sizes; "
                "give another file");
  EXPECT_EQ(load_timings(profile, "s", Collective::kGather).timings.instances.size(), 1U);
}

TEST(Import, TheOwnerOfTheAlgorithmsIsKept) {
  const std::string text = csv("s,m,bcast,4,,,128,x,,,1\n");
  Profile profile(fresh_path("owner.db"), OpenMode::kWrite);
  import_csv(profile, text, "F.csv", {.algorithms = "openmpi"});
  EXPECT_EQ(load_timings(profile, "s", Collective::kBcast).timings.algorithms, "openmpi");
  EXPECT_EQ(error_of([&] { import_csv(profile, text, "F.csv"); }),
            profile.path().string() +
                ": holds these timings of 's' already, imported under the other --source; "
                "give another file");
  // One file of the system that does not say it, and it is not known.
  import_csv(profile, csv("s,m,bcast,8,,,128,x,,,1\n"), "G.csv");
  EXPECT_EQ(load_timings(profile, "s", Collective::kBcast).timings.algorithms, "");
}

TEST(Import, RepeatsAreKept) {
  Profile profile(fresh_path("repeats.db"), OpenMode::kWrite);
  const std::string text =
      csv("s,m,bcast,4,,,8,x,,,1\ns,m,bcast,4,,,8,x,,,1\ns,m,bcast,4,,,8,x,,,9\n");
  EXPECT_EQ(import_csv(profile, text, "F.csv").repeats, 1U);
  EXPECT_EQ(load_timings(profile, "s", Collective::kBcast).timings.time_at(0, 0).known_us(), 1);
  EXPECT_EQ(export_csv(profile), text);
}

// Profiles of today know these timings by this.
TEST(Import, IsKnownByTheHashOfItsRowsAsTheyAre) {
  const Profile profile = imported("known.db", csv("=s,m,gather,4,,,128,'x,,,1\n"), kTotal);
  const CampaignInfo info = profile.campaigns().front().info;
  EXPECT_EQ(info.config_hash, content_hash(csv("=s,m,gather,4,,,128,'x,,,1\n")));
  EXPECT_EQ(info.uid, content_hash(csv("=s,m,gather,4,,,32,'x,,,1\n")));
  EXPECT_EQ(export_csv(profile), csv("'=s,m,gather,4,,,32,'x,,,1\n"));
}

TEST(Import, ManyRowsOfManyCellsComeInPieces) {
  std::string rows;
  for (int i = 0; i < 20000; ++i) {
    rows += fmt::format("s{},m,bcast,{},,,{},x,,{},{}\n", i % 2, 2 + i % 5, i % 700, i, 1 + i % 9);
  }
  const Profile profile = imported("many.db", csv(rows));
  EXPECT_EQ(export_csv(profile), canonical_csv(parse_csv(csv(rows), "F.csv")));
  EXPECT_EQ(export_csv(Profile(profile.path(), OpenMode::kRead)), export_csv(profile));
}

TEST(Import, BadFilesChangeNothing) {
  Profile profile(fresh_path("nothing_imported.db"), OpenMode::kWrite);
  EXPECT_EQ(error_of([&] {
              import_csv(profile, csv("s,m,bcast,4,,,8,x,,,1\ns,m,bcast,4,,,8,x,,,0\n"), "F.csv");
            }),
            "F.csv:3: expected time_us from 1e-06 to 1e+15, got '0'");
  profile.begin_campaign(campaign("s"));
  EXPECT_EQ(error_of([&] {  // the first system would fit, the second must not be mixed
              import_csv(profile, csv("a,m,bcast,4,,,8,x,,,1\ns,m,bcast,4,,,8,x,,,1\n"), "F.csv");
            }),
            profile.path().string() +
                ": system 's' stands for another system (timings: simulated, now imported), which "
                "must not be mixed; give another --system NAME or another file");
  EXPECT_EQ(profile.systems().size(), 1U);
}

TEST(Merge, IsAUnionInAnyOrder) {
  const Profile a = imported("a.db", csv("s,m,bcast,4,,,8,x,,,1\ns,m,bcast,4,,,9,x,,,2\n"));
  const Profile b = imported("b.db", csv("s,m,bcast,4,,,8,x,,,3\nt,m,bcast,4,,,9,x,,,2\n"));
  Profile ab(fresh_path("ab.db"), OpenMode::kWrite);
  Profile ba(fresh_path("ba.db"), OpenMode::kWrite);
  merge(ab, a);
  merge(ab, b);
  merge(ba, b);
  merge(ba, a);
  const std::string once = export_csv(ab);
  EXPECT_EQ(once, export_csv(ba));
  EXPECT_EQ(once, csv("s,m,bcast,4,,,8,x,,,1\ns,m,bcast,4,,,8,x,,,3\ns,m,bcast,4,,,9,x,,,2\n"
                      "t,m,bcast,4,,,9,x,,,2\n"));
  EXPECT_EQ(export_csv(ab, "t"), csv("t,m,bcast,4,,,9,x,,,2\n"));
  merge(ab, b);
  merge(ab, ba);
  merge(ab, ab);
  EXPECT_EQ(export_csv(ab), once);
}

TEST(Merge, TwoHalvesOfACampaignBecomeOne) {
  Profile left(fresh_path("left.db"), OpenMode::kWrite);
  Profile right(fresh_path("right.db"), OpenMode::kWrite);
  const Cell shared = cell(8, 1, {"linear", 0}, {1, 2});
  const Cell more = cell(8, 2, {"linear", 0}, {1, 2});
  left.record(left.begin_campaign(campaign("grig")), std::vector{shared});
  right.record(right.begin_campaign(campaign("grig")),
               std::vector{shared, more, failed_cell(8, 4, {"linear", 0}, "crashed")});
  merge(left, right);
  ASSERT_EQ(left.campaigns().size(), 1U);
  const std::vector<Cell> cells = left.cells(left.campaigns()[0].id);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].samples, shared.samples);
  EXPECT_EQ(cells[2].reason, "crashed");
}

TEST(Merge, OfDifferentSystemsUnderOneNameIsRefused) {
  const Profile a = imported("a_other.db", csv("s,m,bcast,4,,,8,x,,,1\n"));
  Profile b = imported("b_other.db", csv("s,n,bcast,4,,,8,x,,,1\n"));
  EXPECT_THAT(error_of([&] { merge(b, a); }),
              ::testing::HasSubstr("system 's' stands for another system (MPI library: n, now m)"));
  EXPECT_EQ(b.campaigns().size(), 1U);
}

const ImportOptions kSplit{MessageSizeConvention::kBlock, true};

std::string placed_row(const std::string& system, int procs, const std::string& nodes,
                       const std::string& ppn, int bytes = 8) {
  return fmt::format("{},mpi-1,bcast,{},{},{},{},linear,0,0,1.5\n", system, procs, nodes, ppn,
                     bytes);
}

std::vector<std::string> split_into(const std::string& rows) {
  Profile profile(fresh_path("P.db"), OpenMode::kWrite);
  return import_csv(profile, csv(rows), "F.csv", kSplit).systems;
}

// As few systems as leave every point one placement.
TEST(SplitPlacements, MakesAsFewSystemsAsNeeded) {
  const struct {
    std::string rows;
    std::vector<std::string> systems;
  } kCases[] = {
      // one placement each: nothing to split, whatever the number of nodes
      {placed_row("s", 4, "2", "2") + placed_row("s", 8, "2", "4"), {"s"}},
      {placed_row("s", 4, "", ""), {"s"}},
      // 8 ranks on 8 nodes or on 2; 16 too
      {placed_row("s", 8, "8", "1") + placed_row("s", 8, "2", "4") + placed_row("s", 16, "4", "4"),
       {"s-ppn1", "s-ppn4"}},
      // half-empty nodes: the ranks per node do not tell them apart
      {placed_row("s", 8, "2", "16") + placed_row("s", 8, "4", "16"), {"s-nodes2", "s-nodes4"}},
      {placed_row("s", 8, "2", "16") + placed_row("s", 8, "4", "16") + placed_row("s", 8, "2", "8"),
       {"s-2x16", "s-2x8", "s-4x16"}},
      // what does not say stays; another system is left alone
      {placed_row("s", 8, "", "") + placed_row("s", 8, "2", "4") + placed_row("t", 8, "2", "4"),
       {"s", "s-ppn4", "t"}},
      {placed_row("s", 8, "", "1") + placed_row("s", 8, "", "4"), {"s-ppn1", "s-ppn4"}},
      // other sizes are other points
      {placed_row("s", 8, "8", "1") + placed_row("s", 8, "2", "4", 16), {"s"}},
  };
  for (const auto& one : kCases) EXPECT_EQ(split_into(one.rows), one.systems) << one.rows;
}

TEST(SplitPlacements, GivesTablesOfOnePlacement) {
  Profile profile(fresh_path("P.db"), OpenMode::kWrite);
  const std::string text = csv(placed_row("s", 8, "8", "1") + placed_row("s", 8, "2", "4") +
                               placed_row("s", 16, "4", "4"));
  EXPECT_FALSE(import_csv(profile, text, "F.csv", kSplit).known);
  EXPECT_EQ(load_timings(profile, "s-ppn4", Collective::kBcast).timings.instances.size(), 2U);
  EXPECT_EQ(load_timings(profile, "s-ppn1", Collective::kBcast).timings.instances.size(), 1U);
  EXPECT_EQ(profile.require_system("s-ppn4").mpi, "mpi-1");
  EXPECT_TRUE(import_csv(profile, text, "F.csv", kSplit).known);
  // An export holds the new names and is the same campaign.
  EXPECT_TRUE(import_csv(profile, export_csv(profile), "G.csv").known);
}

TEST(SplitPlacements, NeverMixesTwoSystems) {
  try {
    split_into(placed_row("s", 8, "8", "1") + placed_row("s", 8, "2", "4") +
               placed_row("s-ppn4", 8, "2", "4"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "placements of system 's' would be mixed with system 's-ppn4' of the same file: "
                 "rename one");
  }
}

}  // namespace
}  // namespace colltree::profile
