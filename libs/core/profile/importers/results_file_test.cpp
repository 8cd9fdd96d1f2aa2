// SPDX-License-Identifier: BSD-3-Clause
// Outputs of benchmarks as they are (tests/data/imports/README.md says what each is taken from) and
// what becomes of them, and broken ones with what is said of them.
#include "profile/importers/results_file.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/input.h"
#include "base/random.h"
#include "base/test_paths.h"
#include "base/text.h"
#include "profile/import.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

using ::testing::HasSubstr;

CsvLines lines_in(const std::string& text) {
  return [text](const std::function<void(std::string_view)>& take) {
    LineSplitter splitter("F", take);
    splitter.add(text);
    splitter.end();
  };
}

void read_all(ResultsFile& file, const std::string& text) {
  lines_in(text)([&](std::string_view line) { file.line(line); });
  file.end();
}

struct Golden {
  const char* file;  // below tests/data/imports; FILE.expected is what export writes
  std::function<void(ResultsOptions&)> tell = [](ResultsOptions&) {};
};

const auto kFourRanks = [](ResultsOptions& options) { options.given.communicator_size = 4; };

const Golden kGolden[] = {
    {"osu/v5.3_reduce_scatter_crlf.txt", kFourRanks},
    {"osu/v5.6_allreduce.txt", kFourRanks},
    {"osu/v6.2_reduce_full.txt",
     [](ResultsOptions& options) {
       kFourRanks(options);
       options.time_column = "max";
     }},
    {"osu/v7.0_bcast_cuda.txt",
     [](ResultsOptions& options) {
       kFourRanks(options);
       options.given.method = Method{"binomial", 8192};
       options.given.nodes = 2;
       options.given.ranks_per_node = 2;
     }},
    {"osu/v7.3_several.txt", kFourRanks},
    {"imb/v3.2_pingpong_allreduce.txt"},
    {"imb/v2019_barrier_block_check.txt",
     [](ResultsOptions& options) { options.time_column = "min"; }},
    {"imb/v2021.7_alltoall_groups.txt"},
    {"nccl-tests/v2.8_alltoall.txt",
     [](ResultsOptions& options) {
       options.name_pattern.emplace("v2.8_{collective}.txt");
       options.time_column = "in-place";
     }},
    {"nccl-tests/v2.13_all_reduce.txt",
     [](ResultsOptions& options) {
       options.given.collective = Collective::kAllreduce;
       options.given.communicator_size = 8;
     }},
    {"nccl-tests/v2.18_all_gather.txt"},
    {"reprompi/raw.txt"},
    {"reprompi/summary.txt"},
    {"reprompi/window_mockups.txt"},
    {"ompi-tuning/bcast/detail.out"},  // its folder says the collective
    {"ompi-tuning/gather/detail.out"},
    {"ompi-tuning/reduce_scatter_block/detail.out"},
    {"pico/gpu.csv"},
    {"pico/gpu_and_old_columns.csv"},
    {"pico/mare_nostrum.csv", [](ResultsOptions& options) { options.time_column = "mean"; }},
};

// Recognised without --format; the bytes of its export; and what is exported is the
// same campaign.
TEST(ResultsFile, GoldenFilesBecomeTheirRows) {
  const std::string folder = (colltree::testing::data_dir() / "imports").string() + "/";
  for (const Golden& golden : kGolden) {
    const std::string path = folder + golden.file;
    ImportOptions options;
    const std::string format =
        std::string(golden.file).substr(0, std::string(golden.file).find('/'));
    if (format != "pico") options.results.given.system = "s";
    golden.tell(options.results);
    Profile profile(fresh_path("golden.db"), OpenMode::kWrite);
    const ImportReport report = import_file(profile, lines_in(read_file(path)), path, options);
    EXPECT_EQ(export_csv(profile), read_file(path + ".expected")) << golden.file;
    EXPECT_THAT(report.tool, ::testing::StartsWith(format)) << golden.file;
    EXPECT_THAT(profile.campaigns()[0].info.options, HasSubstr("\"format\":\"" + format + "\""));
    EXPECT_EQ(profile.campaigns()[0].info.system.provenance, kProvenanceImported);
    EXPECT_TRUE(import_csv(profile, export_csv(profile), "exported.csv").known) << golden.file;
  }
}

