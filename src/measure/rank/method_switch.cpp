// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/method_switch.h"

#include <fmt/format.h>

#include <ranges>

namespace colltree {

std::string MethodSwitch::select(const Settings& settings, MPI_Comm comm) {
  release();
  settings_ = settings;
  comm_ = comm;
  if (settings_.empty()) return "";
  std::string trouble = write_all();
  if (trouble.empty() && reach_ == Reach::kNewCommunicator) {
    own_comm_ = MPI_Comm_dup(comm, &comm_) == MPI_SUCCESS;
    if (!own_comm_) trouble = "no communicator could be made";
    if (own_comm_) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  restore();
  return trouble;
}

void MethodSwitch::release() {
  if (own_comm_) MPI_Comm_free(&comm_);
  own_comm_ = false;
  settings_.clear();
}

std::string MethodSwitch::begin() { return write_all(); }

void MethodSwitch::end() { restore(); }

std::string MethodSwitch::write_all() {
  for (const auto& [variable, value] : settings_) {
    const auto before = variables_.read(variable);
    if (!before) return fmt::format("this library has no control variable {}", variable);
    const std::string trouble = variables_.write(variable, value);
    if (!trouble.empty()) return trouble;
    // A write may succeed and change nothing.
    if (variables_.read(variable) != value) return fmt::format("{} did not change", variable);
    original_.emplace_back(variable, *before);
  }
  return "";
}

void MethodSwitch::restore() {
  for (const auto& [variable, value] : std::views::reverse(original_)) {
    variables_.write(variable, value);
  }
  original_.clear();
}

}  // namespace colltree
