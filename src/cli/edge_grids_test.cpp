// SPDX-License-Identifier: BSD-3-Clause
// Profiles at the limits of what may be stored (times from 1e-6 to 1e15 us) and with little in
// them, through every command that computes with them: no crash, no figure that is none.
#include <gmock/gmock.h>

#include <cctype>

#include "base/file.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree {
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
  Profile profile(path, OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("edge"));
  std::vector<Cell> cells;
  std::size_t point = 0;
  for (const std::uint64_t ranks : grid.ranks) {
    for (const std::uint64_t bytes : grid.bytes) {
      for (std::size_t m = 0; m < grid.methods; ++m) {
        // Pipeline only where its segment is smaller than the message.
        if (m == 2 && bytes <= 1024) continue;
        const double time_us = grid.time(m, point);
        cells.push_back(cell(ranks, bytes, method_of(m), {time_us, time_us}));
      }
      const bool has_default =
          grid.by_default == Default::kAll || (grid.by_default == Default::kSome && point % 2 == 0);
      if (has_default) cells.push_back(cell(ranks, bytes, {"default", {}}, {kMost}));
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
      {"quadtree", "--max-depth", "1"},
      {"c45"},
      {"c45", "--rules"},
      {"optimal", "--leaves", "auto"},
      {"optimal", "--leaves", "3", "--noise-aware"},
      {"optimal", "--leaves", "3", "--objective", "time"},
      {"optimal", "--leaves", "3", "--objective", "max"}};
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
  ran({"compare", profile, "--no-times"});
  ran({"compare", profile, "--no-times", "--json"});
  ran({"map", profile, "--collective", "bcast"});
  ran({"show", profile});
  ran({"show", profile, "--map", "--collective", "bcast"});
  const std::string page = fresh_path("extreme.html").string();
  ran({"report", profile, "-o", page});
  EXPECT_THAT(read_file(page), HasSubstr("edge"));
}

INSTANTIATE_TEST_SUITE_P(Grids, EdgeGrids, ::testing::ValuesIn(kGrids),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace colltree
