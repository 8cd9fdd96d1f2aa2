// SPDX-License-Identifier: BSD-3-Clause
// A simulated cluster: a SimGrid platform file, ours by name or the user's by path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace colltree {

struct Platform {
  std::string name;  // "grig": the file's stem
  std::filesystem::path file;
  std::string hash;                  // of the file's content
  std::string title;                 // colltree/title, or the name
  std::optional<std::string> grid;   // colltree/grid: the named grid that fits it
  std::string selector = "default";  // smpi/coll-selector: whose choices SMPI's are
  std::uint64_t ranks_per_node = 1;  // colltree/ranks_per_node: hosts that stand for one node
};

// Throws Error that lists the known platforms.
Platform find_platform(std::string_view name_or_path);

// Programs that measure lie beside the running program, or in ../libexec/colltree when installed.
// Throws Error that says where it was looked for.
std::filesystem::path find_program(const std::string& name);
std::optional<std::filesystem::path> try_program(const std::string& name);

}  // namespace colltree
