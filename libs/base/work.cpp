// SPDX-License-Identifier: BSD-3-Clause
#include "base/work.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
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
      // No more threads are available; the existing ones do the work.
    }
    run();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

namespace {

std::string format_seconds(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_line(const std::string& title, ProgressPoint now, std::uint64_t total,
                          const std::string& unit, ProgressPoint first) {
  constexpr double kKnownFrom_s = 3;
  constexpr double kKnownFrom = 0.02;
  const auto done = static_cast<double>(now.done);
  const double share = total == 0 ? 1.0 : done / static_cast<double>(total);
  std::string line =
      fmt::format("{}: {}/{} {} ({:.0f} %)", title, now.done, total, unit, share * 100);
  if (now.seconds <= 0 || now.done == 0) return line;
  const double rate = done / now.seconds;
  line += fmt::format(", {:.{}f} {}/s", rate, rate < 10 ? 1 : 0, unit);
  if (now.done >= total) return line + fmt::format(", {}", format_seconds(now.seconds));
  if (now.done <= first.done || share < kKnownFrom || now.seconds < kKnownFrom_s) return line;
  const double unit_s = (now.seconds - first.seconds) / static_cast<double>(now.done - first.done);
  return line +
         fmt::format(", {} left", format_seconds(unit_s * static_cast<double>(total - now.done)));
}

Progress::Progress(std::string title, std::uint64_t total, std::string unit, std::FILE* out)
    : title_(std::move(title)),
      total_(total),
      unit_(std::move(unit)),
      out_(out),
      terminal_(::isatty(::fileno(out)) == 1),
      start_(Clock::now()),
      next_(start_) {}

Progress::~Progress() { finish(); }

void Progress::advance(std::uint64_t units) {
  done_ += units;
  const auto now = Clock::now();
  if (first_.done == 0) first_ = {done_, std::chrono::duration<double>(now - start_).count()};
  if (now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
  show(false);
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  show(true);
}

void Progress::show(bool last) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string line =
      progress_line(title_, {done_, seconds}, std::max(done_, total_), unit_, first_);
  if (!note_.empty()) line += "; " + note_;
  const std::string text =
      terminal_ ? fmt::format("\r\033[K{}{}", line, last ? "\n" : "") : line + "\n";
  // A progress line that cannot be written is no reason to stop the work.
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

}  // namespace colltree
