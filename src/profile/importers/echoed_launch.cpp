// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/echoed_launch.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "profile/records.h"

namespace colltree {

namespace {

// Those whose -n is the number of ranks; jsrun's is not.
constexpr std::string_view kLaunchers[] = {"mpirun",  "mpiexec", "mpiexec.hydra", "mpirun_rsh",
                                           "orterun", "prterun", "prun",          "srun",
                                           "aprun",   "flux",    "ibrun"};

constexpr std::string_view kRankOptions[] = {"-n", "-np", "--np", "--ntasks"};

std::string_view base_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool is_option(std::string_view word) {
  return std::ranges::find(kRankOptions, word) != std::end(kRankOptions);
}

// "8" of "-n 8", "-n8" and "--ntasks=8"; "" of what is no such option.
std::string_view ranks_at(const std::vector<std::string_view>& words, std::size_t at) {
  const std::string_view word = words[at];
  if (is_option(word)) return at + 1 < words.size() ? words[at + 1] : "";
  const std::size_t equals = word.find('=');
  if (equals != std::string_view::npos && is_option(word.substr(0, equals))) {
    return word.substr(equals + 1);
  }
  const bool is_short =
      word.size() > 2 && word.starts_with("-n") && word[2] >= '0' && word[2] <= '9';
  return is_short ? word.substr(2) : "";
}

}  // namespace

std::optional<EchoedLaunch> find_echoed_launch(const std::vector<std::string_view>& words,
                                               std::string_view prefix) {
  const auto launcher = std::ranges::find_if(words, [](std::string_view word) {
    return std::ranges::find(kLaunchers, base_name(word)) != std::end(kLaunchers);
  });
  std::optional<std::uint64_t> ranks;
  for (auto word = launcher; word != words.end(); ++word) {
    if (base_name(*word).starts_with(prefix)) {
      if (!ranks || std::find(word, words.end(), ":") != words.end()) return std::nullopt;
      return EchoedLaunch{std::string(base_name(*word)), *ranks};
    }
    const std::string_view said = ranks_at(words, static_cast<std::size_t>(word - words.begin()));
    if (said.empty()) continue;
    const auto number = parse_number<std::uint64_t>(said);
    if (ranks || !number || *number < 1 || *number > kMostRanks) return std::nullopt;
    ranks = number;
  }
  return std::nullopt;
}

}  // namespace colltree
