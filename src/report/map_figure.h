// SPDX-License-Identifier: BSD-3-Clause
// A figure of coloured maps over (message size x communicator size), one legend for all.
#pragma once

#include <string>
#include <vector>

#include "report/frame.h"

namespace colltree {

struct MapPanel {
  std::string title;
  std::string subtitle;
  std::vector<std::uint64_t> communicator_sizes;  // ascending: rows, drawn upwards
  std::vector<std::uint64_t> message_sizes;       // ascending: columns
  std::vector<std::uint16_t> cells;               // rows x columns: index into MapFigure::key
  std::vector<std::uint8_t> dotted;               // rows x columns, 1 = with a dot; or empty
};

struct MapFigure {
  std::string title;
  std::vector<MapPanel> panels;
  std::vector<LegendEntry> key;   // what cells refer to; swatches
  std::vector<LegendEntry> more;  // further entries of the legend
  std::size_t columns = 0;        // of panels; 0 = as looks good
};

// The cells of one entry of the key are one path in the group named after it.
std::string draw(const MapFigure& figure, Background background);

}  // namespace colltree
