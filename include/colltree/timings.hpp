// SPDX-License-Identifier: BSD-3-Clause
/* Timings of one collective on one system: what models are fitted to and judged on. They are read
 * from a profile (docs/reference/formats/profile.md), which `colltree measure` or `colltree import`
 * wrote, or made of rows that the program has itself.
 *
 *   #include <colltree/timings.hpp>
 *   const auto timings = colltree::core::Timings::load("grig.db", "bcast");
 *   for (const auto& instance : timings.instances())
 *     if (const auto best = timings.best(instance))
 *       std::printf("%s %.1f us\n", best->method.algorithm.c_str(), best->time_us);
 *
 * C++20; find_package(colltree COMPONENTS core), target colltree::core. A value of a type of these
 * headers may be copied, and read by several threads at once. Errors are std::runtime_error with
 * one line that names the file or value and the remedy. */
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace colltree {
struct Timings;  // colltree's own
}  // namespace colltree

namespace colltree::core {

// What a decision is made for; all ranks of a call know the same (docs/glossary.md).
struct Instance {
  std::string collective;  // "bcast"
  std::uint64_t communicator_size = 0;
  std::uint64_t message_size_bytes = 0;  // by the collective's own convention (docs/glossary.md)
  std::uint64_t nodes = 0;               // 0: not known
  std::uint64_t ranks_per_node = 0;      // 0: not known

  bool operator==(const Instance&) const = default;
};

struct Method {
  std::string algorithm;  // with its parameters, "chain@fanout=4"; "default": the library's choice
  // 0: not segmented; none: the library decides
  std::optional<std::uint64_t> segment_size_bytes = std::nullopt;

  bool operator==(const Method&) const = default;
};

struct Timing {
  Instance instance;
  Method method;
  double time_us = 0;         // from a common start to the last rank's end
  bool is_predicted = false;  // a campaign wanted it and predicted it from what it measured
};

class Timings {
 public:
  // Loads the median time of every measured point of one collective; points that a campaign wanted
  // and did not measure are predicted. `system` may be left out where the profile holds one. Cost:
  // a second for 100,000 samples.
  static Timings load(const std::string& profile, const std::string& collective,
                      const std::string& system = "");
  // The collectives that a profile has of the system, by name.
  static std::vector<std::string> collectives(const std::string& profile,
                                              const std::string& system = "");
  // Makes a table of the rows of one collective, in any order. A method without a row at an
  // instance cannot run there; two rows of the same point are refused.
  static Timings from_rows(const std::string& system, const std::vector<Timing>& rows);

  std::vector<Instance> instances() const;  // sorted
  std::vector<Method> methods() const;      // of equally fast ones `best` returns the first
  // The time of what runs when the method is asked for: at some instances that is another, as
  // where chains of a message need two segments. None: it cannot run there, or the instance is not
  // in the table.
  std::optional<Timing> time(const Instance& instance, const Method& method) const;
  std::optional<Timing> best(const Instance& instance) const;

 private:
  friend const colltree::Timings& table_of(const Timings& timings);
  explicit Timings(colltree::Timings table);

  std::shared_ptr<const colltree::Timings> table_;
};

}  // namespace colltree::core