TEST(ResultsFile, ProfilesSayWhereTimesComeFrom) {
  Profile profile(fresh_path("origin.db"), OpenMode::kWrite);
  ImportOptions options;
  options.results.given.system = "s";
  options.results.given.communicator_size = 4;
  options.results.given.mpi = "openmpi-4.1.5";
  import_file(profile,
              lines_in("# OSU MPI Gather Latency Test v7.3\n# Size  Avg Latency(us)\n8 1\n"),
              "runs/F.txt", options);
  const CampaignInfo info = profile.campaigns()[0].info;
  EXPECT_EQ(info.source, "F.txt");
  EXPECT_EQ(info.system.mpi, "openmpi-4.1.5");
  EXPECT_EQ(info.options, R"({"format":"osu","sizes":"of one rank, of one pair for alltoall; )"
                          R"(reduce_scatter_block's whole buffer was divided","time_column":"avg",)"
                          R"("tool":"OSU MPI Gather Latency Test v7.3"})");
}

std::string osu(const std::string& title) {
  return "# OSU MPI " + title + " Latency Test v7.3\n# Datatype: MPI_CHAR.\n" +
         (title == "Barrier" ? "# Avg Latency(us)\n 1.5\n" : "# Size  Avg Latency(us)\n64 1.5\n");
}

std::string imb(const std::string& title) {
  const bool is_barrier = title == "Barrier";
  return "# Benchmarking " + title + "\n# #processes = 4\n" + (is_barrier ? "" : "#bytes ") +
         "#repetitions t_min[usec] t_max[usec] t_avg[usec]\n" + (is_barrier ? "" : "64 ") +
         "1000 1 2 1.5\n";
}

std::string nccl(const std::string& title) {
  std::string text = "# Collective test starting: " + title + "_perf\n";
  for (int rank = 0; rank < 4; ++rank) text += fmt::format("# Rank {} Pid 1 on n device\n", rank);
  return text +
         "# size count type redop root time algbw busbw #wrong\n"
         "# (B) (elements) (us) (GB/s) (GB/s)\n 64 16 float sum -1 1.5 0 0 0\n";
}

std::string repro(const std::string& title) {
  return "#@datatype_size_bytes=4\n#@nprocs=4\ntest nrep count runtime_sec\n" + title +
         " 0 16 0.0000015\n";
}

std::string pico(const std::string& title) {
  return "collective_type,array_dim,buffer_size,algo_name,datatype,median,nnodes,tasks_per_node\n" +
         title + ",16,64,default_ompi,int32,1500,4,1\n";
}

struct Size {
  std::string (*file)(const std::string& title);
  const char* title;
  Collective collective;
  std::uint64_t message_size;  // of "64" on 4 ranks
};

// What each benchmark calls 64 bytes on 4 ranks, in the glossary's words.
const Size kSizes[] = {
    {osu, "Allgather", Collective::kAllgather, 64},
    {osu, "Allgatherv", Collective::kAllgatherv, 64},
    {osu, "Allreduce", Collective::kAllreduce, 64},
    {osu, "All-to-All Personalized Exchange", Collective::kAlltoall, 64},
    {osu, "All-to-Allv Personalized Exchange", Collective::kAlltoallv, 64},
    {osu, "Barrier", Collective::kBarrier, 0},
    {osu, "Broadcast", Collective::kBcast, 64},
    {osu, "Gather", Collective::kGather, 64},
    {osu, "Gatherv", Collective::kGatherv, 64},
    {osu, "Reduce", Collective::kReduce, 64},
    {osu, "Reduce_scatter", Collective::kReduceScatter, 64},  // the sum over all ranks
    {osu, "Reduce_scatter_block", Collective::kReduceScatterBlock, 16},
    {osu, "Scatter", Collective::kScatter, 64},
    {osu, "Scatterv", Collective::kScatterv, 64},
    {imb, "Allgather", Collective::kAllgather, 64},
    {imb, "Allgatherv", Collective::kAllgatherv, 64},
    {imb, "Allreduce", Collective::kAllreduce, 64},
    {imb, "Alltoall", Collective::kAlltoall, 64},
    {imb, "Alltoallv", Collective::kAlltoallv, 64},
    {imb, "Barrier", Collective::kBarrier, 0},
    {imb, "Bcast", Collective::kBcast, 64},
    {imb, "Gather", Collective::kGather, 64},
    {imb, "Gatherv", Collective::kGatherv, 64},
    {imb, "Reduce", Collective::kReduce, 64},
    {imb, "Reduce_scatter", Collective::kReduceScatter, 64},
    {imb, "Reduce_scatter_block", Collective::kReduceScatterBlock, 64},
    {imb, "Scatter", Collective::kScatter, 64},
    {imb, "Scatterv", Collective::kScatterv, 64},
    {nccl, "all_gather", Collective::kAllgather, 16},
    {nccl, "all_reduce", Collective::kAllreduce, 64},
    {nccl, "alltoall", Collective::kAlltoall, 16},
    {nccl, "broadcast", Collective::kBcast, 64},
    {nccl, "gather", Collective::kGather, 16},
    {nccl, "reduce", Collective::kReduce, 64},
    {nccl, "reduce_scatter", Collective::kReduceScatter, 64},
    {nccl, "scatter", Collective::kScatter, 16},
    {repro, "MPI_Allgather", Collective::kAllgather, 64},
    {repro, "MPI_Allreduce", Collective::kAllreduce, 64},
    {repro, "MPI_Alltoall", Collective::kAlltoall, 64},
    {repro, "MPI_Barrier", Collective::kBarrier, 0},
    {repro, "MPI_Bcast", Collective::kBcast, 64},
    {repro, "MPI_Exscan", Collective::kExscan, 64},
    {repro, "MPI_Gather", Collective::kGather, 64},
    {repro, "MPI_Reduce", Collective::kReduce, 64},
    {repro, "MPI_Reduce_scatter", Collective::kReduceScatter, 256},  // 64 is one rank's
    {repro, "MPI_Reduce_scatter_block", Collective::kReduceScatterBlock, 64},
    {repro, "MPI_Scan", Collective::kScan, 64},
    {repro, "MPI_Scatter", Collective::kScatter, 64},
    {pico, "ALLGATHER", Collective::kAllgather, 16},
    {pico, "ALLREDUCE", Collective::kAllreduce, 64},
    {pico, "ALLTOALL", Collective::kAlltoall, 16},
    {pico, "BCAST", Collective::kBcast, 64},
    {pico, "GATHER", Collective::kGather, 16},
    {pico, "REDUCE", Collective::kReduce, 64},
    {pico, "REDUCE_SCATTER", Collective::kReduceScatter, 64},
    {pico, "SCATTER", Collective::kScatter, 16},
};

