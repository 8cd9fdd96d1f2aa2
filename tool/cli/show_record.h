// SPDX-License-Identifier: BSD-3-Clause
// `colltree show RECORD`: which collectives cost a recorded job how much.
#pragma once

#include <optional>
#include <string>

namespace colltree::cli {

struct ShowRecord {
  std::string record;
  std::string profile;  // "" = none: nothing is said of what could be saved
  std::optional<std::string> system;
  bool json = false;
};

// A record is recognised by its first bytes. False also if there is no such file.
bool is_record_file(const std::string& path);

void show_record(const ShowRecord& options);

}  // namespace colltree::cli
