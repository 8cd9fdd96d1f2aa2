// SPDX-License-Identifier: BSD-3-Clause
#include "base/test_sample.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace colltree::testing {
namespace {

std::size_t number(const char* variable, std::size_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace

std::size_t test_seed() { return number("COLLTREE_TEST_SEED", COLLTREE_COMMIT_NUMBER); }

std::size_t test_share() { return number("COLLTREE_TEST_SHARE", 10); }

std::vector<std::size_t> sampled(std::size_t count) {
  const std::size_t share = std::clamp<std::size_t>(test_share(), 1, 100);
  const std::size_t seed = test_seed();
  std::printf("COLLTREE_TEST_SHARE=%zu COLLTREE_TEST_SEED=%zu\n", share, seed);
  const std::size_t stride = std::min<std::size_t>((100 + share / 2) / share, count);
  std::vector<std::size_t> cases;
  for (std::size_t i = seed % std::max<std::size_t>(stride, 1); i < count; i += stride)
    cases.push_back(i);
  return cases;
}

std::size_t prime_stride(std::size_t stride) {
  const auto is_prime = [](std::size_t number) {
    for (std::size_t i = 2; i * i <= number; ++i)
      if (number % i == 0) return false;
    return true;
  };
  stride = stride * 100 / std::clamp<std::size_t>(test_share(), 1, 100);
  while (!is_prime(stride)) ++stride;
  return stride;
}

}  // namespace colltree::testing
