// SPDX-License-Identifier: BSD-3-Clause
#include "expected.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

namespace colltree::test {

namespace {

using Number = std::uint64_t;

// A call: p ranks, m bytes (of the message, or of a block), radix k, in segments of g bytes.
struct Of {
  Number p;
  Number m;
  Number k;
  Number s = 1;  // segments
  Number g = 0;
  Number n = 1;        // nodes
  Number l = 0;        // ranks of the fullest
  Number squares = 0;  // of the ranks of each, summed
  Number up = 0;       // blocks that pass the edges of a binomial tree in each, summed
  Number f = 0;        // leaders of a node
  Number at_root = 0;  // ranks on the root's node
  const std::vector<Number>* ranks_on = nullptr;  // by node

  Number others() const { return p - 1; }
  Number levels() const { return static_cast<Number>(std::bit_width(p - 1)); }
  // The exchanges by powers of two: 2^steps members, `more` ranks that join one of them.
  Number members() const { return std::bit_floor(p); }
  Number steps() const { return static_cast<Number>(std::bit_width(p)) - 1; }
  Number more() const { return p - members(); }
  Number join() const { return more() == 0 ? 0 : 1; }  // a round
  // Blocks that pass the edges of a k-nomial tree when each rank's comes to the root.
  Number blocks_up(Number radix) const {
    Number sum = 0;
    for (Number position = 1; position < p; ++position) {
      Number below = 1;
      while (position % (below * radix) == 0) below *= radix;
      sum += std::min(below, p - position);
    }
    return sum;
  }
  Number blocks_up_binomial() const { return blocks_up(2); }
};

Number binary_depth(Number p) { return static_cast<Number>(std::bit_width(p)) - 1; }

// Rounds, messages of one rank, and blocks that one rank sends, of Bruck's two exchanges.
struct Bruck {
  Number rounds = 0;
  Number messages = 0;
  Number blocks = 0;
};
Bruck gathering(const Of& c) {
  Bruck sum;
  for (Number have = 1; have < c.p; have *= c.k) {
    ++sum.rounds;
    for (Number j = 1; j < c.k && j * have < c.p; ++j) {
      ++sum.messages;
      sum.blocks += std::min(have, c.p - j * have);
    }
  }
  return sum;
}
Bruck exchanging(const Of& c) {
  Bruck sum;
  for (Number weight = 1; weight < c.p; weight *= c.k) {
    ++sum.rounds;
    for (Number digit = 1; digit < c.k && digit * weight < c.p; ++digit) {
      ++sum.messages;
      for (Number distance = 1; distance < c.p; ++distance)
        sum.blocks += distance / weight % c.k == digit ? 1 : 0;
    }
  }
  return sum;
}

Expected everyone(const Of& c, Number steps, Number bytes_each) {
  return {steps, c.p * steps, c.p * bytes_each};
}
Expected everyone(const Of& c, const Bruck& one) {
  return {one.rounds, c.p * one.messages, c.p * one.blocks * c.m, c.k - 1};
}
Expected along(const Of& c, Number rounds) { return {rounds, c.others(), c.others() * c.m}; }

// Around a ring, or with each rank in turn, p - 1 times.
Expected ring(const Of& c) { return everyone(c, c.others(), c.others() * c.m); }
Expected gather_doubling(const Of& c) { return everyone(c, c.levels(), c.others() * c.m); }
Expected gather_bruck(const Of& c) { return everyone(c, gathering(c)); }
Expected gather_neighbours(const Of& c) { return everyone(c, c.p / 2, c.others() * c.m); }
// A ring of rings of k; of groups that are not alike some ranks get two blocks at once.
Expected gather_kring(const Of& c) {
  const Number groups = std::max<Number>(2, (c.p + c.k - 1) / c.k);
  const Number messages = c.p * c.others();
  return {c.p % groups == 0 ? c.others() : kNotSaid, messages, messages * c.m, 2};
}
Expected gather_then_bcast(const Of& c) {
  return {2 * c.levels(), 2 * c.others(), (c.blocks_up_binomial() + c.others() * c.p) * c.m};
}
Expected all_at_once(const Of& c) {
  return {1, c.p * c.others(), c.p * c.others() * c.m, c.others()};
}
// A power of two of ranks: half of all blocks in each step.
Expected alltoall_halves(const Of& c) {
  return everyone(c, c.levels(), c.levels() * c.p / 2 * c.m);
}
Expected alltoall_bruck(const Of& c) { return everyone(c, exchanging(c)); }

Expected barrier_tree(const Of& c) { return {2 * c.levels(), 2 * c.others(), 0}; }
Expected barrier_double_ring(const Of& c) { return {2 * c.p, 2 * c.p, 0}; }
Expected barrier_dissemination(const Of& c) { return everyone({c.p, 0, c.k}, gathering(c)); }
Expected barrier_doubling(const Of& c) {
  return {c.steps() + 2 * c.join(), c.members() * c.steps() + 2 * c.more(), 0};
}

Expected linear(const Of& c) { return along(c, c.others()); }
Expected binomial(const Of& c) { return along(c, c.levels()); }
Expected binary(const Of& c) { return along(c, 2 * binary_depth(c.p)); }
Expected knomial(const Of& c) {
  Number levels = 0;
  for (Number have = 1; have < c.p; have *= c.k) ++levels;
  return {levels, c.others(), c.others() * c.m, c.k - 1};
}
Expected split_binary(const Of& c) {
  const Number single = c.p % 2 == 0 ? 1 : 0;
  return {2 * binary_depth(c.p) + 1 + single, 2 * c.others(), c.others() * c.m};
}
Expected scattered_then(const Of& c, Number steps) {
  const Number piece = c.m / c.p;
  return {c.levels() + steps, c.others() + c.p * steps,
          (c.blocks_up_binomial() + c.p * c.others()) * piece};
}
Expected scatter_allgather(const Of& c) { return scattered_then(c, c.levels()); }
Expected scatter_allgather_ring(const Of& c) { return scattered_then(c, c.others()); }
Expected in_order_binary(const Of& c) { return {2 * binary_depth(c.p) + 1, c.p, c.p * c.m}; }
// A rank takes one message of a level after the other.
Expected knomial_up(const Of& c) {
  Expected one = knomial(c);
  one.rounds *= c.k - 1;
  one.ports = 1;
  return one;
}
// Halving sends all but one part of each member's, then the parts come up a binomial tree.
Expected reduce_rabenseifner(const Of& c) {
  const Number all = c.members();
  const Number words = c.m / 8;
  const auto begin = [&](Number part) {
    return part * (words / all) + std::min(part, words % all);
  };
  Number gathered = 0;
  for (Number member = 1; member < all; ++member)
    gathered += begin(member + (member & -member)) - begin(member);
  return {2 * c.steps() + c.join(), all * c.steps() + all - 1 + c.more(),
          (c.more() + all - 1) * c.m + 8 * gathered};
}

Expected reduce_bcast(const Of& c) {
  return {2 * c.levels(), 2 * c.others(), 2 * c.others() * c.m};
}
Expected allreduce_doubling(const Of& c) {
  const Number messages = c.members() * c.steps() + 2 * c.more();
  return {c.steps() + 2 * c.join(), messages, messages * c.m};
}
// All ranks in exchanges of up to k, where their number is such a product; else a digit times a
// power of k of them, which the others join.
struct Multiplying {
  Number steps = 0;
  Number sent = 0;  // messages of a member
  Number members = 1;

