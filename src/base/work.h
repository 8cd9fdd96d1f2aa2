// SPDX-License-Identifier: BSD-3-Clause
// Long work: its independent pieces on several cores, and how far it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

namespace colltree {

// Calls work(0) to work(count - 1), each once, in any order, at most `most` at a time and no more
// than there are cores. What a piece throws is thrown when all are done, of several the one of the
// lowest number. A piece that has work of this kind itself does it alone: the cores are busy.
void in_parallel(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work);

// How much was done how long after the start.
struct ProgressPoint {
  std::uint64_t done = 0;
  double seconds = 0;
};

// Progress of long work: one rewritten line on a terminal, plain lines now and then elsewhere.
class Progress {
 public:
  // `total` units of work called `unit` ("cells"), under `title`. Writes to `out` (stderr by
  // default).
  Progress(std::string title, std::uint64_t total, std::string unit, std::FILE* out = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t units = 1);
  // Work that must be done again.
  void take_back(std::uint64_t units) { done_ -= units; }
  // Work whose end turns out on the way.
  void set_total(std::uint64_t total) { total_ = total; }
  // Said behind the figures.
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

// "Grig bcast: 1200/14100 cells (8 %), 640 cells/s, 20 s left". The time left is that of the work
// behind `first`, which holds what is needed before any work, such as the start of a job. It is not
// known, and left out, before 2 % of the work and 3 s.
std::string progress_line(const std::string& title, ProgressPoint now, std::uint64_t total,
                          const std::string& unit, ProgressPoint first = {});

}  // namespace colltree
