// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "base/text.h"
#include "coll/library.h"
#include "evaluate/comparison.h"
#include "evaluate/runs.h"

namespace colltree::evaluate {

namespace {

constexpr double kClearlyFaster = 0.05;

Time faster(const Time& first, const Time& second) {
  return first.is_impossible() || second.known_us() < first.known_us() ? second : first;
}

// The best of all methods but the default.
Time best_method_in(const Timings& timings, std::size_t instance) {
  Time best;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (timings.methods[m].algorithm != kDefaultAlgorithm &&
        !timings.time_at(instance, m).is_impossible())
      best = faster(best, timings.time_at(instance, m));
  }
  return best;
}

// The best times of both sources at an instance that both have.
struct SourcePoint {
  std::uint64_t bytes = 0;
  Time preset;
  Time library;   // or the default
  Time portable;  // or the default
};

SourceGainFigures figures_of(const std::vector<SourcePoint>& points) {
  const auto [least, most] = std::ranges::minmax(points, {}, &SourcePoint::bytes);
  SourceGainFigures figures{least.bytes, most.bytes, points.size()};
  double log_rules = 0;
  double log_portable = 0;
  for (const SourcePoint& point : points) {
    const auto& [bytes, preset, library, portable] = point;
    log_rules += std::log(preset.known_us() / library.known_us());
    log_portable += std::log(preset.known_us() / portable.known_us());
    if (library.known_us() > (1 + kClearlyFaster) * portable.known_us()) {
      ++figures.portable_faster;
      if (portable.interval_or_itself().high < library.interval_or_itself().low)
        ++figures.portable_certain;
    }
    if (portable.known_us() > (1 + kClearlyFaster) * library.known_us()) {
      ++figures.library_faster;
      if (library.interval_or_itself().high < portable.interval_or_itself().low)
        ++figures.library_certain;
    }
  }
  const auto count = static_cast<double>(points.size());
  figures.rules = std::exp(log_rules / count);
  figures.portable = std::exp(log_portable / count);
  figures.gain = figures.portable / figures.rules;
  return figures;
}

// The measured systems, each by its first campaign.
std::vector<profile::CampaignInfo> measured_systems(const profile::Profile& profile) {
  std::vector<profile::CampaignInfo> systems;
  for (const auto& [id, info] : profile.campaigns()) {
    const bool is_known = std::ranges::any_of(systems, [&](const profile::CampaignInfo& known) {
      return known.system.name == info.system.name;
    });
    if (info.system.provenance == profile::kProvenanceMeasured && !is_known)
      systems.push_back(info);
  }
  return systems;
}

bool are_sources(const profile::CampaignInfo& portable, const profile::CampaignInfo& library) {
  return portable.source == "portable" &&
         std::ranges::count(libraries(), library.source, &LibraryInfo::name) > 0 &&
         portable.system.mpi == library.system.mpi;
}

std::string figures_text(std::string_view collective, const std::string& sizes,
                         const SourceGainFigures& figures) {
  const auto share = [&](std::size_t count, std::size_t certain) {
    const auto instances = static_cast<double>(figures.instances);
    return fmt::format("{:.0f} ({:.0f})", 100.0 * static_cast<double>(count) / instances,
                       100.0 * static_cast<double>(certain) / instances);
  };
  return fmt::format("  {:<20} {:>13} {:>9} {:>9.3f} {:>9.3f} {:>14.3f} {:>12} {:>12}\n",
                     collective, sizes, figures.instances, figures.rules, figures.portable,
                     figures.gain, share(figures.portable_faster, figures.portable_certain),
                     share(figures.library_faster, figures.library_certain));
}

std::string sizes_text(const SourceGainFigures& band) {
  if (band.least_bytes == band.most_bytes) return format_bytes(band.least_bytes);
  return fmt::format("{}..{}", format_bytes(band.least_bytes), format_bytes(band.most_bytes));
}

Json figures_json(const SourceGainFigures& figures) {
  return {{"instances", figures.instances},
          {"rules", figures.rules},
          {"portable", figures.portable},
          {"gain", figures.gain},
          {"portable_faster", figures.portable_faster},
          {"portable_certain", figures.portable_certain},
          {"library_faster", figures.library_faster},
          {"library_certain", figures.library_certain}};
}

Json gain_json(const SourceGain& gain) {
  Json bands = Json::array();
  for (const SourceGainFigures& band : gain.bands) {
    bands.push_back({{"least_bytes", band.least_bytes},
                     {"most_bytes", band.most_bytes},
                     {"figures", figures_json(band)}});
  }
  return {{"collective", name(gain.collective)},
          {"all", figures_json(gain.overall)},
          {"bands", std::move(bands)},
          {"left_out", gain.left_out},
          {"default_apart", gain.default_apart ? Json(*gain.default_apart) : Json()}};
}

}  // namespace

