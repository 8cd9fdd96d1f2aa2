// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace colltree {

namespace {

thread_local bool in_a_piece = false;

}  // namespace

void in_parallel(std::size_t count, std::size_t most,
                 const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(count);
  const bool inside = in_a_piece;
  const auto run = [&] {
    in_a_piece = true;
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
    in_a_piece = inside;
  };
  const std::size_t cores = inside ? 1 : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min({count, most, cores})) others.emplace_back(run);
    } catch (const std::system_error&) {
      // No more threads are to be had: those that there are do it.
    }
    run();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace colltree
