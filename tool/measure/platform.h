// SPDX-License-Identifier: BSD-3-Clause
// A simulated cluster: a SimGrid platform file, ours by name or the user's by path; and the noise
// that its times get.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree::measure {

struct Platform {
  std::string name;  // "grig": the file's stem
  std::filesystem::path file;
  std::string hash;                  // of the file's content
  std::string title;                 // colltree/title, or the name
  std::optional<std::string> grid;   // colltree/grid: the named grid that fits it
  std::string selector = "default";  // smpi/coll-selector: whose choices SMPI's are
  std::uint64_t ranks_per_node = 1;  // colltree/ranks_per_node: hosts that stand for one node
};

// The platforms that find_platform knows by name, sorted.
std::vector<std::string> platform_names();

// Throws Error that lists the known platforms.
Platform find_platform(std::string_view name_or_path);

// Programs that measure lie beside the running program, or in ../libexec/colltree when installed.
// Throws Error that says where it was looked for.
std::filesystem::path find_program(const std::string& name);
std::optional<std::filesystem::path> try_program(const std::string& name);

// Noise for simulated times: the simulator repeats itself exactly, real clusters do not. Seeded:
// the same (seed, cell, repetition) gives the same factor on any machine and in any order.
struct NoiseModel {
  double spread = 0;    // interquartile range of the samples relative to their median; 0 = off
  double outliers = 0;  // share of samples that are hit by something else on the machine ...
  double outlier_factor = 10;  // ... and take up to this many times longer
  std::uint64_t seed = 1;

  bool off() const { return spread == 0 && outliers == 0; }
  auto operator<=>(const NoiseModel&) const = default;
};

// "off" or "spread=0.05,outliers=0.01,factor=10,seed=7" in any order. Throws UsageError.
NoiseModel parse_noise(std::string_view text);
std::string format_noise(const NoiseModel& noise);

// The factor for one repetition of the cell named by `cell` (plan.h: cell_line). Median 1.
double noise_factor(const NoiseModel& noise, std::string_view cell, std::uint64_t repetition);

}  // namespace colltree::measure
