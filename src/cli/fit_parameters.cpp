// SPDX-License-Identifier: BSD-3-Clause
#include "cli/fit_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace colltree {

using Form = Parameter::Form;

namespace {

std::string option_of(const Parameter& parameter) {
  std::string option = fmt::format("--{}", parameter.name);
  std::ranges::replace(option, '_', '-');
  return option;
}

}  // namespace

void ParameterOptions::declare(CommandLine& line, const Kind& kind) {
  parameters_.emplace(kind.parameters);
  for (const Parameter& one : kind.parameters) {
    const std::string option = option_of(one);
    Parameters::Value& value = parameters_->value(one);
    switch (one.form) {
      case Form::kFlag:
        line.add_flag(option, std::get<bool>(value), one.help);
        break;
      case Form::kWhole: {
        auto& number = std::get<std::optional<std::uint64_t>>(value);
        Option& added = line.add(option, number, one.whole, one.help);
        if (one.instead != nullptr) added.or_word(one.instead);
        if (number) added.show_default();
        break;
      }
      case Form::kReal:
      case Form::kSingle:
        line.add(option, std::get<double>(value), one.real, one.help).show_default();
        break;
      case Form::kWord:
        line.add(option, std::get<std::string>(value), one.help).show_default();
        break;
    }
  }
}

Parameters ParameterOptions::values() const {
  for (const Parameter& one : parameters_->declared()) {
    if (one.form != Form::kWord || one.known(parameters_->word(one.name))) continue;
    throw UsageError(fmt::format("{}: expected {}, got '{}'", option_of(one), expected_text(one),
                                 parameters_->word(one.name)));
  }
  return *parameters_;
}

}  // namespace colltree
