// SPDX-License-Identifier: BSD-3-Clause
// The results file while a kit measures: continued where an earlier run ended.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "kit/results.h"
#include "measure/plan.h"

namespace colltree {

class Recorder {
 public:
  // Opens the file, which is made when it does not exist. Throws Error: it cannot be written, it is
  // something else, or it was measured by another launcher, library or plan.
  Recorder(const std::string& file, const ResultsHead& head);

  // Cells that have ended, whatever came of them.
  const std::set<std::string>& done() const { return done_; }

  // A report line, without its end. Throws Error when it cannot be written.
  void keep(std::string_view line);

 private:
  void read(const ResultsHead& head);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Descriptor file_;
  std::set<std::string> done_;
};

}  // namespace colltree
