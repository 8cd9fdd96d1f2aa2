// SPDX-License-Identifier: BSD-3-Clause
#include "rank/repetitions.h"

#include <algorithm>

#include "base/statistics.h"

namespace colltree::rank {

OffsetEstimate estimate_offset(const std::vector<PingPong>& trials) {
  const auto round_trip = [](const PingPong& trial) { return trial.received - trial.sent; };
  const PingPong& best = *std::ranges::min_element(trials, {}, round_trip);
  return {(best.sent + best.received) / 2 - best.answered, round_trip(best) / 2, best.answered};
}

double extrapolate_offset(const std::deque<OffsetEstimate>& estimates, double clock_time) {
  if (estimates.empty()) return 0;
  if (estimates.size() < 3) return estimates.back().offset;
  // Centred on the newest estimate: clocks count from the boot, and squares of that lose digits.
  const OffsetEstimate& newest = estimates.back();
  double mean_time = 0;
  double mean_offset = 0;
  for (const OffsetEstimate& estimate : estimates) {
    mean_time += (estimate.time - newest.time) / static_cast<double>(estimates.size());
    mean_offset += (estimate.offset - newest.offset) / static_cast<double>(estimates.size());
  }
  double covariance = 0;
  double variance = 0;
  for (const OffsetEstimate& estimate : estimates) {
    const double time = estimate.time - newest.time - mean_time;
    covariance += time * (estimate.offset - newest.offset - mean_offset);
    variance += time * time;
  }
  const double slope = variance > 0 ? covariance / variance : 0;
  return newest.offset + mean_offset + slope * (clock_time - newest.time - mean_time);
}

double StartWindow::first_start(double now) const {
  // The broadcast that announces it must be over on every rank.
  constexpr double kAnnouncement = 10 * kSmallest;
  return now + std::max(kAnnouncement, 2 * seconds_);
}

Durations StartWindow::settle(Durations longest) {
  const auto missed = static_cast<std::size_t>(std::ranges::count(longest, kLate));
  double usual = kSmallest;
  for (double& duration : longest) {
    if (duration == kLate) {
      duration = kMissed;
    } else if (duration == kLostCore) {
      duration = kDisturbed;
    } else {
      usual = std::max(usual, duration);
    }
  }
  // A tenth missed is fine (interrupts); more means that calls run into the next start.
  const bool overrun = 10 * missed > longest.size();
  seconds_ = std::clamp(overrun ? 4 * seconds_ : 2 * usual, kSmallest, kLargest);
  return longest;
}

namespace {

constexpr std::uint64_t kFirstBatch = 10;
constexpr double kPatience = 10;
constexpr double kLeastPatience_s = 1;
constexpr std::uint64_t kMostTries = 3;  // times max_samples, when many miss the common start

}  // namespace

std::size_t Sampling::next_batch() {
  if (tried() == 0) began_s_ = clock_s_();
  if (enough()) return 0;
  return static_cast<std::size_t>(std::min(
      {std::max(kFirstBatch, tried()), stop_.max_samples - samples_us_.size(), affordable()}));
}

// A cell without a single sample is worth more time: its window must first grow, and others may
// keep the cores for a while.
double Sampling::budget_s() const {
  if (!samples_us_.empty() || stop_.cell_budget_s <= 0) return stop_.cell_budget_s;
  return std::max(kPatience * stop_.cell_budget_s, kLeastPatience_s);
}

// The repetitions that the time limit leaves. A method that runs away is cut short: a batch of it
// is not worth many times the time of a cell.
std::uint64_t Sampling::affordable() const {
  if (call_s_ <= 0 || stop_.cell_budget_s <= 0) return stop_.max_samples;
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(
             std::min(stop_.cell_budget_s / call_s_, static_cast<double>(stop_.max_samples))));
}

void Sampling::add(const Durations& batch) {
  for (const double seconds : batch) {
    if (seconds < 0) {
      ++discarded_;
    } else {
      samples_us_.push_back(seconds * 1e6);
    }
  }
}

bool Sampling::enough() const {
  if (samples_us_.size() >= stop_.min_samples &&
      relative_half_width(samples_us_, stop_.confidence) <= stop_.max_half_width)
    return true;
  if (samples_us_.size() >= stop_.max_samples) return true;
  // Only time ends a cell that has a limit and no sample yet.
  const bool waits = samples_us_.empty() && stop_.cell_budget_s > 0;
  if (!waits && tried() >= kMostTries * stop_.max_samples) return true;
  return tried() > 0 && clock_s_() - began_s_ > budget_s();
}

}  // namespace colltree::rank
