// SPDX-License-Identifier: BSD-3-Clause
// Outputs of benchmarks as they stand in logs of users: every way of labelling, indenting and
// interrupting them gives the rows of the bare output.
#include "profile/importers/log_lines.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/input.h"
#include "base/test_paths.h"
#include "base/text.h"
#include "profile/importers/results_file.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

// One line each: "bcast 4 1024 1.5", then what was left out and noted; or the error.
std::string log_rows(const std::string& text, std::optional<std::uint64_t> ranks,
                     const std::string& format = "") {
  ResultsOptions options;
  options.format = format;
  options.given.system = "s";
  options.given.communicator_size = ranks;
  std::string said;
  ResultsFile file("F", options, [&](const CsvRow& row) {
    said +=
        fmt::format("{} {} {} {}\n", name(row.instance.collective), row.instance.communicator_size,
                    row.instance.message_size, row.sample.time_us);
  });
  try {
    LineSplitter splitter("F", [&](std::string_view line) { file.line(line); });
    splitter.add(text);
    splitter.end();
    file.end();
  } catch (const Error& error) {
    return error.what();
  }
  for (const auto& [what, counted] : file.rows().left_out())
    said += fmt::format("left out: {} {}\n", what, counted.text());
  for (const auto& [what, counted] : file.rows().notes())
    said += fmt::format("{} {}\n", what, counted.text());
  return said;
}

const std::string kLogOsu =
    "\n# OSU MPI Allreduce Latency Test v7.5\n# Datatype: MPI_INT.\n"
    "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations        "
    "Validation\n"
    "4                      11.69             10.69             12.69        1000              "
    "Pass\n"
    "268435456          133576.21         133576.11         133576.31          10              "
    "Pass\n";
const std::string kLogImb =
    "#----------------------------------------------------------------\n"
    "#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part\n"
    "# Benchmarking Bcast \n# #processes = 4 \n"
    "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
    "            1         1000         0.65         6.07         3.36\n"
    "            2         1000         0.82         6.21         3.51\n";
const std::string kLogNccl =
    "# nThread 1 nGpus 2 minBytes 64 maxBytes 128 step: 2(factor)\n"
    "# Collective test starting: all_reduce_perf\n# Using devices\n"
    "#   Rank  0 Pid  21284 on   node-3 device  0 [0x2f] Tesla V100-SXM2-32GB\n"
    "#   Rank  1 Pid  21284 on   node-3 device  1 [0x03] Tesla V100-SXM2-32GB\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
    "          64             8     float     sum      -1    17.25    0.00    0.00       0\n"
    "         128            16     float     sum      -1    17.75    0.01    0.00       0\n"
    "# Out of bounds values : 0 OK\n";
const std::string kLogRepro =
    "#@datatype_size_bytes=1\n#@nprocs=4\n"
    "                  test       nrep        count    runtime_sec\n"
    "         MPI_Allreduce          0            1   0.0000109819\n"
    "         MPI_Allreduce          1            1   0.0000030911\n";

std::string each_line(const std::string& text,
                      const std::function<std::string(std::string_view)>& of) {
  std::string made;
  const std::string_view lines = std::string_view(text).substr(0, text.size() - 1);
  for (const std::string_view line : split(lines, '\n')) made += of(line) + "\n";
  return made;
}

std::string without_notes(const std::string& said) {
  std::string rows;
  for (const std::string_view line : split(said, '\n'))
    if (!line.empty() && line.find("in front of the lines") == std::string_view::npos)
      rows += std::string(line) + "\n";
  return rows;
}

// Of the outputs above only OSU's does not say them.
std::optional<std::uint64_t> ranks_for(const std::string& output) {
  return output == kLogOsu ? std::optional<std::uint64_t>(4) : std::nullopt;
}

class BareLogs : public ::testing::TestWithParam<std::string> {};

