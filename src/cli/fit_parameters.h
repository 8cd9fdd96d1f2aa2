// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a kind of model as options of `colltree fit KIND`.
#pragma once

#include <optional>

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
  std::optional<Parameters> parameters_;
};

}  // namespace colltree
