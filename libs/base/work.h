// SPDX-License-Identifier: BSD-3-Clause
// Long work: its independent pieces on several cores, and its progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "base/not_copied.h"

namespace colltree {

// Calls work(0) to work(count - 1), each once, in any order, at most `most` at a time and one for
// each core. An exception of a piece is thrown when all are done; of several, that
// of the lowest number. A piece that calls this function does its own work alone, because the cores
// are busy.
void in_parallel(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work);

// The amount of work done at a time after the start.
struct ProgressPoint {
  std::uint64_t done = 0;
  double seconds = 0;
};

// Progress of long work: one rewritten line on a terminal, plain lines now and then elsewhere.
class Progress : NotCopied {
 public:
  // `total` units of work called `unit` ("cells"), under `title`. Writes to `out` (stderr by
  // default).
  Progress(std::string title, std::uint64_t total, std::string unit, std::FILE* out = stderr);
  ~Progress();

  void advance(std::uint64_t units = 1);
  // For work that must be done again.
  void take_back(std::uint64_t units) { done_ -= units; }
  // For work whose total is known only on the way.
  void set_total(std::uint64_t total) { total_ = total; }
  // The text after the figures.
  void set_note(std::string note) { note_ = std::move(note); }
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void show(bool last);

  std::string title_;
  std::uint64_t total_;
  std::string unit_;
  std::string note_;
  std::FILE* out_;
  bool terminal_;
  bool finished_ = false;
  std::uint64_t done_ = 0;
  ProgressPoint first_;
  Clock::time_point start_;
  Clock::time_point next_;
};

// "Grig bcast: 1200/14100 cells (8 %), 640 cells/s, 20 s left". The time left is estimated from the
// work after `first`, which holds what is needed before any work, such as the start of a job. It is
// left out before 2 % of the work and 3 s.
std::string progress_line(const std::string& title, ProgressPoint now, std::uint64_t total,
                          const std::string& unit, ProgressPoint first = {});

}  // namespace colltree
