// SPDX-License-Identifier: BSD-3-Clause
// Words of the command line that have a form of their own.
#include <string>

#include "base/bounds.h"
#include "base/text.h"
#include "coll/collective.h"
#include "coll/method.h"
#include "measure/campaign_request.h"
#include "model/fitter.h"
#include "reader.h"

namespace colltree::fuzz {
namespace {

void read_sizes(std::string_view input) {
  if (const auto bytes = parse_bytes(input)) {
    require(parse_bytes(format_bytes(*bytes)) == bytes, "a size written again is the same");
  }
  const auto sizes = parse_size_list(input, {}, "--message-sizes");
  require(!sizes.empty(), "a list of sizes has one");
  for (std::size_t i = 1; i < sizes.size(); ++i) require(sizes[i - 1] < sizes[i], "sizes ascend");
}

void read_fitter(std::string_view input) {
  for (const std::string_view word : split(input, ';')) {
    const std::string name = model::parse_fitter(word).name();
    require(model::parse_fitter(name).name() == name, "a fitter has one spelling");
  }
}

void read_method(std::string_view input) {
  const Method method = parse_method_name(input);
  require(method.name() == input, "a method is written as it was read");
  method.label();
  find_collective(input);
  parse_collectives(input);
}

void read_budget(std::string_view input) {
  if (input.starts_with("until ")) {
    measure::parse_until(input.substr(6));
  } else {
    measure::parse_budget(input);
  }
}

}  // namespace

std::vector<Reader> word_readers() {
  return {{"sizes", read_sizes},
          {"fitter", read_fitter},
          {"method", read_method},
          {"budget", read_budget}};
}

}  // namespace colltree::fuzz
