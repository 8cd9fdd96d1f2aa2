// SPDX-License-Identifier: BSD-3-Clause
#include "report/method_index.h"

#include <algorithm>

namespace colltree {

std::size_t MethodIndex::operator()(const Method& method) {
  const auto found = std::ranges::find(methods_, method);
  const auto index = static_cast<std::size_t>(found - methods_.begin());
  if (found == methods_.end()) {
    methods_.push_back(method);
    shown_.push_back(false);
  }
  shown_[index] = true;
  return index;
}

std::vector<Method> MethodIndex::shown() const {
  std::vector<Method> methods;
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    if (shown_[m]) methods.push_back(methods_[m]);
  }
  return methods;
}

}  // namespace colltree
