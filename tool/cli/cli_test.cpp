// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/test_scratch.h"
#include "cli/command.h"
#include "cli/test_run.h"

namespace colltree::cli {
namespace {

TEST(Cli, EveryCommandHasHelpWithAnExample) {
  for (const Command& command : commands()) {
    std::vector<std::string> words = {command.name, "--help"};
    if (command.above != nullptr) words.insert(words.begin(), command.above);
    const Outcome outcome = colltree_run(words);
    EXPECT_EQ(outcome.exit_code, 0) << command.name;
    EXPECT_THAT(outcome.out, ::testing::HasSubstr(command.example));
  }
}

TEST(Cli, WrongUsageSuggestsAndExitsWithTwo) {
  struct Case {
    std::vector<std::string> words;
    std::string error;
  };
  const Case cases[] = {
      {{"measure", "methods", "--colective", "bcast"},
       "colltree: unknown option '--colective'; did you mean '--collective'?\nTry 'colltree "
       "measure methods --help'.\n"},
      {{"methods"},
       "colltree: unknown command 'methods'; did you mean 'measure methods'?\nTry 'colltree "
       "--help'.\n"},
      {{"measure", "methods", "extra"},
       "colltree: unexpected argument 'extra'\nTry 'colltree measure methods --help'.\n"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = colltree_run(one.words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, one.error);
  }
}

TEST(Cli, HelpNamesACommandInEitherOrder) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"tune"}, {"measure", "kit"}, {}}) {
    std::vector<std::string> before{"help"};
    before.insert(before.end(), words.begin(), words.end());
    std::vector<std::string> behind = words;
    behind.emplace_back("--help");
    const Outcome help = colltree_run(before);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.out, colltree_run(behind).out);
    EXPECT_THAT(help.out, ::testing::HasSubstr("Usage: colltree"));
  }
  EXPECT_EQ(colltree_run({"help", "tunes"}).err,
            "colltree: unknown command 'tunes'; did you mean 'tune'?\nTry 'colltree --help'.\n");
}

