// SPDX-License-Identifier: BSD-3-Clause
#include "reader.h"

#include <fmt/core.h>

#include <cstdlib>
#include <exception>

#include "base/error.h"
#include "base/text.h"

namespace colltree::fuzz {

void require(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "does not hold: {}\n", what);
  std::abort();
}

std::vector<Reader> all_readers() {
  std::vector<Reader> all;
  for (const auto& list : {table_readers(), results_readers(), rule_readers(), model_readers(),
                           job_readers(), word_readers(), profile_readers(), decision_readers()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

void read_by(const Reader& reader, const std::string& input) {
  try {
    reader.read(input);
  } catch (const Error& error) {
    // What a terminal must not get is taken out where errors are printed (cli/run.cpp).
    const std::string text = printable(error.what());
    require(!text.empty() && text.size() <= 8192, "an error says something, in one line");
  } catch (const std::exception& error) {
    require(false, fmt::format("nothing but an Error is thrown: {}", error.what()));
  }
}

}  // namespace colltree::fuzz