TEST_P(BareLogs, AreReadBehindAnyLabel) {
  const auto ranks = ranks_for(GetParam());
  const std::string rows = log_rows(GetParam(), ranks);
  EXPECT_EQ(split(rows, '\n').size(), 3U) << rows;
  for (const char* label : {"0: ",
                            "  0: ",
                            "[0] ",
                            "[1,0]<stdout>:",
                            "[1,0]<stdout>: ",
                            "[prterun-n1-77@1,0]<stdout>: ",
                            "[prterun-n1-77@1,0][n1:1234]<stdout>: ",
                            "Wed Nov 25 13:01:52 2026<stdout>:",
                            "Wed Nov  5 13:01:52 2026[1,0]<stdout>:",
                            "    ",
                            "\t",
                            "> ",
                            "nid001234 0: ",
                            "n1: ",
                            "2026-11-25T13:01:52.1234567Z ",
                            "[2026-11-25 13:01:52] ",
                            "launcher-x7k2p | ",
                            "osu.log:12:",
                            "\x1B[32m",
                            "\xC2\xA0\xC2\xA0",
                            "\xEF\xBB\xBF"}) {
    const std::string text =
        each_line(GetParam(), [&](std::string_view line) { return label + std::string(line); });
    EXPECT_EQ(without_notes(log_rows(text, ranks)), rows) << label;
  }
  int number = 0;
  const std::string numbered = each_line(GetParam(), [&](std::string_view line) {
    return fmt::format("{:>5}\t{}", ++number, line);  // cat -n
  });
  EXPECT_EQ(without_notes(log_rows(numbered, ranks)), rows);
}

TEST_P(BareLogs, AreReadWithAnyEndsOfLinesAndBlanks) {
  const auto ranks = ranks_for(GetParam());
  const std::string rows = log_rows(GetParam(), ranks);
  const auto same = [&](const std::function<std::string(std::string_view)>& of) {
    const std::string text = each_line(GetParam(), of);
    EXPECT_EQ(log_rows(text, ranks), rows) << text;
  };
  same([](std::string_view line) { return std::string(line) + "\r"; });
  same([](std::string_view line) { return std::string(line) + "\r\r"; });
  same([](std::string_view line) { return std::string(line) + "  \t"; });
  same([](std::string_view line) { return std::string(line) + "\n"; });  // every second is blank
  same([](std::string_view line) { return "42 %\r" + std::string(line) + "\x1B[K\x1B[0m"; });
  same([](std::string_view line) {
    std::string made;
    for (const char c : line) made += c == ' ' ? std::string("\xC2\xA0") : std::string(1, c);
    return made;
  });
  if (GetParam() == kLogOsu) {  // one blank for several: a web page
    same([](std::string_view line) {
      std::string made;
      for (const char c : line)
        if (c != ' ' || !made.ends_with(' ')) made += c;
      return made;
    });
  }
}

