// SPDX-License-Identifier: BSD-3-Clause
#include "rank/built_platform.h"

#include <fmt/core.h>

#include <algorithm>
#include <simgrid/s4u.hpp>

#include "base/error.h"
#include "base/text.h"
#include "rank/simulated_environment.h"

// SimGrid 4.0 has these functions too, beside new ones that 3.32 has not.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace colltree::rank {

namespace s4u = simgrid::s4u;

namespace {

[[noreturn]] void refuse(const char* name, std::string_view expected, std::string_view text) {
  throw Error(fmt::format("platform: {}: expected {}, got '{}'", name, expected, text));
}

std::string needed_property(const char* name) {
  const char* text = platform_property(name);
  if (text == nullptr)
    throw Error(
        fmt::format("platform: colltree/topology needs {} too (docs/tasks/simulating.md)", name));
  return text;
}

LinkShape link_property(const char* name) {
  const std::string text = needed_property(name);
  const auto words = split(text, ' ');
  const auto number = [&](std::size_t word) { return parse_number<double>(words[word]); };
  constexpr const char* kExpected = "bytes per second and microseconds, e.g. 25e9 0.15";
  if (words.size() != 2) refuse(name, kExpected, text);
  const auto bytes_per_s = number(0);
  const auto latency_us = number(1);
  if (!bytes_per_s || !latency_us || !(*bytes_per_s > 0) || !(*latency_us >= 0))
    refuse(name, kExpected, text);
  return {*bytes_per_s, *latency_us * 1e-6};
}

std::vector<unsigned> numbers(const char* name, std::string_view text, std::string_view list) {
  std::vector<unsigned> values;
  for (const std::string_view word : split(list, ',')) {
    const auto value = parse_number<unsigned>(word);
    if (!value || *value < 1 || *value > 65536) refuse(name, "whole numbers from 1 up", text);
    values.push_back(*value);
  }
  return values;
}

// "2;16,16;1,16;1,1" as SimGrid's FAT_TREE: levels, downward links, upward links, parallel links.
void read_fat_tree(const char* name, std::string_view text, std::string_view parameters,
                   ClusterShape& shape) {
  const auto lists = split(parameters, ';');
  if (lists.size() != 4) refuse(name, "levels;down,...;up,...;parallel,...", text);
  shape.topology = ClusterShape::Topology::kFatTree;
  shape.down = numbers(name, text, lists[1]);
  shape.up = numbers(name, text, lists[2]);
  shape.parallel = numbers(name, text, lists[3]);
  const auto levels = numbers(name, text, lists[0]);
  for (const auto* list : {&shape.down, &shape.up, &shape.parallel}) {
    if (levels.size() != 1 || list->size() != levels[0])
      refuse(name, "as many numbers in each list as there are levels", text);
  }
  shape.nodes = 1;
  for (const unsigned below : shape.down) shape.nodes *= below;
}

// "16,4;4,2;4,1;16" as SimGrid's DRAGONFLY: groups, chassis and routers with their links, nodes.
void read_dragonfly(const char* name, std::string_view text, std::string_view parameters,
                    ClusterShape& shape) {
  const auto lists = split(parameters, ';');
  constexpr const char* kExpected = "groups,links;chassis,links;routers,links;nodes";
  if (lists.size() != 4) refuse(name, kExpected, text);
  shape.topology = ClusterShape::Topology::kDragonfly;
  shape.nodes = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto pair = numbers(name, text, lists[i]);
    if (pair.size() != 2) refuse(name, kExpected, text);
    shape.down.push_back(pair[0]);
    shape.parallel.push_back(pair[1]);
    shape.nodes *= pair[0];
  }
  const auto nodes = numbers(name, text, lists[3]);
  if (nodes.size() != 1) refuse(name, kExpected, text);
  shape.down.push_back(nodes[0]);
  shape.nodes *= nodes[0];
}

