// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace colltree {

// While it lives, SIGINT, SIGTERM and SIGHUP (a batch system's job limit) only set a flag, so that
// what is measured is stored before the program ends.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_[3];
};

bool interrupted();

}  // namespace colltree
