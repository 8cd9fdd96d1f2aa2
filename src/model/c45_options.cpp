// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"

namespace colltree {

Json to_json(const C45Options& options) {
  return {{"weight", options.weight},
          {"confidence_level", options.confidence_level},
          {"gain_only", options.gain_only},
          {"group", options.group},
          {"power_of_two", options.features.power_of_two},
          {"parity", options.features.parity},
          {"log2_message_size", options.features.log2_message_size}};
}

C45Options read_c45_options(const Json& parameters) {
  C45Options options;
  options.weight = static_cast<int>(json_unsigned(parameters, "weight", kWeightRange.most));
  const double confidence = json_number(parameters, "confidence_level");
  if (!kWeightRange.holds(static_cast<std::uint64_t>(options.weight)) ||
      !kConfidenceRange.holds(confidence)) {
    throw Error(fmt::format("'weight' must be {} and 'confidence_level' {}",
                            expected_text(kWeightRange), expected_text(kConfidenceRange)));
  }
  options.confidence_level = static_cast<float>(confidence);
  options.gain_only = json_flag_or(parameters, "gain_only", false);
  options.group = json_flag_or(parameters, "group", false);
  options.features.power_of_two = json_flag_or(parameters, "power_of_two", false);
  options.features.parity = json_flag_or(parameters, "parity", false);
  options.features.log2_message_size = json_flag_or(parameters, "log2_message_size", false);
  return options;
}

}  // namespace colltree
