// SPDX-License-Identifier: BSD-3-Clause
#include "measure/interrupt.h"

#include <atomic>

namespace colltree {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> flag = false;  // lock-free: set in a signal handler

void set_flag(int) { flag = true; }

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = false;
  struct sigaction action {};
  action.sa_handler = set_flag;
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

bool interrupted() { return flag; }

}  // namespace colltree