  explicit Multiplying(const Of& c) {
    Number rest = c.p;
    for (Number factor = c.k; factor > 1; --factor) {
      for (; rest % factor == 0; rest /= factor) add(factor);
    }
    Number powers = 0;
    Number most = 1;
    for (; most * c.k <= c.p; most *= c.k) ++powers;
    const Number digit = c.p / most;
    const Number most_steps = powers + (digit > 1 ? 1 : 0);
    if (rest == 1 && steps <= most_steps + (digit * most == c.p ? 0 : 2)) return;
    *this = {most_steps, powers * (c.k - 1) + digit - 1, digit * most};
  }

 private:
  Multiplying(Number some_steps, Number some_sent, Number some_members)
      : steps(some_steps), sent(some_sent), members(some_members) {}
  void add(Number factor) {
    ++steps;
    sent += factor - 1;
    members *= factor;
  }
};
Expected allreduce_multiplying(const Of& c) {
  const Multiplying by(c);
  const Number joining = c.p - by.members;
  const Number messages = by.members * by.sent + 2 * joining;
  return {by.steps + (joining == 0 ? 0 : 2), messages, messages * c.m, c.k - 1};
}
// Blocks, from members that stand for all ranks: each block goes to every other member. Ranks that
// join hand over one of them and get all, or the other way round.
Expected blocks_among(const Of& c, Number steps, Number messages, Number members, Number ports) {
  const Number joining = c.p - members;
  return {steps + (joining == 0 ? 0 : 2), messages,
          (c.p * (members - 1) + joining * (c.p + 1)) * c.m, ports};
}
Expected gather_multiplying(const Of& c) {
  const Multiplying by(c);
  return blocks_among(c, by.steps, by.members * by.sent + 2 * (c.p - by.members), by.members,
                      c.k - 1);
}

Expected allreduce_ring(const Of& c) {
  return {2 * c.others(), 2 * c.p * c.others(), 2 * c.others() * c.m};
}
Expected allreduce_rabenseifner(const Of& c) {
  return {2 * (c.steps() + c.join()), 2 * (c.members() * c.steps() + c.more()),
          2 * (c.members() - 1 + c.more()) * c.m};
}

// A piece of each rank goes around in segments, and once more whole.
Expected segmented_ring(const Of& c) {
  const Number segments = (c.m / c.p + c.g - 1) / c.g;
  return {kNotSaid, (segments + 1) * c.p * c.others(), 2 * c.others() * c.m};
}

Expected gather_binomial(const Of& c) {
  return {c.levels(), c.others(), c.blocks_up_binomial() * c.m};
}
Expected gather_knomial(const Of& c) {
  Expected one = knomial(c);
  one.bytes = c.blocks_up(c.k) * c.m;
  return one;
}
// One message after the other.
Expected scatter_knomial(const Of& c) {
  Expected one = knomial_up(c);
  one.bytes = c.blocks_up(c.k) * c.m;
  return one;
}
// Edges of the Bine tree between each member and the root, summed over all ranks: in each step who
// is there tells one that is 1, -1, 3, -5, 11, ... (from the last step backwards) above an even,
// below an odd one; ranks that are no members are one edge further.
Number blocks_up_bine(const Of& c) {
  const auto members = static_cast<std::int64_t>(c.members());
  std::vector<std::int64_t> depth(c.members(), -1);
  depth[0] = 0;
  for (Number left = c.steps(); left > 0; --left) {
    const std::int64_t power = std::int64_t{1} << left;
    const std::int64_t distance = (1 - (left % 2 == 0 ? power : -power)) / 3;
    const std::vector<std::int64_t> before = depth;
    for (std::int64_t i = 0; i < members; ++i) {
      if (before[static_cast<Number>(i)] < 0) continue;
      const std::int64_t other = (i % 2 == 0 ? i + distance : i - distance) + 2 * members;
      depth[static_cast<Number>(other % members)] = before[static_cast<Number>(i)] + 1;
    }
  }
  Number sum = c.more();
  for (Number i = 0; i < c.members(); ++i)
    sum += static_cast<Number>(depth[i]) * (i < c.more() ? 2 : 1);
  return sum;
}
// As binomial, some messages to or from the root in two parts.
Expected bine_gather_up(const Of& c) { return {c.levels(), kNotSaid, blocks_up_bine(c) * c.m, 2}; }
// A question, and all of the block.
Expected in_turn(const Of& c) { return {c.others() + 1, 2 * c.others(), c.others() * c.m}; }

Expected scatterv(const Of& c) {
  return {c.levels() + c.others(), 2 * c.others(), (c.p + 1) * c.others() * c.m};
}

Expected scan_doubling(const Of& c) {
  Number messages = 0;
  for (Number distance = 1; distance < c.members() * 2 && distance < c.p; distance *= 2) {
    for (Number rank = 0; rank < c.p; ++rank) messages += (rank ^ distance) < c.p ? 1 : 0;
  }
  return {c.levels(), messages, messages * c.m};
}
Expected scan_binomial(const Of& c) {
  // Up: each position (from 1) that is no power of two's last child; down: the gaps.
  Number messages = 0;
  for (Number distance = 1; distance < c.p; distance *= 2) {
    messages += c.p / (2 * distance);  // up
    if (c.p >= 3 * distance) messages += (c.p - distance) / (2 * distance);
  }
  return {2 * c.levels(), messages, messages * c.m};
}

// reduce_scatter_block: all blocks halved among the members, which then hold one member's.
Expected halved(const Of& c) {
  return {c.steps() + 2 * c.join(), c.members() * c.steps() + 2 * c.more(),
          (c.more() + c.members() - 1) * c.p * c.m + c.more() * c.m};
}

// The same with near ranks first: the blocks of a member are then held by its mirror image.
Expected butterfly(const Of& c) {
  Number handed_over = 0;
  for (Number rank = 0; rank < c.p; ++rank) {
    Number member = rank < 2 * c.more() ? rank / 2 : rank - c.more();
    Number image = 0;
    for (Number bit = 1; bit < c.members(); bit *= 2, member /= 2) image = 2 * image + member % 2;
    const Number holder = image < c.more() ? 2 * image : image + c.more();
    if (holder != rank) ++handed_over;
  }
  return {c.steps() + 3 * c.join() + 1, c.members() * c.steps() + c.more() + handed_over,
          (c.more() + c.members() - 1) * c.p * c.m + handed_over * c.m};
}

// Any number of ranks; a message is cut in two where it passes the last rank.
Expected circulant_halved(const Of& c, Number block) {
  return {c.levels(), kNotSaid, c.p * c.others() * block, 2};
}
Expected circulant_scatter(const Of& c) { return circulant_halved(c, c.m); }
Expected circulant_allreduce(const Of& c) {
  Expected one = circulant_halved(c, c.m / c.p);
  one.rounds *= 2;
  one.bytes *= 2;
  return one;
}
// As recursive halving and doubling; ranges around the end are cut in two there.
Expected bine_gather(const Of& c) { return blocks_among(c, c.steps(), kNotSaid, c.members(), 2); }
// Of blocks of one size, in pieces.
Expected circulant_blocks(const Of& c) {
  return {c.s - 1 + c.levels(), kNotSaid, c.p * c.others() * c.m};
}
Expected bine_allreduce(const Of& c) {
  Expected one = allreduce_rabenseifner(c);
  one.messages = kNotSaid;
  one.ports = 2;
  return one;
}
Expected n_blocks(const Of& c) {
  return {c.s - 1 + c.levels(), c.s * c.others(), c.others() * c.m};
}

// A half of the message, which is cut at whole `units`, along each of two trees in which the
// message has to pass `levels` from or to the ends.
Expected dual_tree(const Of& c, Number unit, Number edges, Number levels) {
  const Number units = c.m / unit;
  const Number larger = (units + 1) / 2 * unit;
  Number pieces = 0;
  for (const Number half : {larger, c.m - larger})
    pieces += c.g == 0 ? (half == 0 ? 0 : 1) : (half + c.g - 1) / c.g;
  return {pieces > 2 ? kNotSaid : 2 * levels + pieces, pieces * edges, edges * c.m};
}
Number in_order_levels(Number nodes) { return static_cast<Number>(std::bit_width(nodes)); }
Expected dual_tree_down(const Of& c) {
  return dual_tree(c, 1, c.others(), in_order_levels(c.others()));
}
Expected dual_tree_up(const Of& c) {
  return dual_tree(c, 8, c.others(), in_order_levels(c.others()));
}
// All ranks stand in both trees.
Expected dual_tree_both(const Of& c) {
  Expected one = dual_tree(c, 8, c.others(), in_order_levels(c.p));
  if (one.rounds != kNotSaid) one.rounds *= 2;
  one.messages *= 2;
  one.bytes *= 2;
  return one;
}

// Two binary trees, each over a half of the ranks; of each segment a rank does at most three
// exchanges.
Expected dual_root(const Of& c) {
  const Number messages = 2 * c.others();
  return {4 * binary_depth((c.p + 1) / 2) + 1 + 3 * (c.s - 1), c.s * messages, messages * c.m};
}

// Segments follow each other down a tree, or up.
Expected segmented(const Of& c, Expected one) {
  if (c.s > 1) one.rounds = kNotSaid;
  one.messages *= c.s;
  return one;
}
Expected segmented_binomial(const Of& c) { return segmented(c, binomial(c)); }
Expected segmented_binary(const Of& c) { return segmented(c, binary(c)); }
Expected segmented_knomial(const Of& c) { return segmented(c, knomial(c)); }
Expected segmented_knomial_up(const Of& c) { return segmented(c, knomial_up(c)); }
Expected pipeline(const Of& c) {
  Expected one = linear(c);
  one.rounds += c.s - 1;
  one.messages *= c.s;
  return one;
}

// Knowing the nodes: a part among the n nodes, by one rank of each or by l, a part inside them.
Of nodes_of(const Of& c, Number bytes) { return {c.n, bytes, 2}; }
Of node_of(const Of& c, Number bytes) { return {c.l, bytes, 2}; }

// A message passes once between a node and another.
Expected over_nodes(const Of& c, Expected (*tree)(const Of&)) {
  const Expected nodes = tree({c.n, c.m, c.k});
  const Expected node = tree({c.l, c.m, c.k});
  return {c.s > 1 ? kNotSaid : nodes.rounds + node.rounds,
          c.s * c.others(),
          c.others() * c.m,
          nodes.ports,
          c.s * (c.n - 1),
          (c.n - 1) * c.m};
}
Expected bcast_over_nodes(const Of& c) { return over_nodes(c, knomial); }
Expected reduce_over_nodes(const Of& c) { return over_nodes(c, knomial_up); }
// Up to the leaders and down again, and what these do.
Expected by_leaders(const Of& c, const Expected& leaders) {
  const Number there = 2 * (c.p - c.n);
  return {leaders.rounds + 2 * node_of(c, 0).levels(),
          leaders.messages + there,
          leaders.bytes + there * c.m,
          1,
          leaders.messages,
          leaders.bytes};
}
Expected allreduce_by_leaders(const Of& c) {
  return by_leaders(c, allreduce_doubling(nodes_of(c, c.m)));
}
Expected barrier_by_leaders(const Of& call) {
  Of c = call;
  c.m = 0;
  return by_leaders(c, barrier_dissemination(nodes_of(c, 0)));
}
// Each of f lanes has a part of the message, and on a node of fewer ranks some lead several.
struct Parts {
  Of lane;
  bool is_short;
  bool has_small_node = false;
  Number inside;  // bytes, when each rank gives or gets the parts of the others of its node

