// SPDX-License-Identifier: BSD-3-Clause
// Profiles at the limits of what may be stored (times from 1e-6 to 1e15 us) and with little in
// them, through every command that computes with them: no crash, no figure that is none.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cctype>

#include "base/file.h"
#include "base/input.h"
#include "cli/test_run.h"
#include "profile/csv.h"
#include "profile/test_csv.h"
#include "profile/test_profile.h"

namespace colltree::cli {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Sizes = std::vector<std::uint64_t>;
using TimeOf = double (*)(std::size_t method, std::size_t point);

constexpr double kLeast = 1e-6;
constexpr double kMost = 1e15;

double extremes(std::size_t method, std::size_t point) {
  return (method + point) % 2 == 0 ? kLeast : kMost;
}
double all_least(std::size_t, std::size_t) { return kLeast; }
double all_most(std::size_t, std::size_t) { return kMost; }
double equal(std::size_t, std::size_t) { return 3; }
double one_outlier(std::size_t method, std::size_t point) {
  return method == 1 && point == 1 ? kMost : static_cast<double>(1 + method);
}

enum class Default { kNone, kAll, kSome };

struct Grid {
  const char* name;
  Sizes ranks;
  Sizes bytes;
  std::size_t methods;
  TimeOf time;
  Default by_default;
};

const Grid kGrids[] = {
    {"Extremes", {2, 4, 8}, {0, 1, 64, 1048576}, 3, extremes, Default::kAll},
    {"ExtremesOnSomeDefaults", {2, 4, 8}, {1, 64, 4096}, 2, extremes, Default::kSome},
    {"AllLeast", {2, 4}, {1, 64}, 2, all_least, Default::kAll},
    {"AllMost", {2, 4}, {1, 64}, 2, all_most, Default::kNone},
    {"AllEqual", {2, 4}, {1, 64}, 3, equal, Default::kSome},
    {"OneOutlier", {2, 3, 5}, {8, 9, 4096}, 2, one_outlier, Default::kAll},
    {"OnePoint", {4}, {64}, 2, extremes, Default::kNone},
    {"OnePointOneMethod", {4}, {64}, 1, all_most, Default::kAll},
    {"OneCommunicatorSize", {4}, {0, 64, 4096}, 2, extremes, Default::kNone},
    {"OneMessageSize", {2, 4, 8}, {64}, 2, extremes, Default::kAll},
    {"OneMethod", {2, 4, 8}, {1, 64}, 1, extremes, Default::kAll},
};

Method method_of(std::size_t index) {
  return Method{std::vector{"linear", "binomial", "pipeline"}[index],
                index == 2 ? 1024U : std::uint64_t{0}};
}

std::string profile_of(const Grid& grid) {
  const auto path = fresh_path(std::string(grid.name) + ".db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  const profile::CampaignId id = profile.begin_campaign(profile::campaign("edge"));
  std::vector<profile::Cell> cells;
  std::size_t point = 0;
  for (const std::uint64_t ranks : grid.ranks) {
    for (const std::uint64_t bytes : grid.bytes) {
      for (std::size_t m = 0; m < grid.methods; ++m) {
        // Pipeline only where its segment is smaller than the message.
        if (m == 2 && bytes <= 1024) continue;
        const double time_us = grid.time(m, point);
        cells.push_back(profile::cell(ranks, bytes, method_of(m), {time_us, time_us}));
      }
      const bool has_default =
          grid.by_default == Default::kAll || (grid.by_default == Default::kSome && point % 2 == 0);
      if (has_default) cells.push_back(profile::cell(ranks, bytes, {"default", {}}, {kMost}));
      ++point;
    }
  }
  profile.record(id, cells);
  return path.string();
}

class EdgeGrids : public ::testing::TestWithParam<Grid> {};

// What was printed; its figures are numbers.
std::string ran(const std::vector<std::string>& words) {
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << ::testing::PrintToString(words) << "\n" << outcome.err;
  std::string text = " " + outcome.out;
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = ' ';
  }
  EXPECT_THAT(text, AllOf(Not(HasSubstr(" nan ")), Not(HasSubstr(" inf "))))
      << ::testing::PrintToString(words);
  return outcome.out;
}

TEST_P(EdgeGrids, EveryKindIsFittedJudgedAndEmitted) {
  const std::string profile = profile_of(GetParam());
  const std::vector<std::vector<std::string>> kinds = {
      {"quadtree"},
      {"quadtree", "--parameters", "max_depth=1"},
      {"c45"},
      {"c45-rules"},
      {"optimal", "--parameters", "leaves=auto"},
      {"optimal", "--parameters", "leaves=3,objective=time"},
      {"optimal", "--parameters", "leaves=3,objective=max"}};
  for (const std::vector<std::string>& kind : kinds) {
    SCOPED_TRACE(::testing::PrintToString(kind));
    const std::string model = fresh_path("extreme.json").string();
    std::vector<std::string> words = {"fit"};
    words.insert(words.end(), kind.begin(), kind.end());
    words.insert(words.end(), {profile, "--collective", "bcast", "-o", model});
    ran(words);
    ran({"evaluate", model, "--on", profile});
    ran({"evaluate", model, "--on", profile, "--json"});
    for (const char* target : {"c", "c-table", "cdt", "dot"}) {
      ran({"emit", target, model, "-o", fresh_path("extreme.out").string()});
    }
  }
}

TEST_P(EdgeGrids, ComparedShownAndReported) {
  const std::string profile = profile_of(GetParam());
  ran({"evaluate", "compare", profile});
  ran({"evaluate", "compare", profile, "--json"});
  ran({"show", profile, "--map", "--collective", "bcast"});
  ran({"show", profile});
  ran({"show", profile, "--map", "--collective", "bcast"});
  ran({"report", profile, "--json"});
}

INSTANTIATE_TEST_SUITE_P(Grids, EdgeGrids, ::testing::ValuesIn(kGrids),
                         [](const auto& one) { return one.param.name; });

std::string extreme_rows() {
  const char* const times[] = {"0.000001", "1000000000000000", "1"};
  std::string rows = std::string(profile::kCsvHeader) + "\n";
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
    for (const char* target :
         {"openmpi-4.1", "mpich-4.0", "ucc", "rules-json", "c", "dot", "cdt"}) {
      expect_numbers({"emit", target, model, "--on", db, "-o", out});
    }
  }
  expect_numbers({"show", db});
  expect_numbers({"show", db, "--map"});
  expect_numbers({"evaluate", "compare", db, "--held-out", "none"});
  expect_numbers({"report", db, "--json"});
  const std::string csv = colltree_run({"export", db, "-o", "-"}).out;
  EXPECT_EQ(csv, profile::canonical_csv(profile::parse_csv(extreme_rows(), "F.csv")));
}