TEST_P(BareLogs, AreReadAmongLinesOfOthers) {
  const auto ranks = ranks_for(GetParam());
  const std::string rows = log_rows(GetParam(), ranks);
  for (const char* other :
       {"slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT "
        "***",
        "[n1:227754] 3 more processes have sent help message help-mpi-btl-base.txt",
        "[1699999999.123456] [n1:7:0] parser.c:1885 UCX  WARN  unused env variable",
        "flux-job: task(s) exited with exit code 1", "user@n1:~/osu$ ls -l", "$ ", "+ date",
        "srun: Force Terminated job 1", "1: a label of another rank",
        "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD", "real\t0m7.832s",
        "--------------------------------------------------------------------------"}) {
    const std::string text = each_line(
        GetParam(), [&](std::string_view line) { return std::string(line) + "\n" + other; });
    const std::string said = log_rows(text, ranks);
    EXPECT_THAT(said, ::testing::StartsWith(rows)) << other;
    EXPECT_THAT(said, ::testing::HasSubstr("left out: lines of other programs among the rows ("))
        << other;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, BareLogs,
                         ::testing::Values(kLogOsu, kLogImb, kLogNccl, kLogRepro));

struct UsersLog {
  const char* file;  // below tests/data/imports/logs
  std::optional<std::uint64_t> ranks;
  std::string said;
};

const std::string kNotRead =
    ", a format that is not read; write its times as CSV, whose columns --columns names";

const UsersLog kUsersLogs[] = {
    {"imb-nbc-and-mpi1.txt", std::nullopt,
     "bcast 4 4 1.69\nleft out: tables of Iallreduce, which is no blocking collective (1)\n"},
    {"nccl-tests-indented.txt", std::nullopt, "allreduce 2 8 17.93\nallreduce 2 16 17.65\n"},
    {"julia-benchmarks.csv", std::nullopt,
     "F:1: this is the output of MPIBenchmarks.jl" + kNotRead},
    {"osu-datatypes.txt", 4,
     "F:9: this size stands here twice, of two runs (line 5 and here): datatype MPI_CHAR and "
     "MPI_INT; write each run to a file of its own and import it with a --system of its own"},
    {"osu-f-short-header.txt", std::nullopt,
     "reduce 96 1 50.89\nreduce 96 2 50.2\nreduce 96 1048576 942.11\ntables have the columns of -f "
     "without their names: avg, min, max, iterations (1)\n"},
    {"osu-indented.txt", 4, "bcast 4 1 2.1\nbcast 4 2 2.12\n"},
    {"osu-log-of-several.txt", 4,
     "reduce 4 4 0.84\nreduce 4 8 0.83\nreduce 4 16 0.93\nbarrier 4 0 1.57\nbcast 4 1 0.84\nbcast "
     "4 2 0.83\n"
     "left out: lines of other programs among the rows (2, the first in line 8)\n"
     "left out: tables of MPI Non-blocking Allreduce Latency, which is no blocking collective of "
     "MPI (1)\n"},
    {"osu-prompt-after-table.txt", std::nullopt,
     "allreduce 144 4 11.69\nallreduce 144 8 15.34\nallreduce 144 268435456 133576.21\n"
     "left out: lines of other programs among the rows (1, in line 10)\n"},
    {"osu-srun-label.txt", 4,
     "allreduce 4 1048576 2304.25\nallreduce 4 2097152 4575.6\n"
     "'0: ' in front of the lines was taken off (1)\n"},
    {"osu-time-limit.txt", 4,
     "allreduce 4 4 11.69\nallreduce 4 8 12.69\n"
     "left out: lines of other programs among the rows (1, in line 6)\n"},
    {"osu-two-rank-counts.txt", std::nullopt,
     "bcast 2 1 1\nbcast 2 2 1.1\nbcast 8 1 9\nbcast 8 2 "
     "9.1\nleft out: lines of other programs among the "
     "rows (1, in line 8)\n"},
    {"osu-two-rank-counts.txt", 8,
     "F:12: this size stands here twice: line 5 is of a run with 2 ranks and this one with 8, by "
     "their command lines; import the file without --communicator-sizes"},
    {"reprompi-prompt-line.txt", std::nullopt,
     "allreduce 4 1 10.9819\nallreduce 4 1 3.0911\nallreduce 4 10 2.9809\nallreduce 4 10 2.787\n"},
    {"ucc-perftest.txt", std::nullopt, "F:1: this is the output of ucc_perftest" + kNotRead},
};

TEST(LogLines, LogsOfUsersBecomeTheirRows) {
  for (const UsersLog& log : kUsersLogs) {
    const std::string path =
        (colltree::testing::data_dir() / "imports" / "logs" / log.file).string();
    EXPECT_EQ(log_rows(read_file(path), log.ranks), log.said) << log.file;
  }
}

TEST(LogLines, RowsOfImbMayBeNamed) {
  const std::string head =
      "# Benchmarking Allreduce\n# #processes = 96\n# ( 32 additional processes waiting in "
      "MPI_Barrier)\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n";
  for (const char* name : {"Allreduce ", "Allreduce: ", "Allreduce 96 ", ""})
    EXPECT_EQ(
        log_rows(fmt::format("{0}{1}0 1000 0.05 0.06 0.05\n{1}4 1000 9.1 9.3 9.2\n", head, name),
                 std::nullopt),
        "allreduce 96 0 0.05\nallreduce 96 4 9.2\n")
        << name;
}

TEST(LogLines, SizesThatStandTwiceAreSaid) {
  const std::string table = "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n";
  EXPECT_EQ(log_rows(table + "1 1.0\n2 1.1\n\n" + table + "1 9.0\n2 9.1\n", 8),
            "bcast 8 1 1\nbcast 8 2 1.1\nbcast 8 1 9\nbcast 8 2 9.1\n"
            "sizes stand twice and are kept as repeats of one run; a run with other ranks or "
            "settings needs a file or a system of its own (2, the first in line 8)\n");
  EXPECT_EQ(log_rows("srun -n 4 ./osu_bcast\n" + table + "1 1.0\n", 8),
            "bcast 8 1 1\nrows whose command line says 4 ranks, taken as the 8 given (1, in line "
            "4)\n");
  // A command line speaks of the table that follows it, and of no other.
  EXPECT_EQ(
      log_rows("srun -n 4 ./osu_bcast\n" + table + "1 1.0\n\n" + table + "2 1.1\n", 8),
      "bcast 8 1 1\nbcast 8 2 1.1\nrows whose command line says 4 ranks, taken as the 8 given (1, "
      "in line 4)\n");
}

// What stands above two tables of one cell tells two runs apart, or it does not.
TEST(LogLines, RunsThatTheLogTellsApartAreNoRepeats) {
  const std::string osu =
      "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1 1\n";
  const std::string imb =
      "# Benchmarking Bcast\n# #processes = 8\n#bytes #repetitions t_min[usec] t_max[usec] "
      "t_avg[usec]\n4 9 1 1 1\n";
  const std::string nccl_head =
      "# nThread 1 nGpus 8 minBytes 64 maxBytes 64 step: 2(factor) warmup iters: 1 iters: 1 agg "
      "iters: 1 validation: 1 graph: 0\n# Collective test starting: all_reduce_perf\n"
      "# size count type redop root time algbw busbw #wrong\n# (B) (elements) (us) (GB/s) (GB/s)\n";
  const std::string repro = "test nrep count runtime_sec\nMPI_Bcast 0 4 0.5\n";
  const std::string repro_head = "#@nprocs=8\n#@datatype_size_bytes=1\n";
  const struct {
    std::string log;
    std::string apart;  // "" = repeats
  } kLogs[] = {
      {"+ mpirun -np 8 -x HCOLL=0 osu_bcast\n" + osu + "+ mpirun -np 8 -x HCOLL=1 osu_bcast\n" +
           osu,
       "command mpirun -np 8 -x HCOLL=0 osu_bcast and mpirun -np 8 -x HCOLL=1 osu_bcast"},
      {"+ export UCC=n\n" + osu + "+ export UCC=y\n" + osu, "UCC =n and =y"},
      {"$ module load ucc/1.3\n" + osu + "$ module load ucc/1.4\n" + osu,
       "module module load ucc/1.3 and module load ucc/1.4"},
      {"=== HCOLL ===\n" + osu + "=== UCC ===\n" + osu, "heading === hcoll === and === ucc ==="},
      {"# with HCOLL\n" + osu + "# with UCC\n" + osu, "heading # with hcoll and # with ucc"},
      {osu + "# OSU MPI-CUDA Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1 1\n",
       "test OSU MPI Broadcast Latency Test v5.9 and OSU MPI-CUDA Broadcast Latency Test v5.9"},
      {"# MPI_Op : MPI_SUM\n" + imb + "# MPI_Op : MPI_MAX\n" + imb, "mpi_op MPI_SUM and MPI_MAX"},
      {nccl_head + "64 16 float sum -1 1 1 1 0\n64 32 half sum -1 1 1 1 0\n",
       "float sum and half sum"},
      {repro_head + "#@operation=MPI_BOR\n" + repro + "#@operation=MPI_SUM\n" + repro,
       "operation MPI_BOR and MPI_SUM"},
      {"+ mpirun -np 8 osu_bcast\n" + osu + "+ mpirun -np 8 osu_bcast\n" + osu, ""},
      {"=== run 1, 10:02:11 ===\n" + osu + "=== run 2, 10:04:33 ===\n" + osu, ""},
      {"# Date : Mon\n" + imb + "# Date : Tue\n" + imb, ""},
      {"+ date\n+ sleep 1\n" + osu + "+ sleep 2\n" + osu, ""},
  };
  for (const auto& one : kLogs) {
    const std::string said = log_rows(one.log, 8);
    if (one.apart.empty()) {
      EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("two runs"))) << one.log;
    } else {
      EXPECT_THAT(said, ::testing::HasSubstr("and here): " + one.apart + "; write each run"))
          << one.log;
    }
  }
}

