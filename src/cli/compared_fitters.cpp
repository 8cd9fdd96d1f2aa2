// SPDX-License-Identifier: BSD-3-Clause
#include "cli/compared_fitters.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/network_parameters.h"

namespace colltree {

namespace {

constexpr std::string_view kEachDepth = ":max_depth=*";

std::uint64_t exact_depth(const std::string& kind, const Timings& timings) {
  try {
    return parse_fitter(kind).fit({timings}).statistics.shape.max_depth;
  } catch (const UsageError&) {
    throw;
  } catch (const Error&) {
    return 0;  // its row will say why these timings cannot be fitted
  }
}

}  // namespace

std::string default_compared() {
  std::string text;
  for (const Kind* kind : kinds()) text += fmt::format("{} ", kind->compared);
  return text;
}

bool take_network_model(std::string& text) {
  bool taken = false;
  std::string rest;
  for (const std::string_view part : split(text, ';')) {
    for (const std::string_view word : split(part, ' ')) {
      if (trim(word) == kNetworkModel) {
        taken = true;
      } else {
        rest += fmt::format("{};", word);
      }
    }
  }
  text = rest;
  return taken;
}

std::vector<Fitter> parse_compared(const std::string& text, const Timings& timings) {
  std::vector<Fitter> fitters;
  for (const std::string_view part : split(text, ';')) {
    for (const std::string_view word : split(part, ' ')) {
      const std::string one(trim(word));
      if (one.empty()) continue;
      if (!one.ends_with(kEachDepth)) {
        fitters.push_back(parse_fitter(one));
        continue;
      }
      const std::string kind = one.substr(0, one.size() - kEachDepth.size());
      const std::uint64_t exact = exact_depth(kind, timings);
      for (std::uint64_t depth = 1; depth < exact; ++depth) {
        fitters.push_back(parse_fitter(fmt::format("{}:max_depth={}", kind, depth)));
      }
      fitters.push_back(parse_fitter(kind));
    }
  }
  return fitters;
}

}  // namespace colltree
