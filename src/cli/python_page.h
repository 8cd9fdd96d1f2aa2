// SPDX-License-Identifier: BSD-3-Clause
// The page of `colltree report`, which the Python package writes (python/colltree/_report.py) from
// the data that the program computes.
#pragma once

#include <string>

#include "base/json.h"

namespace colltree::cli {

// A Python that has what the page needs, found before the data are computed. Throws Error where
// there is none.
class PagePython {
 public:
  PagePython();

  // The page of the data of `colltree report --json`. Throws Error with the first line of the
  // package's.
  std::string page(const Json& data) const;

 private:
  std::string python_;
  std::string folder_;  // of the package; "": where this Python finds it
};

}  // namespace colltree::cli
