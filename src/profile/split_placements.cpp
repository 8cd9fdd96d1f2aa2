// SPDX-License-Identifier: BSD-3-Clause
#include "profile/split_placements.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace colltree::profile {

namespace {

struct Placement {
  std::uint32_t nodes = 0;
  std::uint32_t ranks_per_node = 0;

  auto operator<=>(const Placement&) const = default;
};

// The parts of a placement that the names of the systems hold; 0: not in the name, or not known.
using Part = Placement (*)(const PackedRow&);

constexpr Part kParts[] = {
    [](const PackedRow&) { return Placement(); },
    [](const PackedRow& row) {
      return Placement{0, row.ranks_per_node};
    },
    [](const PackedRow& row) {
      return Placement{row.nodes, 0};
    },
    [](const PackedRow& row) {
      return Placement{row.nodes, row.ranks_per_node};
    },
};

std::string suffix(const Placement& part) {
  if (part.nodes == 0 && part.ranks_per_node == 0) return "";
  if (part.nodes == 0) return fmt::format("-ppn{}", part.ranks_per_node);
  if (part.ranks_per_node == 0) return fmt::format("-nodes{}", part.nodes);
  return fmt::format("-{}x{}", part.nodes, part.ranks_per_node);
}

// True for each system whose points have one placement each once these parts are distinguished.
std::vector<bool> settled_by(Part part, PackedRows& rows) {
  std::vector<bool> settled(rows.systems().size(), true);
  using Point = std::tuple<std::uint32_t, Placement, Collective, std::uint32_t, std::uint64_t>;
  std::map<Point, Placement> placements;
  for (const PackedRow& row : rows.rows()) {
    const Point point(row.system, part(row), row.collective, row.communicator_size,
                      row.message_size);
    const Placement here{row.nodes, row.ranks_per_node};
    if (placements.try_emplace(point, here).first->second != here) settled[row.system] = false;
  }
  return settled;
}

// The first of the parts that suffices for each system; the last one always does.
std::vector<Part> parts_of_systems(PackedRows& rows) {
  std::vector<Part> parts(rows.systems().size(), nullptr);
  for (const Part part : kParts) {
    const std::vector<bool> settled = settled_by(part, rows);
    for (std::size_t system = 0; system < parts.size(); ++system) {
      if (parts[system] == nullptr && settled[system]) parts[system] = part;
    }
    if (std::ranges::count(parts, nullptr) == 0) break;
  }
  return parts;
}

}  // namespace

void split_placements(PackedRows& rows) {
  const std::vector<Part> parts = parts_of_systems(rows);
  std::map<std::string, std::uint32_t> origins;  // new name -> system
  std::map<std::pair<std::uint32_t, Placement>, std::string> names;
  for (const PackedRow& row : rows.rows()) {
    const Placement part = parts[row.system](row);
    const auto [name, is_new] = names.try_emplace({row.system, part});
    if (!is_new) continue;
    name->second = rows.systems()[row.system].name + suffix(part);
    const std::uint32_t origin = origins.try_emplace(name->second, row.system).first->second;
    if (origin == row.system) continue;
    throw Error(fmt::format(
        "placements of system '{}' would be mixed with system '{}' of the same file: rename one",
        rows.systems()[std::min(origin, row.system)].name, name->second));
  }
  rows.rename_systems([&](const PackedRow& row) -> const std::string& {
    return names.at({row.system, parts[row.system](row)});
  });
}

}  // namespace colltree::profile