TEST(Cli, NoWordsShowTheFirstSteps) {
  const Outcome outcome = colltree_run({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, ::testing::HasSubstr("colltree help COMMAND"));
  EXPECT_LT(std::ranges::count(outcome.out, '\n'), 15);
}

TEST(Cli, AProgramGetsItsWordsAsTheyAre) {
  const std::string record = fresh_path("calls.csv").string();
  const Outcome outcome = colltree_run(
      {"run", "--dry-run", "--record", record, "--mpi", "openmpi", "--", "./a", "[1,2]", "--help"});
  if (outcome.exit_code != 0) GTEST_SKIP() << outcome.err;  // without a flavour of MPI
  EXPECT_THAT(outcome.out, ::testing::HasSubstr("./a '[1,2]' --help"));
}

TEST(Cli, UnknownCollectiveExitsWithOne) {
  const Outcome outcome = colltree_run({"measure", "methods", "--collective", "bcats"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "colltree: unknown collective 'bcats'; did you mean 'bcast'?\n");
}

TEST(Cli, WhatNobodyForesawIsAPlainSentence) {
  const std::string called = "colltree fit";
  EXPECT_EQ(explain_failure(Error("F:3: expected a number"), called), "F:3: expected a number");
  EXPECT_EQ(explain_failure(std::bad_alloc(), called),
            "'colltree fit' needs more memory than there is; ask for less at once");
  const std::filesystem::filesystem_error file("status", "P.db",
                                               std::make_error_code(std::errc::filename_too_long));
  EXPECT_EQ(explain_failure(file, called), "P.db: File name too long");
  EXPECT_EQ(explain_failure(std::out_of_range("map::at"), called),
            "'colltree fit' met something that it was not written for; please report the whole "
            "command line with this: map::at");
}

TEST(Cli, ANameThatIsTooLongIsAFileThatCannotBe) {
  const Outcome outcome =
      colltree_run({"explain", "bcast", "4", "8", "--json", "--model", std::string(300, 'x')});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("File name too long"));
  EXPECT_THAT(outcome.err, ::testing::Not(::testing::HasSubstr("filesystem error")));
}

TEST(Cli, ValuesOfTwoPartsAreReadStrictly) {
  const struct {
    std::vector<std::string> words;
    std::string error;
  } kBad[] = {
      {{"measure", "--platform", "grig", "-o", "P.db", "--samples", "5..2"},
       "--samples: expected MIN..MAX or one number, each a whole number from 1 to 1000000, got "
       "'5..2'"},
      {{"measure", "--platform", "grig", "-o", "P.db", "--samples", "5.."},
       "--samples: expected MIN..MAX or one number, each a whole number from 1 to 1000000, got "
       "'5..'"},
      {{"tune", "--platform", "grig", "-o", "T", "--sessions", "4:x"},
       "--sessions: expected a number from 0 to 720, got 'x'"},
      {{"tune", "--platform", "grig", "-o", "T", "--sessions", "13"},
       "--sessions: expected a whole number from 0 to 12, got '13'"},
      {{"verify", "--launcher", "false", "--communicator-sizes", "2", "--rules"},
       "--rules: 1 required TEXT missing"},
  };
  for (const auto& [words, error] : kBad) {
    const Outcome outcome = colltree_run(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, ::testing::StartsWith("colltree: " + error + "\n"));
  }
}

// scan is not among those that are measured otherwise.
TEST(Cli, AMixNamesItsCollectives) {
  const std::string mix = fresh_path("mix.csv").string();
  write_file(mix, "collective,communicator_size,message_size,calls\nscan,4,8,1\n");
  const auto run =
      colltree_run({"tune", "--dry-run", "--platform", "grig", "--mix", mix, "-o", "T"});
  if (run.err.find("colltree-simulate") != std::string::npos) GTEST_SKIP() << run.err;
  EXPECT_THAT(run.out, ::testing::StartsWith("T: 4 cells, "));
}

// The line is said before any job starts; the job here fails.
TEST(Cli, WhichAllocationWasTakenIsSaid) {
  const std::string profile = fresh_path("allocation.db").string();
  ::setenv("SLURM_JOB_ID", "1", 1);
  ::setenv("SLURM_TASKS_PER_NODE", "4(x3),2", 1);
  const auto measured = [&] {
    return colltree_run({"measure", "--launcher", "/bin/false {ranks}", "--mpi", "openmpi",
                         "--collective", "bcast", "--communicator-sizes", "auto", "--message-sizes",
                         "8", "--system", "x", "-o", profile})
        .err;
  };
  EXPECT_THAT(measured(),
              ::testing::StartsWith("colltree: --communicator-sizes auto: up to 14 ranks, 4 on a "
                                    "node, by SLURM_TASKS_PER_NODE\n"));
  ::setenv("SLURM_HET_SIZE", "2", 1);
  EXPECT_THAT(measured(),
              ::testing::StartsWith("colltree: --communicator-sizes auto: this is a job "
                                    "of Slurm (SLURM_JOB_ID is set), heterogeneous"));
  for (const char* name : {"SLURM_JOB_ID", "SLURM_TASKS_PER_NODE", "SLURM_HET_SIZE"})
    ::unsetenv(name);
}

TEST(Cli, MethodsListsTheCatalogue) {
  EXPECT_THAT(
      colltree_run({"measure", "methods"}).out,
      ::testing::HasSubstr(
          "split_binary           segments none, 1K..128K; needs 3 ranks, 2 bytes, else runs as "
          "binary"));
}

TEST(Cli, MethodsOfALibrarySayWhatTheyTakeAndNeed) {
  const std::string text = colltree_run({"measure", "methods", "--source", "mpich"}).out;
  const auto line = [](const char* algorithm, const char* said) {
    return ::testing::HasSubstr(fmt::format("\n  {:<45} {}\n", algorithm, said));
  };
  EXPECT_THAT(text, line("scatter_recursive_doubling_allgather", "needs a power of two of ranks"));
  EXPECT_THAT(text, line("nb_tsp_tree", "segments, radix"));
  EXPECT_THAT(text,
              line("nb_tsp_tree_knomial_1",
                   "segments, radix; a job of its own: MPIR_CVAR_IBCAST_TREE_TYPE=knomial_1"));
  EXPECT_THAT(text, ::testing::HasSubstr("\nbarrier\n  nb\n"));
  const std::string openmpi = colltree_run({"measure", "methods", "--source", "openmpi"}).out;
  EXPECT_THAT(openmpi, line("knomial", "segments, radix"));
  EXPECT_THAT(openmpi, line("knomial", "radix; since 6.0"));
  EXPECT_THAT(openmpi, ::testing::Not(::testing::HasSubstr("a job of its own")));
}

}  // namespace
}  // namespace colltree::cli
