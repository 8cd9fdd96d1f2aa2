// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "base/statistics.h"
#include "measure/driver.h"
#include "measure/library_version.h"

namespace colltree {

namespace {

class SimulatedDriver : public Driver {
 public:
  SimulatedDriver(const Platform& platform, const NoiseModel& noise, std::size_t jobs)
      : platform_(platform),
        noise_(noise),
        jobs_(jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : jobs),
        program_(find_program("colltree-simulate")),
        library_(library_version(program_)) {}

  SystemInfo system() const override {
    return {platform_.name, kProvenanceSimulated, short_library_name(library_), platform_.hash,
            noise_.off() ? "" : format_noise(noise_)};
  }

  std::string platform_file() const override { return platform_.file.string(); }

  std::string options(const StopRule& stop) const override {
    Json json = {{"driver", "simulated"}, {"noise", format_noise(noise_)}};
    if (!noise_.off()) {
      json["min_samples"] = stop.min_samples;
      json["max_samples"] = stop.max_samples;
      json["max_half_width"] = stop.max_half_width;
      json["confidence"] = stop.confidence;
    }
    return json.dump();
  }

  std::vector<std::string> command(const Plan&, const std::string& plan_file) const override {
    return {program_.string(), platform_.file.string(), plan_file, fmt::to_string(jobs_)};
  }

  // Dearest first, so that all cores are busy to the end.
  void arrange(std::vector<PlanCell>& cells) const override {
    std::ranges::stable_sort(cells, std::greater<>(), [](const PlanCell& cell) {
      return std::make_pair(cell.communicator_size, cell.message_size);
    });
  }

  // The simulator repeats itself exactly: one repetition says all.
  StopRule job_stop_rule(const StopRule&) const override { return {1, 1, 0, 0.95, 0, 0}; }

  std::vector<double> samples(const PlanCell& cell, std::vector<double> reported_us,
                              const StopRule& stop) const override {
    // The simulator's precision is 1 ns; digits beyond 1 ps tell only what was simulated before.
    for (double& time_us : reported_us) time_us = std::round(time_us * 1e6) / 1e6;
    if (noise_.off()) return reported_us;
    const std::string key = cell_line(cell);
    std::vector<double> noisy;
    while (noisy.size() < stop.max_samples) {
      noisy.push_back(reported_us.front() * noise_factor(noise_, key, noisy.size()));
      if (noisy.size() >= stop.min_samples &&
          relative_half_width(noisy, stop.confidence) <= stop.max_half_width) {
        break;
      }
    }
    return noisy;
  }

  bool retries() const override { return false; }
  std::string default_name() const override { return "SMPI's port of Open MPI's selector"; }

 private:
  Platform platform_;
  NoiseModel noise_;
  std::size_t jobs_;
  std::filesystem::path program_;
  std::string library_;
};

}  // namespace

std::unique_ptr<Driver> make_simulated_driver(const Platform& platform, const NoiseModel& noise,
                                              std::size_t jobs) {
  return std::make_unique<SimulatedDriver>(platform, noise, jobs);
}

}  // namespace colltree
