// SPDX-License-Identifier: BSD-3-Clause
// Clusters whose file describes them only by their parts: a fat tree or a dragonfly of nodes whose
// cores lie in NUMA domains (docs/tasks/simulating.md). Thousands of nodes as SimGrid's XML would
// be megabytes; here they are made when it is known how many of them a plan uses.
#pragma once

#include <cstdint>
#include <optional>
#include <simgrid/s4u/Host.hpp>
#include <vector>

namespace colltree::rank {

// A link's bandwidth and latency, as "25e9 0.15": bytes each second, microseconds.
struct LinkShape {
  double bytes_per_s = 0;
  double latency_s = 0;
};

struct ClusterShape {
  enum class Topology { kFatTree, kDragonfly };
  Topology topology = Topology::kFatTree;
  // Fat tree: by level how many below, how many above, links side by side. Dragonfly: groups,
  // chassis, routers with the links between them, and nodes of a router.
  std::vector<unsigned> down, up, parallel;
  std::uint64_t nodes = 0;
  std::uint64_t cores = 0;    // of a node: colltree/ranks_per_node
  std::uint64_t domains = 1;  // of a node, each with as many cores
  LinkShape network;          // between switches, and from a network card to its switch
  LinkShape card;             // of a node to the network, each way
  LinkShape core;             // of a core to its domain's memory, each way
  LinkShape domain;           // the memory of a domain, shared by its cores
  LinkShape between;          // of a domain to the others of its node, each way

  std::uint64_t hosts() const { return nodes * cores; }
};

// The shape of the platform that was loaded, if its file describes such a cluster. Throws Error.
std::optional<ClusterShape> cluster_shape();

// Makes the first `nodes` with their first `cores`, everything else only as far as messages pass
// it. Once, before the platform is sealed. Returns the hosts, node by node.
std::vector<simgrid::s4u::Host*> build_cluster(const ClusterShape& shape, std::uint64_t nodes,
                                               std::uint64_t cores);

}  // namespace colltree::rank