TEST(ResultsFile, SizesAreCountedAsInTheGlossary) {
  for (const Size& one : kSizes) {
    ResultsOptions options;
    options.given.system = "s";
    options.given.communicator_size = 4;
    std::vector<CsvRow> rows;
    ResultsFile file("F", options, [&](const CsvRow& row) { rows.push_back(row); });
    read_all(file, one.file(one.title));
    ASSERT_EQ(rows.size(), 1U) << one.title;
    EXPECT_EQ(rows[0].instance.collective, one.collective) << one.title;
    EXPECT_EQ(rows[0].instance.communicator_size, 4U) << one.title;
    EXPECT_EQ(rows[0].instance.message_size, one.message_size)
        << file.format()->name << " " << one.title;
    EXPECT_EQ(rows[0].sample.time_us, 1.5) << file.format()->name;
    EXPECT_EQ(rows[0].method, library_default());
  }
}

TEST(ResultsFile, AMarkOfUtf8IsPassedOver) {
  ResultsOptions options;
  options.given.system = "s";
  for (const char* format : {"", "imb"}) {
    options.format = format;
    std::size_t rows = 0;
    ResultsFile file("F", options, [&](const CsvRow&) { ++rows; });
    read_all(file, "\xEF\xBB\xBF" + imb("Bcast"));
    EXPECT_EQ(rows, 1U) << format;
  }
}

// What does not become known soon is not read to its end.
TEST(ResultsFile, IsRecognisedInItsFirstMegabyte) {
  ResultsOptions options;
  options.given.system = "s";
  const auto lines_taken = [&](std::size_t junk) {
    std::size_t taken = 0;
    ResultsFile file("F", options, [](const CsvRow&) {});
    try {
      for (; taken < junk; ++taken) file.line(std::string(1023, 'x'));
      read_all(file, imb("Bcast"));
    } catch (const ParseError&) {
    }
    return taken;
  };
  EXPECT_EQ(lines_taken(1000), 1000U);
  EXPECT_EQ(lines_taken(5000), 1024U);
}

struct Broken {
  std::string title, content, expected;
};

// "=== title", the content, "---", the error.
std::vector<Broken> broken_files(const std::string& text) {
  std::vector<Broken> files;
  bool content = true;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("=== ")) {
      files.push_back({.title = std::string(line.substr(4))});
      content = true;
    } else if (line == "---") {
      content = false;
    } else if (content) {
      files.back().content += std::string(line) + "\n";
    } else {
      files.back().expected += line;
    }
  }
  return files;
}

