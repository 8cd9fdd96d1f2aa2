// SPDX-License-Identifier: BSD-3-Clause
// Which block of a message travels when in the broadcast of n blocks over a circulant graph, in
// n - 1 + ceil(log2 p) rounds (Traff, Optimal broadcast schedules in logarithmic time with
// applications to broadcast, all-broadcast, reduction and all-reduction, 2024). Positions count
// from the root. In round i each position sends to the one skip(i mod q) above it.
#pragma once

namespace colltree {

class BlockSchedule {
 public:
  BlockSchedule(int size, int position);

  int steps() const { return steps_; }  // q = ceil(log2 size)
  int skip(int step) const { return skips_[step]; }
  // In step k of a turn of q rounds: the block received and the block sent, from -q to q - 1;
  // below 0 they are those of the turn before, plus q.
  int received(int step) const { return received_[step]; }
  int sent(int step) const { return sent_[step]; }

  // received() of any position, for all steps of a turn; O(log^2 size).
  void find_received(int position, int* received) const;

 private:
  static constexpr int kMost = 32;

  void find_skips();
  int base_block(int position) const;

  int size_;
  int steps_ = 0;
  int skips_[kMost + 1];
  int received_[kMost];
  int sent_[kMost];
};

}  // namespace colltree
