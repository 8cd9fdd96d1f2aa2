// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/block_schedule.h"

namespace colltree {

namespace {

// The steps that a path from the root may still take, the longest first: a list from which each
// that is found is taken out. Index 0 stands for the end.
class OpenSteps {
 public:
  explicit OpenSteps(int steps) {
    for (int i = 0; i <= steps + 1; ++i) {
      next_[i] = i - 1;
      before_[i] = i + 1;
    }
    before_[steps + 1] = 0;
    next_[0] = steps + 1;
  }
  void remove(int step) {
    const int i = step + 1;
    next_[before_[i]] = next_[i];
    before_[next_[i]] = before_[i];
  }
  int first() const { return next_[0] - 1; }
  int next(int step) const { return next_[step + 1] - 1; }  // -1: there is none

 private:
  int next_[34];
  int before_[34];
};

// A depth-first search for the paths, sums of different skips, on which the blocks of one turn
// come to a position: for each step the longest path that ends early enough and is shorter than
// the one found for the step before.
class PathSearch {
 public:
  PathSearch(const int* skips, int steps, long target, OpenSteps& open, int* found)
      : skips_(skips),
        steps_(steps),
        target_(target),
        last_(2L * skips[steps]),
        open_(open),
        found_(found) {}

  void run(long path, int step) {
    for (; step >= 0; step = open_.next(step)) {
      const long longer = path + skips_[step];
      if (done_ == steps_ || longer > target_ - skips_[done_] || longer >= last_) continue;
      if (longer <= target_ - skips_[done_ + 1]) run(longer, step);
      if (done_ == steps_ || path > target_ - skips_[done_ + 1]) return;
      last_ = longer;
      found_[done_++] = step;
      open_.remove(step);
    }
  }

 private:
  const int* skips_;
  int steps_;
  long target_;
  long last_;
  OpenSteps& open_;
  int* found_;
  int done_ = 0;
};

}  // namespace

BlockSchedule::BlockSchedule(int size, int position) : size_(size) {
  find_skips();
  find_received(position, received_);
  for (int step = 0; step < steps_; ++step) {
    int theirs[kMost];
    const long to = long{position} + skips_[step];
    find_received(static_cast<int>(to % size_), theirs);
    sent_[step] = theirs[step];
  }
}

void BlockSchedule::find_skips() {
  while (((size_ - 1) >> steps_) != 0) ++steps_;
  skips_[steps_] = size_;
  for (int step = steps_; step > 0; --step) skips_[step - 1] = skips_[step] / 2 + skips_[step] % 2;
}

// The last step of the shortest path there: the block that comes along it is a turn's new one.
int BlockSchedule::base_block(int position) const {
  for (int step = steps_ - 1; step >= 0; --step) {
    if (skips_[step] == position) return step;
    if (skips_[step] < position) position -= skips_[step];
  }
  return steps_;
}

void BlockSchedule::find_received(int position, int* received) const {
  const int base = base_block(position);
  OpenSteps open(steps_);
  open.remove(base);
  PathSearch(skips_, steps_, long{size_} + position, open, received).run(0, open.first());
  for (int step = 0; step < steps_; ++step)
    received[step] = received[step] == steps_ ? base : received[step] - steps_;
}

}  // namespace colltree
