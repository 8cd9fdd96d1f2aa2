// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv kring: groups of k neighbouring ranks stand in a ring. Blocks of a group
// come from the group before it, each over a link of its own, and then go around inside the group,
// so that of all rounds only one in k leaves it (Wilkins, Guo, Thakur, Dinda, Hardavellas,
// Generalized collective algorithms for the exascale era, 2023, on k-ring). Here what came goes on
// to the next group while it goes around. Any number of ranks: groups, at least two, differ by at
// most one.
#include "algorithms/gathering.h"
#include "algorithms/power_group.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

class GroupRings {
 public:
  GroupRings(const Gathering& gathering, const Context& context)
      : g_(gathering),
        context_(context),
        count_(std::max(2, (g_.size + context.radix - 1) / context.radix)),
        ranks_(static_cast<std::size_t>(g_.size), count_),
        group_(group_of(g_.rank)) {}

  int run() const {
    for (int step = 0; step < count_; ++step) COLLTREE_TRY(pass(step));
    return g_.close(context_);
  }

 private:
  int begin(int group) const { return static_cast<int>(ranks_.begin(group)); }
  int members(int group) const { return static_cast<int>(ranks_.length(group)); }
  int group_of(int rank) const {
    int group = 0;
    while (begin(group + 1) <= rank) ++group;
    return group;
  }
  int around(int group) const { return (group + count_) % count_; }

  // The blocks of a group that come from outside to the member of this index among so many: in
  // groups of different sizes sometimes two or none.
  template <typename Visit>
  int for_each_block(int of_group, int index, int among, Visit visit) const {
    for (int i = index; i < members(of_group); i += among) {
      const int block = begin(of_group) + i;
      COLLTREE_TRY(visit(i, g_.space.at(block), g_.space.bytes(block)));
    }
    return MPI_SUCCESS;
  }

  // The blocks of the group so many steps back are there, a share at each member: they go around
  // here, and on to the next group, while those of the group before them come in.
  int pass(int step) const {
    const int of_group = around(group_ - step);
    const int own = g_.rank - begin(group_);
    Requests outside;
    if (step + 1 < count_) {
      COLLTREE_TRY(take_from_group_before(around(of_group - 1), own, outside));
      COLLTREE_TRY(give_to_next_group(of_group, own, outside));
    }
    const int here = members(group_);
    const int right = begin(group_) + (own + 1) % here;
    const int left = begin(group_) + (own + here - 1) % here;
    for (int turn = 0; turn < here - 1; ++turn) {
      Requests inside;
      COLLTREE_TRY(for_each_block(of_group, (own + 2 * here - turn - 1) % here, here,
                                  [&](int, std::byte* data, std::size_t bytes) {
                                    return inside.post_receive_bytes(data, bytes, left, context_);
                                  }));
      COLLTREE_TRY(for_each_block(of_group, (own + here - turn) % here, here,
                                  [&](int, const std::byte* data, std::size_t bytes) {
                                    return inside.post_send_bytes(data, bytes, right, context_);
                                  }));
      COLLTREE_TRY(inside.wait_all());
    }
    return outside.wait_all();
  }

  // From whom each block of the own share came to in the group before.
  int take_from_group_before(int of_group, int own, Requests& requests) const {
    const int before = around(group_ - 1);
    return for_each_block(of_group, own, members(group_),
                          [&](int i, std::byte* data, std::size_t bytes) {
                            return requests.post_receive_bytes(
                                data, bytes, begin(before) + i % members(before), context_);
                          });
  }
  int give_to_next_group(int of_group, int own, Requests& requests) const {
    const int next = around(group_ + 1);
    return for_each_block(
        of_group, own, members(group_), [&](int i, const std::byte* data, std::size_t bytes) {
          return requests.post_send_bytes(data, bytes, begin(next) + i % members(next), context_);
        });
  }

  const Gathering& g_;
  const Context& context_;
  int count_;  // of groups
  EqualParts ranks_;
  int group_;
};

int kring(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  return GroupRings(g, context).run();
}

}  // namespace

namespace rows {

int allgather_kring(const CollectiveCall& call, const Context& context) {
  return kring(call, context);
}
int allgatherv_kring(const CollectiveCall& call, const Context& context) {
  return kring(call, context);
}

}  // namespace rows

}  // namespace colltree