TEST(ExtremeTimes, BeyondThemNothingIsLetIn) {
  const std::string csv = fresh_path("beyond.csv");
  for (const char* time_us : {"1e307", "1e-307", "1e308", "-1", "0", "nan", "1e16", "1e-7"}) {
    write_file(csv, fmt::format("{}\ns,m,bcast,2,,,1,a,,,{}\n", profile::kCsvHeader, time_us));
    EXPECT_EQ(colltree_run({"import", csv, "-o", fresh_path("beyond.db")}).err,
              fmt::format("colltree: {}:2: expected time_us from 1e-06 to 1e+15, got '{}'\n", csv,
                          time_us));
  }
}

TEST(Terminal, EscapesOfAFileAreShownNotObeyed) {
  const std::string file = fresh_path("escapes.csv");
  write_file(file, std::string(profile::kCsvHeader) + "\ns,m,\x1b]0;x\x07,2,,,1,a,,,1\n");
  const std::string db = fresh_path("escapes.db");
  const std::string header = fresh_path("header.csv");
  write_file(header, "\x1b[2J\x1b[31msystem\n");
  const std::string model = fresh_path("escapes.json");
  write_file(model, R"({"format": "colltree-model", "version": 1, "kind": "a\u001b[31m"})");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"import", file, "-o", db},
                                                {"import", header, "-o", db},
                                                {"emit", "ucc", model, "-o", db},
                                                {"check", header, "--for", "openmpi-4.1"},
                                                {"check", file, "--for", "rules-json"},
                                                {"show", "/no/such/\x1b[31m.db", "--map"}}) {
    const Outcome outcome = colltree_run(words);
    EXPECT_NE(outcome.exit_code, 0) << words[0];
    EXPECT_EQ((outcome.err + outcome.out).find('\x1b'), std::string::npos) << outcome.err;
  }
  EXPECT_THAT(colltree_run({"import", header, "-o", db}).err, HasSubstr("got '\\x1B[2J\\x1B[31m"));
}

}  // namespace

}  // namespace colltree::cli
