// SPDX-License-Identifier: BSD-3-Clause
// `colltree import` of what benchmarks print: several files at once, by their names.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/test_paths.h"
#include "cli/test_run.h"
#include "profile/csv.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;

std::string results(const std::string& name) {
  return (colltree::testing::data_dir() / "imports" / name).string();
}

std::string osu_bcast(const std::string& rows) {
  return "# OSU MPI Broadcast Latency Test v7.3\n# Datatype: MPI_CHAR.\n# Size       Avg "
         "Latency(us)\n" +
         rows;
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = fresh_path(name).string();
  write_file(path, text);
  return path;
}

// Three methods at two communicator sizes, in files named after them.
std::vector<std::string> six_files() {
  std::vector<std::string> files;
  for (const int ranks : {4, 8}) {
    for (const char* method : {"default", "binomial", "chain_64K"}) {
      const double time_us = ranks * 1.5 + static_cast<double>(std::string(method).size());
      files.push_back(
          written(fmt::format("osu_bcast_{}_{}.txt", method, ranks),
                  osu_bcast(fmt::format("1      {}\n131072      {}\n", time_us, 10 * time_us))));
    }
  }
  return files;
}

TEST(ImportBenchmarks, SeveralFilesByTheirNames) {
  std::vector<std::string> files = six_files();
  // "chain_64K" is a name without a pattern's {segment}
  const std::string db = fresh_path("P.db").string();
  std::vector<std::string> words = {"import"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), {"--name-pattern", "osu_{collective}_{method}_{ranks}.txt", "--system",
                             "nano", "--mpi", "openmpi-4.1.5", "-o", db});
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(
      outcome.out,
      HasSubstr(files[0] + " (osu, OSU MPI Broadcast Latency Test v7.3): 2 rows of nano -> " + db +
                "\n"));
  EXPECT_EQ(colltree_run({"export", db, "-o", "-"}).out,
            std::string(profile::kCsvHeader) +
                "\nnano,openmpi-4.1.5,bcast,4,,,1,binomial,,,14\n"
                "nano,openmpi-4.1.5,bcast,4,,,1,chain_64k,,,15\n"
                "nano,openmpi-4.1.5,bcast,4,,,1,default,,,13\n"
                "nano,openmpi-4.1.5,bcast,4,,,131072,binomial,,,140\n"
                "nano,openmpi-4.1.5,bcast,4,,,131072,chain_64k,,,150\n"
                "nano,openmpi-4.1.5,bcast,4,,,131072,default,,,130\n"
                "nano,openmpi-4.1.5,bcast,8,,,1,binomial,,,20\n"
                "nano,openmpi-4.1.5,bcast,8,,,1,chain_64k,,,21\n"
                "nano,openmpi-4.1.5,bcast,8,,,1,default,,,19\n"
                "nano,openmpi-4.1.5,bcast,8,,,131072,binomial,,,200\n"
                "nano,openmpi-4.1.5,bcast,8,,,131072,chain_64k,,,210\n"
                "nano,openmpi-4.1.5,bcast,8,,,131072,default,,,190\n");
  const std::string shown = colltree_run({"show", db}).out;
  EXPECT_THAT(shown, HasSubstr("nano"));
  EXPECT_THAT(shown, HasSubstr("source osu_bcast_binomial_8.txt  options {\"format\":\"osu\""));
  EXPECT_THAT(shown, HasSubstr("bcast: 4 instances, 2 methods and the default"));
  EXPECT_THAT(colltree_run(words).out,
              HasSubstr("nothing changed: these timings are there already"));
}

TEST(ImportBenchmarks, SegmentsInNames) {
  const std::string file = six_files()[2];  // osu_bcast_chain_64K_4.txt
  const std::string db = fresh_path("P.db").string();
  EXPECT_EQ(
      colltree_run({"import", file, "--name-pattern",
                    "osu_{collective}_{method}_{segment}_{ranks}.txt", "--system", "s", "-o", db})
          .exit_code,
      0);
  EXPECT_THAT(colltree_run({"export", db, "-o", "-"}).out,
              HasSubstr("\ns,,bcast,4,,,131072,chain,65536,,150\n"));
}

// An error in one file leaves nothing of the others.
TEST(ImportBenchmarks, AllFilesOrNone) {
  const std::string good = written("good_4.txt", osu_bcast("1 1.5\n"));
  const std::string bad = written("bad_4.txt", osu_bcast("2\n"));
  const std::string db = fresh_path("P.db").string();
  const Outcome outcome = colltree_run(
      {"import", good, bad, "--name-pattern", "*_{ranks}.txt", "--system", "s", "-o", db});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "colltree: " + bad + ":4: expected 2 words, one for each column, got '2'\n");
  EXPECT_FALSE(std::filesystem::exists(db));
  // nor in a profile that was there
  ASSERT_EQ(colltree_run({"import", good, "--communicator-sizes", "2", "--system", "s", "-o", db})
                .exit_code,
            0);
  const std::string before = colltree_run({"export", db, "-o", "-"}).out;
  EXPECT_EQ(colltree_run(
                {"import", good, bad, "--name-pattern", "*_{ranks}.txt", "--system", "s", "-o", db})
                .exit_code,
            1);
  EXPECT_EQ(colltree_run({"export", db, "-o", "-"}).out, before);
}