std::optional<SourceGain> source_gain(const Timings& portable, const Timings& library) {
  SourceGain gain{portable.collective, {}, {}, 0, std::nullopt};
  std::vector<SourcePoint> points;
  std::vector<double> apart;
  for (std::size_t i = 0; i < library.instances.size(); ++i) {
    const auto same = std::ranges::lower_bound(portable.instances, library.instances[i]);
    if (same == portable.instances.end() || *same != library.instances[i]) continue;
    const auto j = static_cast<std::size_t>(same - portable.instances.begin());
    const auto column = library.default_column();
    const Time preset = column ? library.time_at(i, *column) : library.default_us[i];
    const Time ours = best_method_in(portable, j);
    if (preset.is_impossible() || ours.is_impossible()) continue;
    points.push_back({library.instances[i].message_size, preset,
                      faster(preset, best_method_in(library, i)), faster(preset, ours)});
    const double again = portable.default_us[j].measured_us() / library.default_us[i].measured_us();
    if (!std::isnan(again)) apart.push_back(std::abs(again - 1));
  }
  if (points.empty()) return std::nullopt;
  gain.overall = figures_of(points);
  std::map<std::size_t, std::vector<SourcePoint>> by_band;
  for (const SourcePoint& point : points) by_band[band_of(point.bytes)].push_back(point);
  for (const auto& [band, its] : by_band) gain.bands.push_back(figures_of(its));
  gain.left_out = library.instances.size() + portable.instances.size() - 2 * points.size();
  if (!apart.empty()) gain.default_apart = median(apart);
  return gain;
}

std::optional<SourcePair> find_source_pair(const profile::Profile& profile,
                                           const std::optional<std::string>& system) {
  const std::vector<profile::CampaignInfo> systems = measured_systems(profile);
  if (!system && profile.systems().size() != 2) return std::nullopt;
  std::vector<SourcePair> same_host;
  for (const profile::CampaignInfo& portable : systems) {
    for (const profile::CampaignInfo& library : systems) {
      if (!are_sources(portable, library)) continue;
      if (system && *system != portable.system.name && *system != library.system.name) continue;
      const SourcePair pair{portable.system, library.system};
      if (library.system.name == portable.system.name + "-own") return pair;
      if (library.host == portable.host) same_host.push_back(pair);
    }
  }
  if (same_host.size() == 1) return same_host.front();
  return std::nullopt;
}

std::string source_gains_text(const SourceGains& gains) {
  std::string text =
      fmt::format("portable methods ({}) beside {}'s own ({})\n", gains.systems.portable.name,
                  gains.systems.library.mpi, gains.systems.library.name);
  text +=
      fmt::format("  {:<20} {:>13} {:>9} {:>9} {:>9} {:>14} {:>12} {:>12}\n", "collective", "bytes",
                  "instances", "rules", "portable", "portable/rules", "portable >5", "rules >5");
  std::vector<double> apart;
  for (const SourceGain& gain : gains.collectives) {
    text += figures_text(name(gain.collective), "all", gain.overall);
    if (gain.default_apart) apart.push_back(*gain.default_apart);
    if (gain.bands.size() < 2) continue;
    for (const SourceGainFigures& band : gain.bands)
      text += figures_text("", sizes_text(band), band);
  }
  text +=
      "  rules, portable: time of the default / of the best that rules of the library, or "
      "libcolltree, can choose (the default\n  among them); portable/rules: what libcolltree adds; "
      ">5: instances where that side is faster by more than 5 %, in %\n  (of them with intervals "
      "that do not meet); geometric means\n";
  if (!apart.empty())
    text += fmt::format("  the default was measured with each: {} % apart in the median\n",
                        percent_text(median(apart)));
  return text;
}

Json source_gains_json(const SourceGains& gains) {
  return {{"portable", gains.systems.portable.name},
          {"library", gains.systems.library.name},
          {"mpi", gains.systems.library.mpi},
          {"collectives", json_list(gains.collectives, gain_json)}};
}

}  // namespace colltree::evaluate
