// SPDX-License-Identifier: BSD-3-Clause
#include "cli/fit_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

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
  parameters_ = kind.parameters;
  targets_.resize(parameters_.size());
  const Parameters usual(parameters_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& one = parameters_[i];
    Target& target = targets_[i];
    const std::string option = option_of(one);
    switch (one.form) {
      case Form::kFlag:
        line.add_flag(option, target.flag, one.help);
        break;
      case Form::kWhole: {
        target.whole = usual.whole(one.name);
        Option& added = line.add(option, target.whole, one.whole, one.help);
        if (one.instead != nullptr) added.or_word(one.instead);
        if (target.whole) added.show_default();
        break;
      }
      case Form::kReal:
      case Form::kSingle:
        target.real = usual.real(one.name);
        line.add(option, target.real, one.real, one.help).show_default();
        break;
      case Form::kWord:
        target.word = usual.word(one.name);
        line.add(option, target.word, one.help).show_default();
        break;
    }
  }
}

std::string ParameterOptions::given(const Parameter& parameter, const Target& target) const {
  switch (parameter.form) {
    case Form::kFlag:
      return target.flag ? "true" : "false";
    case Form::kWhole:
      return target.whole ? fmt::format("{}", *target.whole) : parameter.instead;
    case Form::kReal:
    case Form::kSingle:
      return format_double(target.real);
    case Form::kWord:
      break;
  }
  return target.word;
}

Parameters ParameterOptions::values() const {
  Parameters values(parameters_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string text = given(parameters_[i], targets_[i]);
    if (values.set(parameters_[i], text)) continue;
    throw UsageError(fmt::format("{}: expected {}, got '{}'", option_of(parameters_[i]),
                                 expected_text(parameters_[i]), text));
  }
  return values;
}

}  // namespace colltree