TEST(ImportBenchmarks, WhatIsLeftOutIsSaid) {
  const std::string file = results("imb/v3.2_pingpong_allreduce.txt");
  const std::string db = fresh_path("P.db").string();
  EXPECT_EQ(colltree_run({"import", file, "--system", "s", "-o", db}).out,
            file + " (imb, Intel (R) MPI Benchmark Suite V3.2, MPI-1 part): 3 rows of s -> " + db +
                "\n  left out: tables of PingPong, which is no collective (1)\n");
}

TEST(ImportBenchmarks, RunsThatFallIntoOneCellAreSaid) {
  const std::string one = written("np2.txt", osu_bcast("1 1.00\n64 2.00\n"));
  const std::string two = written("np8.txt", osu_bcast("1 9.00\n64 9.10\n128 9.20\n"));
  const std::string db = fresh_path("P.db").string();
  EXPECT_THAT(
      colltree_run({"import", one, two, "--system", "s", "--communicator-sizes", "8", "-o", db})
          .out,
      ::testing::EndsWith("-> " + db + "\n  2 sizes stand in " + one +
                          " too and are kept as repeats of one run; a run with other ranks or "
                          "settings needs a system of its own\n"));
  // Where the files tell them apart they are refused.
  std::string of_int = osu_bcast("1 1.00\n");
  const std::string chars = written("char.txt", of_int);
  of_int.replace(of_int.find("CHAR"), 4, "INT");
  const std::string ints = written("int.txt", of_int);
  EXPECT_THAT(
      colltree_run({"import", chars, ints, "--system", "s", "--communicator-sizes", "8", "-o", db})
          .err,
      ::testing::HasSubstr("this size stands in " + chars +
                           " too, of another run: datatype MPI_CHAR and MPI_INT; import each run "
                           "with a --system of its own"));
}

// Two outputs, import, compare: the walk of docs/tasks/importing.md.
TEST(ImportBenchmarks, TwoRunsStandBesideEachOther) {
  const auto import = [](const std::string& text, const std::string& system) {
    const std::string db = fresh_path(system + ".db").string();
    EXPECT_EQ(colltree_run({"import", written(system + ".txt", text), "--system", system,
                            "--communicator-sizes", "8", "-o", db})
                  .err,
              "");
    return db;
  };
  const std::string one = import(osu_bcast("1 1.00\n64 2.00\n"), "one");
  const std::string two = import(osu_bcast("1 1.50\n64 1.00\n"), "two");
  const Outcome beside = colltree_run({"evaluate", "compare", one, two});
  EXPECT_EQ(beside.err, "");
  EXPECT_EQ(
      beside.out,
      "one.db: one (imported)\ntwo.db: two (imported)\n"
      "bcast: times in us, beside those of one.db default\n"
      "     ranks      bytes      one.db default      two.db default\n"
      "         8          1                1.00    1.50     +50.0 %\n"
      "         8         64                2.00    1.00     -50.0 %\n"
      "  two.db default: faster at 1 of 2 sizes, slower at 1, no difference at 0; takes 0.866 "
      "times as long (geometric mean)\n"
      "  one.db, two.db: times without repeats, so their noise is not known\n");
  EXPECT_EQ(colltree_run({"import", two, "-o", one}).exit_code, 0);
  EXPECT_THAT(colltree_run({"evaluate", "compare", one, two, "--system", "two"}).out,
              HasSubstr("beside those of one.db default\n"));
  EXPECT_EQ(colltree_run({"evaluate", "compare", two}).err,
            "colltree: " + two +
                ": of bcast on two only the library's own choice was measured, so there is nothing "
                "to choose from; 'colltree evaluate compare two.db OTHER.db' sets it beside "
                "another run or "
                "profile\n");
  EXPECT_EQ(colltree_run({"evaluate", "compare", two, one, "-o", "-"}).exit_code, 2);
}

