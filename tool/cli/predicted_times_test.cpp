// SPDX-License-Identifier: BSD-3-Clause
// What an adaptive campaign left to be predicted: every command that prints a penalty, a time or
// how much was measured says so, as text, JSON and CSV; none does where everything was measured.
#include <gtest/gtest.h>

#include "base/input.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

// bcast: binomial is best up to 16 KB, then linear; the default is always slower.
// Every fourth time was wanted and not measured.
std::string profile_of(const std::string& name, bool complete) {
  const auto path = fresh_path(name);
  profile::Profile profile(path, profile::OpenMode::kWrite);
  const profile::CampaignId id = profile.begin_campaign(profile::campaign("grig"));
  std::vector<profile::Cell> cells;
  std::size_t number = 0;
  const auto add = [&](std::uint64_t ranks, std::uint64_t bytes, Method method, double time_us) {
    const bool measured = complete || ++number % 4 != 0;
    cells.push_back(profile::cell(ranks, bytes, std::move(method), {}));
    if (measured) {
      for (const double factor : {0.99, 1.0, 1.01})
        cells.back().samples.push_back(
            {static_cast<std::int64_t>(cells.back().samples.size()), factor * time_us});
    } else {
      cells.back().status = profile::CellStatus::kWanted;
    }
  };
  for (const std::uint64_t ranks : {2, 4, 8, 16, 32}) {
    for (const std::uint64_t bytes : {64, 1024, 16384, 262144}) {
      const double size = static_cast<double>(bytes) / 1024;
      add(ranks, bytes, {"binomial", 0}, 10 + size);
      add(ranks, bytes, {"linear", 0}, 40 + size / 4);
      add(ranks, bytes, {"default", std::nullopt}, 50 + size);
    }
  }
  profile.record(id, cells);
  return path.string();
}

std::string fitted_model(const std::string& profile) {
  const std::string model = fresh_path("by_predictions.json").string();
  EXPECT_EQ(
      colltree_run({"fit", "quadtree", profile, "--collective", "bcast", "-o", model}).exit_code,
      0);
  return model;
}

// P: the profile, M: a model, O: a file to write, which is read too.
const std::vector<std::vector<std::string>>& commands() {
  static const std::vector<std::vector<std::string>> all = {
      {"evaluate", "M", "--on", "P"},
      {"evaluate", "M", "--on", "P", "--json"},
      {"evaluate", "compare", "P", "--fit", "quadtree"},
      {"evaluate", "compare", "P", "--fit", "quadtree", "--json"},
      {"evaluate", "compare", "P", "--fit", "quadtree", "-o", "-"},
      {"evaluate", "compare", "P", "M"},
      {"fit", "quadtree", "P", "--collective", "bcast", "-o", "O"},
      {"fit", "optimal", "P", "--collective", "bcast", "--json", "-o", "O"},
      {"show", "P", "--map", "--collective", "bcast"},
      {"show", "P", "--map", "--collective", "bcast", "--json"},
      {"show", "P"},
      {"show", "P", "--json"},
      {"show", "P", "--map", "--penalty", "--collective", "bcast"},
      {"explain", "bcast", "4", "1024", "--model", "M", "--on", "P"},
      {"report", "P", "--json", "--fit", "optimal:leaves=32"},
      {"emit", "smpi", "M", "--on", "P", "-o", "O"},
  };
  return all;
}

// In what the command prints and writes; not its whole text is shown when it fails.
bool says_predicted(std::vector<std::string> words, const std::string& profile,
                    const std::string& model) {
  const std::string output = fresh_path("written").string();
  std::string written;
  for (std::string& word : words) {
    if (word == "P") word = profile;
    if (word == "M") word = model;
    if (word == "O") word = written = output;
  }
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << words[0] << ": " << outcome.err;
  std::string text = outcome.out + outcome.err;
  if (!written.empty()) text += read_file(written);
  return text.find("predicted") != std::string::npos;
}

TEST(PredictedTimes, AreNowhereTakenForMeasuredOnes) {
  const std::string profile = profile_of("part.db", false);
  const std::string model = fitted_model(profile);
  for (const auto& words : commands())
    EXPECT_TRUE(says_predicted(words, profile, model)) << ::testing::PrintToString(words);
}

TEST(PredictedTimes, AreNotSpokenOfWhereThereAreNone) {
  const std::string profile = profile_of("whole.db", true);
  const std::string model = fitted_model(profile);
  for (const auto& words : commands()) {
    if (words[0] == "map" || words[0] == "show" || words[0] == "report")
      continue;  // they count none
    EXPECT_FALSE(says_predicted(words, profile, model)) << ::testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace colltree::cli