  explicit Parts(const Of& c)
      : lane(nodes_of(c, (c.m / 8 + c.f - 1) / c.f * 8)),
        is_short(lane.m <= 16384),
        inside((c.p - c.n) * c.m) {
    for (const Number ranks : *c.ranks_on) has_small_node = has_small_node || ranks < c.f;
  }
  // Of as many messages in each lane as `one` has, with all parts together; long ones are cut
  // further, and so only said where they are alike.
  Number messages(const Of& c, const Expected& one) const {
    return c.m / 8 < c.f ? kNotSaid : c.f * one.messages;
  }
  Number bytes(const Of& c, const Expected& one) const {
    return is_short ? one.messages * c.m : c.f * one.bytes;
  }
};
Expected multi_leader(const Of& c) {
  const Parts parts(c);
  const Expected one =
      parts.is_short ? allreduce_doubling(parts.lane) : circulant_allreduce(parts.lane);
  const Number between = parts.bytes(c, one);
  return {parts.has_small_node ? kNotSaid : one.rounds + 2 * node_of(c, 0).levels(),
          kNotSaid,
          between + 2 * parts.inside,
          2,
          parts.is_short ? parts.messages(c, one) : kNotSaid,
          between};
}

// The same for one message, which a rank of one node has or gets: of its own lanes it does so
// already. `unit`: bytes at which it may be cut.
Number parts_of_others(const Of& c, Number unit) {
  const Number lanes = c.at_root < c.f ? (c.f + c.at_root - 1) / c.at_root : 1;
  const Number units = c.m / unit;
  return c.m - (lanes * (units / c.f) + std::min(lanes, units % c.f)) * unit;
}
Expected bcast_multi_leader(const Of& c) {
  const Parts parts(c);
  const Number segments = parts.is_short ? 1 : (parts.lane.m + 16383) / 16384;
  const Number between = (c.n - 1) * c.m;
  return {segments == 1 && !parts.has_small_node
              ? c.f - 1 + parts.lane.levels() + node_of(c, 0).levels()
              : kNotSaid,
          kNotSaid,
          between + parts.inside + parts_of_others(c, 1),
          2,
          c.m < c.f ? kNotSaid : segments * c.f * (c.n - 1),
          between};
}
Expected reduce_multi_leader(const Of& c) {
  const Parts parts(c);
  const Expected one = parts.is_short ? binomial(parts.lane) : reduce_rabenseifner(parts.lane);
  const Number between = parts.bytes(c, one);
  return {parts.has_small_node ? kNotSaid : node_of(c, 0).levels() + one.rounds + c.f - 1,
          kNotSaid,
          between + parts.inside + parts_of_others(c, 8),
          2,
          parts.messages(c, one),
          between};
}

// Blocks come to the leaders, go to every other node, and all of them down again.
Expected gather_by_leaders(const Of& c) {
  const Number among = c.p * (c.n - 1) * c.m;
  const bool is_collected = c.p * c.m <= 16384;
  const Number messages = c.n * nodes_of(c, 0).levels();
  return {2 * node_of(c, 0).levels() + nodes_of(c, 0).levels(),
          is_collected ? 2 * (c.p - c.n) + messages : kNotSaid,
          (c.up + (c.p - c.n) * c.p) * c.m + among,
          2,
          is_collected ? messages : kNotSaid,
          among};
}
// Nodes of up to l ranks, of which f lead a lane; a node of fewer leads them all the same. Long
// blocks are exchanged one by one inside a node that has no more ranks than lanes.
struct Lanes {
  Number leaders = 0;           // of all nodes
  Number up = 0;                // blocks that pass the edges of binomial trees of the groups
  Number inside = 0;            // messages from each leader to each other rank of its node
  Number largest = 0;           // group
  bool has_small_node = false;  // one whose ranks lead several lanes
  bool all_lead = false;        // on some node

