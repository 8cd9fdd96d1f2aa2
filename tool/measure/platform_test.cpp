// SPDX-License-Identifier: BSD-3-Clause
#include "measure/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/test_scratch.h"
#include "measure/installed_library.h"

namespace colltree::measure {

namespace {

TEST(Platform, OursAreFoundByName) {
  for (const char* name : {"grig", "frodo", "nano", "modern"}) {
    const Platform platform = find_platform(name);
    EXPECT_EQ(platform.name, name);
    EXPECT_EQ(platform.grid, name);
    EXPECT_EQ(platform.selector, "ompi");
    EXPECT_EQ(platform.hash, content_hash(read_file(platform.file)));
  }
}

TEST(Platform, OursOf2025HaveWholeNodes) {
  for (const char* name : {"fattree200", "fattree400", "dragonfly200", "dragonfly400"}) {
    const Platform platform = find_platform(name);
    EXPECT_EQ(platform.grid, "cluster");
    EXPECT_EQ(platform.ranks_per_node, 64U);
    EXPECT_THAT(platform.title, ::testing::HasSubstr("4096 nodes of 64 cores"));
  }
}

TEST(Platform, UnknownNamesAndFilesAreExplained) {
  EXPECT_EQ(
      error_of([] { find_platform("grik"); }),
      "unknown platform 'grik'; did you mean 'grig'?; known are dragonfly200, "
      "dragonfly400, fattree200, fattree400, frodo, grig, modern, nano, or give the path of a "
      "SimGrid platform file");
  EXPECT_EQ(error_of([] { find_platform("/no/such.xml"); }),
            "/no/such.xml: cannot open: No such file or directory");
  const std::string empty = fresh_path("empty.xml").string();
  write_file(empty, "<html/>");
  EXPECT_EQ(error_of([&] { find_platform(empty); }),
            empty + ": is not a SimGrid platform file (no <platform> element)");
  write_file(empty, "<platform version=\"4.1\"></platform>");
  EXPECT_EQ(error_of([&] { find_platform(empty); }),
            empty +
                ": has no <zone> and so no hosts to simulate; docs/tasks/simulating.md says what a "
                "platform needs");
}

TEST(Programs, AMissingOneIsReportedWithWhereItWasLookedFor) {
  const std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string above = std::filesystem::path(here).parent_path();
  EXPECT_EQ(error_of([] { find_program("colltree-measure-nompi"); }),
            "the program colltree-measure-nompi is not in " + here + ", " + above + ", " + above +
                "/libexec/colltree; it is built where its MPI library is installed "
                "(tools/install_dependencies.sh), and copied with colltree by cmake --install");
  EXPECT_EQ(try_program("colltree-measure-nompi"), std::nullopt);
}

TEST(LibraryName, AProgramThatDoesNotSayItHasARemedy) {
  const std::string program = fresh_path("measure").string();
  const auto said_by = [&](const std::string& script) {
    write_file(program, "#!/bin/sh\n" + script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return error_of([&] { library_version(program); });
  };
  EXPECT_EQ(
      said_by("echo 'no libmpi.so' >&2; exit 127"),
      program + " does not run (exit code 127): no libmpi.so; fix this and rerun the same command");
  EXPECT_EQ(said_by("kill -9 $$"),
            program + " does not run (signal 9 (Killed)): ; fix this and rerun the same command");
}

TEST(LibraryName, IsShortAndHasTheVersion) {
  EXPECT_EQ(short_library_name("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            "openmpi-4.1.4");
  EXPECT_EQ(short_library_name("MPICH Version:\t4.0.2"), "mpich-4.0.2");
  EXPECT_EQ(short_library_name("MPICH Version:      4.2.1\nMPICH Release date: Wed Apr 17"),
            "mpich-4.2.1");
  EXPECT_EQ(short_library_name("SMPI Version 3.32"), "smpi-3.32");
  EXPECT_EQ(short_library_name("Some, \"other\" MPI"), "Some   other  MPI");
}

TEST(Launcher, WordsAreSplitAsAShellWould) {
  EXPECT_THAT(split_command("mpirun  -np {ranks} -x 'A B' \"c\\\"d\" e\\ f ''"),
              ::testing::ElementsAre("mpirun", "-np", "{ranks}", "-x", "A B", "c\"d", "e f", ""));
  EXPECT_EQ(error_of([] { split_command("mpirun 'x"); }), "--launcher: the quote ' is not closed");
  EXPECT_EQ(error_of([] { split_command("  "); }),
            "--launcher: is empty; write for example 'mpirun -np {ranks}'");
}

std::vector<double> factors(const NoiseModel& noise, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(noise_factor(noise, "bcast 4 1024 binomial 0", static_cast<std::uint64_t>(i)));
  std::ranges::sort(values);
  return values;
}

TEST(Noise, OffIsExactlyOne) {
  EXPECT_EQ(noise_factor(parse_noise("off"), "x", 3), 1);
  EXPECT_EQ(format_noise({}), "off");
}

TEST(Noise, SpreadIsTheQuartileRangeAndTheMedianIsOne) {
  const std::vector<double> values = factors(parse_noise("spread=0.2"), 40001);
  EXPECT_NEAR(values[20000], 1, 0.005);
  EXPECT_NEAR((values[30000] - values[10000]) / values[20000], 0.2, 0.01);
}

TEST(Noise, OutliersComeAsOftenAsAsked) {
  const std::vector<double> values = factors(parse_noise("outliers=0.1,factor=5"), 20000);
  const auto hit = std::ranges::count_if(values, [](double factor) { return factor > 1; });
  EXPECT_NEAR(static_cast<double>(hit) / 20000, 0.1, 0.01);
  EXPECT_LE(values.back(), 5);
}

TEST(Noise, DependsOnSeedCellAndRepetitionOnly) {
  const NoiseModel noise = parse_noise("spread=0.1,seed=7");
  EXPECT_EQ(noise_factor(noise, "a", 1), noise_factor(noise, "a", 1));
  EXPECT_NE(noise_factor(noise, "a", 1), noise_factor(noise, "a", 2));
  EXPECT_NE(noise_factor(noise, "a", 1), noise_factor(noise, "b", 1));
  EXPECT_NE(noise_factor(noise, "a", 1), noise_factor(parse_noise("spread=0.1,seed=8"), "a", 1));
}

TEST(Noise, BoundsAreNamed) {
  try {
    parse_noise("spread=0.1,outliers=2");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--noise: outliers: expected a number from 0 to 1, got '2'");
  }
}

TEST(Noise, AWordIsGivenOnce) {
  try {
    parse_noise("spread=0.1,seed=1,spread=0.2");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--noise: spread: given twice; give it once");
  }
}

TEST(Noise, TextReadsBackAndBadTextIsRefused) {
  const NoiseModel noise = parse_noise("seed=9,factor=3,spread=0.05,outliers=0.01");
  EXPECT_EQ(parse_noise(format_noise(noise)), noise);
  for (const char* bad : {"", "on", "spread", "spread=", "spread=-1", "spread=nan", "spread=0.1,",
                          "seed=1.5", "spred=1", "outliers=2", "outliers=inf", "factor=0.5",
                          "factor=-1", "seed=-1", "spread=1e9"}) {
    EXPECT_THROW(parse_noise(bad), UsageError) << bad;
  }
}

}  // namespace

}  // namespace colltree::measure
