// SPDX-License-Identifier: BSD-3-Clause
// The shortest and the longest time that may be in a profile, side by side: every command that
// works on timings ends well and prints numbers. Beyond them nothing is let in.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "cli/test_run.h"
#include "profile/csv.h"
#include "profile/test_profile.h"

namespace colltree {
namespace {

using ::testing::HasSubstr;

std::string extreme_rows() {
  const char* const times[] = {"0.000001", "1000000000000000", "1"};
  std::string rows = std::string(kCsvHeader) + "\n";
  std::size_t i = 0;
  for (const int ranks : {2, 3, 4, 8, 16}) {
    for (const int bytes : {1, 64, 1024, 65536}) {
      for (const char* method : {"binomial,0", "linear,0", "default,"}) {
        const char* time_us = times[(i * 7 + i / 3) % 3];
        for (const int rep : {0, 1}) {
          rows += fmt::format("s,openmpi-4.1.4,bcast,{},,,{},{},{},{}\n", ranks, bytes, method, rep,
                              time_us);
        }
        ++i;
      }
    }
  }
  return rows;
}

std::string imported() {
  const std::string csv = fresh_path("extreme.csv");
  const std::string db = fresh_path("extreme.db");
  write_file(csv, extreme_rows());
  EXPECT_EQ(colltree_run({"import", csv, "-o", db}).err, "");
  return db;
}

void expect_numbers(const std::vector<std::string>& words) {
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << words[0] << ": " << outcome.err;
  for (const char* bad : {" nan", "-nan", " inf", "-inf"}) {
    EXPECT_EQ(outcome.out.find(bad), std::string::npos) << words[0] << ": " << outcome.out;
  }
}

TEST(ExtremeTimes, EveryCommandEndsWithNumbers) {
  const std::string db = imported();
  const std::string model = fresh_path("extreme.json");
  const std::string out = fresh_path("extreme.out");
  for (const char* kind : {"quadtree", "c45", "optimal"}) {
    expect_numbers({"fit", kind, db, "--collective", "bcast", "-o", model});
    expect_numbers({"evaluate", model, "--on", db});
    for (const char* target : {"openmpi-4.1", "mpich-4.0", "ucc", "rules-csv", "c", "dot", "cdt"}) {
      expect_numbers({"emit", target, model, "--on", db, "-o", out});
    }
  }
  expect_numbers({"show", db});
  expect_numbers({"map", db});
  expect_numbers({"compare", db, "--held-out", "none", "--no-times"});
  expect_numbers({"report", db, "-o", out});
  const std::string csv = colltree_run({"export", db, "-o", "-"}).out;
  EXPECT_EQ(csv, canonical_csv(parse_csv(extreme_rows(), "F.csv")));
}

TEST(ExtremeTimes, BeyondThemNothingIsLetIn) {
  const std::string csv = fresh_path("beyond.csv");
  for (const char* time_us : {"1e307", "1e-307", "1e308", "-1", "0", "nan", "1e16", "1e-7"}) {
    write_file(csv, fmt::format("{}\ns,m,bcast,2,,,1,a,,,{}\n", kCsvHeader, time_us));
    EXPECT_EQ(colltree_run({"import", csv, "-o", fresh_path("beyond.db")}).err,
              fmt::format("colltree: {}:2: expected time_us from 1e-06 to 1e+15, got '{}'\n", csv,
                          time_us));
  }
}

TEST(Terminal, EscapesOfAFileAreShownNotObeyed) {
  const std::string file = fresh_path("escapes.csv");
  write_file(file, std::string(kCsvHeader) + "\ns,m,\x1b]0;x\x07,2,,,1,a,,,1\n");
  const std::string db = fresh_path("escapes.db");
  const std::string header = fresh_path("header.csv");
  write_file(header, "\x1b[2J\x1b[31msystem\n");
  const std::string model = fresh_path("escapes.json");
  write_file(model, R"({"format": "colltree-model", "version": 1, "kind": "a\u001b[31m"})");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"import", file, "-o", db},
                                                {"import", header, "-o", db},
                                                {"emit", "ucc", model, "-o", db},
                                                {"check", header, "--for", "openmpi-4.1"},
                                                {"check", file, "--for", "rules-csv"},
                                                {"map", "/no/such/\x1b[31m.db"}}) {
    const Outcome outcome = colltree_run(words);
    EXPECT_NE(outcome.exit_code, 0) << words[0];
    EXPECT_EQ((outcome.err + outcome.out).find('\x1b'), std::string::npos) << outcome.err;
  }
  EXPECT_THAT(colltree_run({"import", header, "-o", db}).err, HasSubstr("got '\\x1B[2J\\x1B[31m"));
}

}  // namespace
}  // namespace colltree