  explicit Lanes(const Of& c) {
    for (const Number ranks : *c.ranks_on) {
      const Number here = std::min(c.f, ranks);
      leaders += here;
      inside += here * (ranks - 1);
      has_small_node = has_small_node || ranks < c.f;
      all_lead = all_lead || ranks <= c.f;
      for (Number i = 0; i < here; ++i) {  // groups of two neighbouring sizes
        const Number group = ranks / here + (i < ranks % here ? 1 : 0);
        largest = std::max(largest, group);
        up += Of{group, 0, 2}.blocks_up_binomial();
      }
    }
  }
};
Expected gather_by_lanes(const Of& c) {
  const Lanes lanes(c);
  const bool is_packed = c.m <= 4096;
  const Number levels = nodes_of(c, 0).levels();
  const bool is_collected = c.n * ((c.l + c.f - 1) / c.f) * c.m <= 16384 && !lanes.has_small_node;
  return {(is_packed || !lanes.all_lead) && !lanes.has_small_node
              ? Of{lanes.largest, 0, 2}.levels() + levels + node_of(c, 0).levels()
              : kNotSaid,
          is_packed && lanes.leaders == c.p && !lanes.has_small_node
              ? c.p * (levels + node_of(c, 0).levels())
              : kNotSaid,
          c.p * c.others() * c.m + lanes.up * c.m,
          2,
          is_collected ? c.f * c.n * levels : kNotSaid,
          c.p * (c.n - 1) * c.m};
}
// All between a node and another at once.
Expected exchange_by_leaders(const Of& c) {
  const Number among = (c.p * c.p - c.squares) * c.m;
  const Number there = 2 * (c.p - c.n);
  return {3, c.n * (c.n - 1) + there, there * c.p * c.m + among, c.p, c.n * (c.n - 1), among};
}
Expected exchange_by_lanes(const Of& c) {
  const Lanes lanes(c);
  const Number among = (c.p * c.p - c.squares) * c.m;
  const Number given = c.p - lanes.leaders;
  return {lanes.has_small_node ? kNotSaid : c.l + (given > 0 ? 1 : 0),
          given + lanes.leaders * (c.n - 1) + lanes.inside,
          given * c.p * c.m + among + c.p * (c.p - c.n) * c.m,
          c.p,
          lanes.leaders * (c.n - 1),
          among};
}

struct Row {
  Collective collective;
  std::string_view algorithm;
  Expected (*expected)(const Of& of);
  bool segments = false;  // what it says holds of segments, too
};

constexpr Row kRows[] = {
    {Collective::kAllgather, "ring", ring},
    {Collective::kAllgather, "recursive_doubling", gather_doubling},
    {Collective::kAllgather, "bruck", gather_bruck},
    {Collective::kAllgather, "recursive_multiplying", gather_multiplying},
    {Collective::kAllgather, "neighbor_exchange", gather_neighbours},
    {Collective::kAllgather, "gather_bcast", gather_then_bcast},
    {Collective::kAllgather, "hierarchical", gather_by_leaders},
    {Collective::kAllgather, "locality", gather_by_lanes},
    {Collective::kAllreduce, "reduce_bcast", reduce_bcast},
    {Collective::kAllreduce, "recursive_doubling", allreduce_doubling},
    {Collective::kAllreduce, "recursive_multiplying", allreduce_multiplying},
    {Collective::kAllreduce, "ring", allreduce_ring},
    {Collective::kAllreduce, "segmented_ring", segmented_ring, true},
    {Collective::kAllreduce, "rabenseifner", allreduce_rabenseifner},
    {Collective::kAllreduce, "butterfly", allreduce_rabenseifner},
    {Collective::kAllreduce, "circulant", circulant_allreduce},
    {Collective::kAllreduce, "dual_tree", dual_tree_both, true},
    {Collective::kAllreduce, "dual_root", dual_root, true},
    {Collective::kAllreduce, "hierarchical", allreduce_by_leaders},
    {Collective::kAllreduce, "multi_leader", multi_leader},
    {Collective::kAlltoall, "linear", all_at_once},
    {Collective::kAlltoall, "ring", ring},
    {Collective::kAlltoall, "bruck", alltoall_bruck},
    {Collective::kAlltoall, "pairwise", ring},
    {Collective::kAlltoall, "hierarchical", exchange_by_leaders},
    {Collective::kAlltoall, "locality", exchange_by_lanes},
    {Collective::kBarrier, "tree", barrier_tree},
    {Collective::kBarrier, "double_ring", barrier_double_ring},
    {Collective::kBarrier, "dissemination", barrier_dissemination},
    {Collective::kBarrier, "recursive_doubling", barrier_doubling},
    {Collective::kBarrier, "hierarchical", barrier_by_leaders},
    {Collective::kBcast, "linear", linear},
    {Collective::kBcast, "binomial", segmented_binomial, true},
    {Collective::kBcast, "binary", segmented_binary, true},
    {Collective::kBcast, "split_binary", split_binary},
    {Collective::kBcast, "pipeline", pipeline, true},
    {Collective::kBcast, "knomial", segmented_knomial, true},
    {Collective::kBcast, "scatter_allgather", scatter_allgather},
    {Collective::kBcast, "scatter_allgather_ring", scatter_allgather_ring},
    {Collective::kBcast, "circulant", n_blocks, true},
    {Collective::kBcast, "dual_tree", dual_tree_down, true},
    {Collective::kBcast, "multi_leader", bcast_multi_leader},
    {Collective::kBcast, "hierarchical", bcast_over_nodes, true},
    {Collective::kExscan, "linear", linear},
    {Collective::kExscan, "recursive_doubling", scan_doubling},
    {Collective::kExscan, "binomial", scan_binomial},
    {Collective::kGather, "linear", linear},
    {Collective::kGather, "binomial", gather_binomial},
    {Collective::kGather, "knomial", gather_knomial},
    {Collective::kGather, "linear_sync", in_turn},
    {Collective::kReduce, "linear", linear},
    {Collective::kReduce, "binomial", segmented_binomial, true},
    {Collective::kReduce, "binary", segmented_binary, true},
    {Collective::kReduce, "pipeline", pipeline, true},
    {Collective::kReduce, "knomial", segmented_knomial_up, true},
    {Collective::kReduce, "in_order_binary", in_order_binary},
    {Collective::kReduce, "rabenseifner", reduce_rabenseifner},
    {Collective::kReduce, "butterfly", reduce_rabenseifner},
    {Collective::kReduce, "circulant", n_blocks, true},
    {Collective::kReduce, "dual_tree", dual_tree_up, true},
    {Collective::kReduce, "multi_leader", reduce_multi_leader},
    {Collective::kReduce, "hierarchical", reduce_over_nodes, true},
    {Collective::kReduceScatterBlock, "reduce_scatterv", scatterv},
    {Collective::kReduceScatterBlock, "recursive_halving", halved},
    {Collective::kReduceScatterBlock, "recursive_multiplying", gather_multiplying},
    {Collective::kReduceScatterBlock, "butterfly", butterfly},
    {Collective::kReduceScatterBlock, "circulant", circulant_scatter},
    {Collective::kReduceScatterBlock, "pairwise", ring},
    {Collective::kReduceScatterBlock, "ring", ring},
    {Collective::kScan, "linear", linear},
    {Collective::kScan, "recursive_doubling", scan_doubling},
    {Collective::kScan, "binomial", scan_binomial},
    {Collective::kScatter, "linear", linear},
    {Collective::kScatter, "binomial", gather_binomial},
    {Collective::kScatter, "knomial", scatter_knomial},
    {Collective::kScatter, "linear_sync", in_turn},
};

}  // namespace

namespace {

Number radix_of(const Trial& trial) {
  const Number asked = trial.method.parameters.radix;
  return asked != 0 ? asked
                    : find_portable_algorithm(trial.collective, trial.method.algorithm)->radix;
}

}  // namespace

std::uint64_t members_of(const Trial& trial) {
  return Multiplying(Of{static_cast<Number>(trial.size), 0, radix_of(trial)}).members;
}

bool expected_of(const Trial& trial, std::uint64_t message_bytes, Expected* expected) {
  Of of{static_cast<Number>(trial.size), message_bytes, radix_of(trial)};
  const Number segment = trial.method.segment_size.value_or(0);
  of.g = segment;
  if (segment != 0) of.s = (message_bytes + segment - 1) / segment;
  std::map<int, Number> ranks_on;
  std::vector<Number> ranks_of;
  for (const int node : trial.node_of()) ++ranks_on[node];
  of.n = ranks_on.size();
  for (const auto& [node, ranks] : ranks_on) {
    of.l = std::max(of.l, ranks);
    of.squares += ranks * ranks;
    of.up += Of{ranks, 0, 2}.blocks_up_binomial();
    ranks_of.push_back(ranks);
  }
  of.ranks_on = &ranks_of;
  if (!ranks_of.empty()) of.at_root = ranks_on[trial.node_of().front()];
  const Number leaders = trial.method.parameters.fanout;
  of.f = leaders == 0 ? of.l : std::min(leaders, of.l);
  // Long parts that are not alike.
  if (trial.method.algorithm == "multi_leader" && message_bytes / of.f > 16000 &&
      message_bytes / 8 % (of.f * of.n) != 0)
    return false;
  for (const Row& row : kRows) {
    if (row.collective != trial.collective || row.algorithm != trial.method.algorithm) continue;
    if (segment != 0 && !row.segments) return false;
    *expected = row.expected(of);
    return true;
  }
  return false;
}

}  // namespace colltree::test
