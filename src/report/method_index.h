// SPDX-License-Identifier: BSD-3-Clause
// Methods as numbers in the page: those of the timings first, in tie order, then whatever else a
// model names. And which of them a picture shows: only these need a colour.
#pragma once

#include <vector>

#include "timings/timings.h"

namespace colltree {

class MethodIndex {
 public:
  explicit MethodIndex(const Timings& timings)
      : methods_(timings.methods), shown_(methods_.size()) {}

  // Its number; a method that is asked for here is shown somewhere.
  std::size_t operator()(const Method& method);

  const std::vector<Method>& methods() const { return methods_; }
  std::vector<Method> shown() const;
  bool is_shown(std::size_t method) const { return shown_[method]; }

 private:
  std::vector<Method> methods_;
  std::vector<bool> shown_;
};

}  // namespace colltree