// A decision is fitted to them and written as rules of the library, whose sizes differ.
TEST(ImportBenchmarks, TuningOfOpenMpiBecomesRules) {
  const std::string db = fresh_path("P.db").string();
  const std::string model = fresh_path("M.json").string();
  const std::string rules = fresh_path("F.rules").string();
  ASSERT_EQ(
      colltree_run({"import", results("ompi-tuning/gather/detail.out"), "--system", "s", "-o", db})
          .exit_code,
      0);
  ASSERT_EQ(colltree_run({"fit", "quadtree", db, "--collective", "gather", "-o", model}).err, "");
  ASSERT_EQ(colltree_run({"emit", "openmpi-4.1", model, "-o", rules}).exit_code, 0);
  EXPECT_EQ(colltree_run({"check", rules, "--for", "openmpi-4.1"}).exit_code, 0);
}

TEST(ImportBenchmarks, WrongUsageIsSaid) {
  const std::string osu = written("osu_4.txt", osu_bcast("1 1.5\n"));
  const std::string csv =
      written("F.csv", std::string(profile::kCsvHeader) + "\ns,m,bcast,2,,,8,linear,,,1\n");
  const std::string julia = written("J.csv", "size (bytes),iteratons,avg_time (seconds)\n0,1,2\n");
  const std::string other = written("O.csv", "size,t\n8,1\n");
  const std::string nothing = written("notes.txt", "what I did on Monday\n");
  const std::string empty = written("empty.txt", "");
  const std::string known = fmt::format(
      ":1: expected the CSV header '{}' or the output of osu, imb, nccl-tests, reprompi, "
      "ompi-tuning, pico, got ",
      profile::kCsvHeader);
  const std::string only = ": a CSV file says this itself; ";
  const struct {
    std::vector<std::string> words;
    int exit_code;
    std::string error;
  } kCases[] = {
      {{nothing}, 1, nothing + known + "'what I did on Monday'"},
      {{empty}, 1, empty + known + "''"},
      {{osu},
       2,
       osu + ":4: the file does not say the communicator size: give --communicator-sizes N, or "
             "{ranks} in --name-pattern"},
      {{osu, "--communicator-sizes", "4"},
       2,
       osu + ":4: the file does not say the system: give --system NAME, or {system} in "
             "--name-pattern"},
      {{osu, "--message-sizes", "block"}, 2, osu + ":4: the file does not say"},
      {{osu, "--message-sizes", "block", "--system", "s", "--communicator-sizes", "4"},
       2,
       osu + ": it is OSU micro-benchmarks, whose sizes are known: --message-sizes is for CSV"},
      {{osu, "--system", "s", "--communicator-sizes", "4", "--columns", "time=median"},
       2,
       osu + ": --columns time=NAME of osu: expected avg, min, max, got 'median'"},
      {{osu, "--system", "s", "--communicator-sizes", "4", "--columns", "time=max"},
       1,
       osu + ":4: expected the columns that OSU's option -f adds, got "},
      {{osu, "--format", "imb", "--system", "s"},
       1,
       osu + ":4: the file ends before '# Benchmarking NAME'"},
      {{osu, "--format", "csv"}, 1, osu + ":1: expected the header 'system,"},
      {{osu, "--format", "skampi"},
       2,
       "--format: skampi not in {osu,imb,nccl-tests,reprompi,ompi-tuning,pico,csv,kit}"},
      {{osu, "--collective", "bcats"}, 1, "unknown collective 'bcats'; did you mean 'bcast'?"},
      {{osu, "--name-pattern", "{ranks"}, 2, "--name-pattern: a '{' without its '}'"},
      {{osu, "--name-pattern", "imb_{ranks}.txt"},
       1,
       osu + ": 'osu_4.txt' does not fit --name-pattern 'imb_{ranks}.txt'"},
      {{csv, "--system", "s"}, 2, csv + only + "--system is for the output of benchmarks"},
      {{csv, "--methods", "x"}, 2, csv + only + "--methods is for the output of benchmarks"},
      {{csv, "--name-pattern", "*"}, 2, csv + only + "--name-pattern is for"},
      {{csv, "--communicator-sizes", "4"}, 2, csv + only + "--communicator-sizes is for"},
      {{julia, "--system", "s"}, 1, julia + ":1: this is the output of MPIBenchmarks.jl, a format"},
      {{other, "--system", "s"},
       1,
       other + ":1: expected the header '" + std::string(profile::kCsvHeader) +
           "', got 'size,t'; for another table say what its columns are: --columns procs=NAME"},
      {{osu, "--format", "osu", "--columns", "procs=n"},
       2,
       osu + ": --columns is for CSV, not for osu"},
  };
  for (const auto& one : kCases) {
    std::vector<std::string> words = {"import", "-o", fresh_path("P.db").string()};
    words.insert(words.begin() + 1, one.words.begin(), one.words.end());
    const Outcome outcome = colltree_run(words);
    EXPECT_EQ(outcome.exit_code, one.exit_code) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::StartsWith("colltree: " + one.error));
    EXPECT_FALSE(std::filesystem::exists(words.back()));
  }
}

}  // namespace
}  // namespace colltree::cli