void read_topology(ClusterShape& shape) {
  constexpr const char* kName = "colltree/topology";
  const std::string text = needed_property(kName);
  const auto words = split(text, ' ');
  if (words.size() == 2 && words[0] == "FAT_TREE")
    return read_fat_tree(kName, text, words[1], shape);
  if (words.size() == 2 && words[0] == "DRAGONFLY")
    return read_dragonfly(kName, text, words[1], shape);
  refuse(kName, "FAT_TREE or DRAGONFLY with SimGrid's parameters", text);
}

// Builds SimGrid's zones from a shape.
class Builder {
 public:
  Builder(const ClusterShape& shape, std::uint64_t nodes, std::uint64_t cores)
      : shape_(shape), nodes_(nodes), cores_(cores) {}

  std::vector<s4u::Host*> build() {
    const s4u::ClusterCallbacks callbacks([this](s4u::NetZone* zone,
                                                 const std::vector<unsigned long>&,
                                                 unsigned long id) { return leaf(zone, id); });
    s4u::NetZone* root = s4u::Engine::get_instance()->get_netzone_root();
    zone(root, callbacks)->seal();
    return std::move(hosts_);
  }

 private:
  using NetPoint = simgrid::kernel::routing::NetPoint;

  s4u::NetZone* zone(s4u::NetZone* root, const s4u::ClusterCallbacks& callbacks) const {
    constexpr auto kEachWay = s4u::Link::SharingPolicy::SPLITDUPLEX;
    if (shape_.topology == ClusterShape::Topology::kFatTree) {
      const auto levels = static_cast<unsigned>(shape_.down.size());
      return s4u::create_fatTree_zone(
          "cluster", root, {levels, shape_.down, shape_.up, shape_.parallel}, callbacks,
          shape_.network.bytes_per_s, shape_.network.latency_s, kEachWay);
    }
    const auto part = [this](std::size_t i) {
      return std::pair(shape_.down[i], shape_.parallel[i]);
    };
    return s4u::create_dragonfly_zone("cluster", root, {part(0), part(1), part(2), shape_.down[3]},
                                      callbacks, shape_.network.bytes_per_s,
                                      shape_.network.latency_s, kEachWay);
  }

  // A node; one that no plan uses is a router without anything behind it.
  std::pair<NetPoint*, NetPoint*> leaf(s4u::NetZone* parent, unsigned long id) {
    if (made_ >= nodes_) return {parent->create_router(fmt::format("idle-{}", id)), nullptr};
    const std::string name = fmt::format("node-{:05}", made_++);
    s4u::NetZone* node = s4u::create_full_zone(name);
    node->set_parent(parent);
    // A route leads from zone to zone, so the way out is a zone, which holds a router alone.
    s4u::NetZone* out = s4u::create_star_zone(name + "-out");
    out->set_parent(node);
    NetPoint* gate = out->create_router(name + "-gate");
    out->seal();
    const s4u::Link* card = split_link(node, name + "-card", shape_.card);
    std::vector<Domain> domains;
    const std::uint64_t of_domain = shape_.cores / shape_.domains;
    for (std::uint64_t first = 0; first < cores_; first += of_domain)
      domains.push_back(domain(node, name, first, std::min(cores_, first + of_domain)));
    for (std::size_t i = 0; i < domains.size(); ++i) {
      const Domain& from = domains[i];
      // The card reads memory itself, whatever the domain.
      node->add_route(from.zone->get_netpoint(), out->get_netpoint(), from.to_network, gate,
                      {up(card)}, true);
      for (std::size_t j = i + 1; j < domains.size(); ++j) {
        const Domain& to = domains[j];
        node->add_route(from.zone->get_netpoint(), to.zone->get_netpoint(), from.to_node,
                        to.to_node, {up(from.between), down(to.between)}, true);
      }
    }
    node->seal();
    return {node->get_netpoint(), gate};
  }

