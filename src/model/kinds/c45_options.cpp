// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_options.h"

namespace colltree {

C45Options c45_options(const Parameters& parameters) {
  return {.weight = static_cast<int>(*parameters.whole("weight")),
          .confidence_level = static_cast<float>(parameters.real("confidence")),
          .gain_only = parameters.flag("gain"),
          .group = parameters.flag("group"),
          .features = {.power_of_two = parameters.flag("power_of_two"),
                       .parity = parameters.flag("parity"),
                       .log2_message_size = parameters.flag("log2_message_size")}};
}

Parameters parameters_of(const C45Options& options) {
  Parameters parameters(c45_parameters());
  parameters.put("weight", static_cast<std::uint64_t>(options.weight));
  parameters.put("confidence", static_cast<double>(options.confidence_level));
  parameters.put("gain", options.gain_only);
  parameters.put("group", options.group);
  parameters.put("power_of_two", options.features.power_of_two);
  parameters.put("parity", options.features.parity);
  parameters.put("log2_message_size", options.features.log2_message_size);
  return parameters;
}

c45::Trial train(const C45Table& table, const C45Options& options) {
  return c45::train_complete(
      table.schema, table.cases,
      {.weight = options.weight, .gain_only = options.gain_only, .group = options.group},
      options.confidence_level);
}

std::span<const Parameter> c45_parameters() {
  static constexpr Parameter kParameters[] = {
      required(
          whole("weight", "2", kWeightRange, "two branches of each test hold so many instances")),
      required(single("confidence", "confidence_level", "25", kConfidenceRange,
                      "confidence level of pruning in percent; a small one prunes more")),
      flag("gain", "gain_only", "gain criterion instead of gain ratio"),
      flag("group", "group", "tests on groups of collectives"),
      flag("power_of_two", "power_of_two",
           "also test whether the communicator size is a power of two"),
      flag("parity", "parity", "also test whether the message size is even"),
      flag("log2_message_size", "log2_message_size", "also test log2 of the message size"),
      kLeastGain};
  return kParameters;
}

}  // namespace colltree
