// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_options.h"

#include "model/json_fields.h"

namespace colltree {

using nlohmann::json;

json to_json(const C45Options& options) {
  return {{"weight", options.weight},
          {"confidence_level", options.confidence_level},
          {"gain_only", options.gain_only},
          {"group", options.group},
          {"power_of_two", options.features.power_of_two},
          {"parity", options.features.parity},
          {"log2_message_size", options.features.log2_message_size}};
}

C45Options read_c45_options(const json& parameters) {
  C45Options options;
  options.weight = static_cast<int>(json_unsigned(parameters, "weight", 1U << 30));
  options.confidence_level = static_cast<float>(json_number(parameters, "confidence_level"));
  options.gain_only = parameters.value("gain_only", false);
  options.group = parameters.value("group", false);
  options.features.power_of_two = parameters.value("power_of_two", false);
  options.features.parity = parameters.value("parity", false);
  options.features.log2_message_size = parameters.value("log2_message_size", false);
  return options;
}

}  // namespace colltree