class BrokenResults : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenResults, AreRefusedWithTheirLine) {
  const std::string path =
      fmt::format("{}/imports/{}.malformed", colltree::testing::data_dir().string(), GetParam());
  const std::vector<Broken> files = broken_files(read_file(path));
  EXPECT_GE(files.size(), 10U);
  for (const Broken& file : files) {
    ImportOptions options;
    options.results.format = GetParam();
    if (file.title != "no system") options.results.given.system = "s";
    if (GetParam() == "osu") options.results.given.communicator_size = 4;
    if (GetParam() == "ompi-tuning") options.results.given.collective = Collective::kBcast;
    Profile profile(fresh_path("broken.db"), OpenMode::kWrite);
    EXPECT_EQ(error_of([&] { import_file(profile, lines_in(file.content), "F", options); }),
              file.expected)
        << file.title;
    EXPECT_TRUE(profile.campaigns().empty()) << file.title;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, BrokenResults, ::testing::ValuesIn(results_format_names()));

TEST(ResultsFile, WhatIsSaidTwiceMustAgree) {
  ResultsOptions options;
  options.given.system = "s";
  const auto error = [&](const std::string& name) {
    return error_of([&] {
      ResultsFile file(name, options, [](const CsvRow&) {});
      read_all(file, imb("Bcast"));
    });
  };
  EXPECT_EQ(error("F"), "no error");
  options.given.communicator_size = 8;
  EXPECT_EQ(error("F"),
            "F:4: communicator size 4 here, 8 in the file's name or on the command line");
  options.given.communicator_size = 4;
  EXPECT_EQ(error("F"), "no error");
  options.given.collective = Collective::kReduce;
  EXPECT_EQ(error("F"),
            "F:4: collective bcast here, reduce in the file's name or on the command line");
  options.given.collective.reset();
  options.name_pattern.emplace("{collective}_{method}_{ranks}");
  EXPECT_EQ(error("a/bcast_ring_4"), "no error");
  EXPECT_EQ(error("a/reduce_ring_4"),
            "a/reduce_ring_4:4: collective bcast here, reduce in the file's name or on the command "
            "line");
  options.given.method = Method{"chain", std::nullopt};
  EXPECT_EQ(error("a/bcast_ring_4"),
            "a/bcast_ring_4: method ring here, chain in the file's name or on the command line");
  options.given.method.reset();
  options.given.nodes = 1;
  options.given.ranks_per_node = 2;
  EXPECT_EQ(error("a/bcast_ring_4"),
            "a/bcast_ring_4:4: 1 nodes with 2 ranks each do not hold 4 ranks");
}

TEST(ResultsFile, NumbersOfOpenMpisAlgorithmsBecomeTheirNames) {
  const auto method = [](const std::string& path, const std::string& title) {
    ResultsOptions options;
    options.given.system = "s";
    options.name_pattern.emplace("{openmpi_number}_{ranks}ranks_run*.out");
    std::string label;
    ResultsFile file(path, options, [&](const CsvRow& row) { label = row.method.label(); });
    read_all(file, osu(title));
    return label;
  };
  EXPECT_EQ(method("0_4ranks_run0.out", "Broadcast"), "default");
  EXPECT_EQ(method("9_4ranks_run0.out", "Broadcast"), "scatter_allgather_ring");
  EXPECT_EQ(method("2_4ranks_run0.out", "Gather"), "binomial");
  EXPECT_EQ(error_of([&] { method("9_4ranks_run0.out", "Gather"); }),
            "9_4ranks_run0.out:4: Open MPI has no algorithm 9 of gather");
}

// Whatever is done to a file: its rows are in bounds, or it is refused.
TEST(ResultsFile, NoDamageGetsThrough) {
  const std::string folder = (colltree::testing::data_dir() / "imports").string() + "/";
  SeededRandom random(18);
  std::size_t refused = 0;
  for (const Golden& golden : kGolden) {
    const std::string whole = read_file(folder + golden.file);
    for (int round = 0; round < 150; ++round) {
      std::string text =
          whole.substr(0, round % 3 == 0 ? random.below(whole.size()) : whole.size());
      for (int edit = 0; edit < round % 5 && !text.empty(); ++edit) {
        constexpr std::string_view kBytes("0-9e. \n\t#(,\"\x00\xFF", 15);
        text[random.below(text.size())] = kBytes[random.below(kBytes.size())];
      }
      ResultsOptions options;
      options.given.system = "s";
      golden.tell(options);
      try {
        ResultsFile file(folder + golden.file, options, [&](const CsvRow& row) {
          EXPECT_TRUE(is_time(row.sample.time_us));
          EXPECT_LE(row.instance.message_size, kMostBytes);
          EXPECT_GE(row.instance.communicator_size, 1U);
          EXPECT_LE(row.instance.communicator_size, kMostRanks);
          EXPECT_LE(row.sample.rep, static_cast<std::int64_t>(kMostReps));
        });
        read_all(file, text);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500U);
}

}  // namespace
}  // namespace colltree::profile