  struct Domain {
    s4u::NetZone* zone;
    NetPoint* to_node;     // what a core copies to other domains passes its link
    NetPoint* to_network;  // what the card fetches does not
    const s4u::Link* between;
  };

  // Cores around their memory: whatever one of them sends or receives passes it.
  Domain domain(s4u::NetZone* node, const std::string& name, std::uint64_t first,
                std::uint64_t end) {
    const std::string zone_name = fmt::format("{}-numa-{}", name, first);
    s4u::NetZone* zone = s4u::create_full_zone(zone_name);
    zone->set_parent(node);
    const s4u::LinkInRoute memory(
        zone->create_link(zone_name + "-memory", shape_.domain.bytes_per_s)
            ->set_latency(shape_.domain.latency_s)
            ->seal());
    NetPoint* to_node = zone->create_router(zone_name + "-to-node");
    NetPoint* to_network = zone->create_router(zone_name + "-to-network");
    std::vector<NetPoint*> cores;
    std::vector<const s4u::Link*> links;
    for (std::uint64_t core = first; core < end; ++core) {
      const std::string host_name = fmt::format("{}-{:03}", name, core);
      // Sealed with its zone: SimGrid 3.32 counts every sealing as one more host
      // (simulated_environment.h).
      hosts_.push_back(zone->create_host(host_name, 1e9));
      NetPoint* point = hosts_.back()->get_netpoint();
      const s4u::Link* link = split_link(zone, host_name + "-core", shape_.core);
      for (std::size_t earlier = 0; earlier < cores.size(); ++earlier)
        zone->add_route(cores[earlier], point, nullptr, nullptr,
                        {up(links[earlier]), memory, down(link)}, true);
      zone->add_route(point, point, nullptr, nullptr, {memory}, false);
      zone->add_route(point, to_node, nullptr, nullptr, {up(link), memory}, true);
      zone->add_route(point, to_network, nullptr, nullptr, {memory}, true);
      cores.push_back(point);
      links.push_back(link);
    }
    zone->seal();
    return {zone, to_node, to_network, split_link(node, zone_name + "-between", shape_.between)};
  }

  static s4u::LinkInRoute up(const s4u::Link* link) {
    return {link, s4u::LinkInRoute::Direction::UP};
  }
  static s4u::LinkInRoute down(const s4u::Link* link) {
    return {link, s4u::LinkInRoute::Direction::DOWN};
  }

  static const s4u::Link* split_link(s4u::NetZone* zone, const std::string& name,
                                     const LinkShape& shape) {
    return zone->create_split_duplex_link(name, shape.bytes_per_s)
        ->set_latency(shape.latency_s)
        ->seal();
  }

  const ClusterShape& shape_;
  std::uint64_t nodes_;
  std::uint64_t cores_;
  std::uint64_t made_ = 0;
  std::vector<s4u::Host*> hosts_;
};

}  // namespace

std::optional<ClusterShape> cluster_shape() {
  if (platform_property("colltree/topology") == nullptr) return std::nullopt;
  ClusterShape shape;
  read_topology(shape);
  shape.cores = hosts_per_node();
  constexpr const char* kDomains = "colltree/numa_domains";
  shape.domains =
      parse_whole(needed_property(kDomains), {1, 1024}, fmt::format("platform: {}", kDomains));
  if (shape.cores % shape.domains != 0)
    refuse(kDomains, "a divisor of colltree/ranks_per_node", needed_property(kDomains));
  shape.network = link_property("colltree/network_link");
  shape.card = link_property("colltree/card_link");
  shape.core = link_property("colltree/core_link");
  shape.domain = link_property("colltree/domain_memory");
  shape.between = link_property("colltree/between_domains");
  return shape;
}

std::vector<s4u::Host*> build_cluster(const ClusterShape& shape, std::uint64_t nodes,
                                      std::uint64_t cores) {
  return Builder(shape, nodes, cores).build();
}

}  // namespace colltree::rank
