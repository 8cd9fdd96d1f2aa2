// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a kind of model as options of `colltree fit KIND`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "model/kind.h"

namespace colltree {

class ParameterOptions {
 public:
  // Declares --name for each. Lives as long as the command line, at one place.
  void declare(CommandLine& line, const Kind& kind);
  // What was given, once the command line has been read.
  Parameters values() const;

 private:
  // Where the option writes; which one counts follows from the parameter's form.
  struct Target {
    bool flag = false;
    std::optional<std::uint64_t> whole;
    double real = 0;
    std::string word;
  };
  std::string given(const Parameter& parameter, const Target& target) const;

  std::span<const Parameter> parameters_;
  std::vector<Target> targets_;
};

}  // namespace colltree
