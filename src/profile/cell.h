// SPDX-License-Identifier: BSD-3-Clause
// What is stored for one measured point: which method ran for which instance, and what came of it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coll/method.h"

namespace colltree {

// Identity of a cell within its campaign. Two cells are the same when every field is.
struct CellKey {
  Instance instance;
  std::uint64_t count = 0;      // as given to the call; meaningless while type_size is 0
  std::uint64_t type_size = 0;  // bytes; 0 = not known (imports say only the message size)
  Method method;                // as it was asked for; "default" = the library's own choice

  auto operator<=>(const CellKey&) const = default;
};

enum class CellStatus : std::uint8_t {
  kOk,
  kFailed,     // was started and did not come back with a right result; `reason` says how
  kCannotRun,  // was not started: the method does not apply here; `reason` says why
};

std::string_view name(CellStatus status);  // "ok", "failed", "cannot_run"

struct Sample {
  static constexpr std::int64_t kAggregate = -1;

  std::int64_t rep = kAggregate;  // 0, 1, ... within the cell; -1: a median or mean from elsewhere
  double time_us = 0;             // above 0

  auto operator<=>(const Sample&) const = default;
};

struct Cell {
  CellKey key;
  CellStatus status = CellStatus::kOk;
  std::string reason;           // of a cell that is ok: what disturbed it, else ""
  std::vector<Sample> samples;  // none unless status is ok
};

// Measured while others used the machine.
inline bool is_disturbed(const Cell& cell) {
  return cell.status == CellStatus::kOk && !cell.reason.empty();
}

}  // namespace colltree