TEST(LogLines, RowsThatWereCutOffAreCounted) {
  const std::string table = "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n";
  EXPECT_EQ(log_rows(table + "1 1.0\n2 [n1:7] link down\n4 1.3\n8\n", 8),
            "bcast 8 1 1\nbcast 8 4 1.3\n"
            "left out: rows that were cut off or written into (2, the first in line 4)\n");
}

TEST(EchoedLaunch, IsFoundWhereItSaysOneNumber) {
  const auto found = [](const std::string& line) {
    const auto launch = find_echoed_launch(words_of(line), "osu_");
    return launch ? fmt::format("{} {}", launch->first, launch->second) : "";
  };
  EXPECT_EQ(found("+ mpirun -np 8 osu_bcast"), "osu_bcast 8");
  EXPECT_EQ(found("$ /opt/bin/mpirun -n 144 -N 36 -x A=b:1 ./c/osu_allreduce -x 10"),
            "osu_allreduce 144");
  EXPECT_EQ(found("u@h:~> srun --ntasks=16 -N 2 osu_reduce"), "osu_reduce 16");
  EXPECT_EQ(found("flux run -N2 -n8 osu_bcast"), "osu_bcast 8");
  for (const char* none : {"osu_bcast -n 8", "mpirun osu_bcast -n 8", "mpirun -np $NP osu_bcast",
                           "mpirun -np 0 osu_a", "mpirun -n 1 osu_a : -n 3 osu_a",
                           "jsrun -n 8 osu_a", "mpirun -n 4 -np 8 osu_a", "mpirun -np 8 IMB-MPI1"})
    EXPECT_EQ(found(none), "") << none;
}

}  // namespace
}  // namespace colltree::profile
