// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/source_gain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"
#include "base/text.h"
#include "coll/library.h"
#include "evaluate/comparison.h"

namespace colltree::evaluate {

namespace {

constexpr std::uint64_t kBandEnds[] = {2048, 131072};

// A time with its interval.
struct Best {
  double time_us = kNoTime;
  double low_us = kNoTime;
  double high_us = kNoTime;
};

Best faster(const Best& one, const Best& other) {
  return std::isnan(one.time_us) || other.time_us < one.time_us ? other : one;
}

Best best_of(const Time& time) {
  const Interval interval = time.interval_or_itself();
  return {time.known_us(), interval.low, interval.high};
}

Best time_in(const Timings& timings, std::size_t instance, std::size_t method) {
  return best_of(timings.time_at(instance, method));
}

// Of all methods but the default.
Best best_method_in(const Timings& timings, std::size_t instance) {
  Best best;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (timings.methods[m].algorithm == kDefaultAlgorithm ||
        timings.time_at(instance, m).is_impossible())
      continue;
    best = faster(best, time_in(timings, instance, m));
  }
  return best;
}

Best default_in(const Timings& timings, std::size_t instance) {
  if (const auto column = timings.default_column()) return time_in(timings, instance, *column);
  return best_of(timings.default_us[instance]);
}

// One instance of both: what each side can do at best.
struct ComparedPoint {
  std::uint64_t bytes = 0;
  Best preset;
  Best library;   // or the default
  Best portable;  // or the default
};

class Sums {
 public:
  void add(const ComparedPoint& at) {
    ++figures_.instances;
    rules_ += std::log(at.preset.time_us / at.library.time_us);
    portable_ += std::log(at.preset.time_us / at.portable.time_us);
    if (at.library.time_us > (1 + kClearlyFaster) * at.portable.time_us) {
      ++figures_.portable_faster;
      if (at.portable.high_us < at.library.low_us) ++figures_.portable_certain;
    }
    if (at.portable.time_us > (1 + kClearlyFaster) * at.library.time_us) {
      ++figures_.library_faster;
      if (at.library.high_us < at.portable.low_us) ++figures_.library_certain;
    }
  }

  SourceGainFigures figures() const {
    SourceGainFigures figures = figures_;
    const auto count = static_cast<double>(std::max<std::size_t>(1, figures.instances));
    figures.rules = std::exp(rules_ / count);
    figures.portable = std::exp(portable_ / count);
    figures.gain = figures.portable / figures.rules;
    return figures;
  }

 private:
  SourceGainFigures figures_;
  double rules_ = 0;  // logarithms
  double portable_ = 0;
};

std::size_t band_of(std::uint64_t bytes) {
  return static_cast<std::size_t>(std::ranges::lower_bound(kBandEnds, bytes) - kBandEnds);
}

std::vector<SourceGainBand> bands_of(const std::vector<ComparedPoint>& points) {
  std::map<std::size_t, std::vector<ComparedPoint>> by_band;
  for (const ComparedPoint& point : points) by_band[band_of(point.bytes)].push_back(point);
  std::vector<SourceGainBand> bands;
  for (const auto& [band, its] : by_band) {
    Sums sums;
    for (const ComparedPoint& point : its) sums.add(point);
    const auto [least, most] = std::ranges::minmax(its, {}, &ComparedPoint::bytes);
    bands.push_back({least.bytes, most.bytes, sums.figures()});
  }
  return bands;
}

struct MeasuredBy {
  profile::SystemInfo system;
  std::string source;
  std::string host;
};

// Of the systems that were measured with one source.
std::vector<MeasuredBy> measured_systems(const profile::Profile& profile) {
  std::vector<MeasuredBy> all;
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    const profile::CampaignInfo& info = campaign.info;
    if (info.system.provenance != profile::kProvenanceMeasured) continue;
    if (std::ranges::count(all, info.system.name,
                           [](const MeasuredBy& one) { return one.system.name; }) == 0)
      all.push_back({info.system, info.source, info.host});
  }
  return all;
}

bool is_library(const std::string& source) {
  return std::ranges::count(libraries(), source, &LibraryInfo::name) > 0;
}

bool pairs(const MeasuredBy& portable, const MeasuredBy& library) {
  return portable.source == "portable" && is_library(library.source) &&
         portable.system.mpi == library.system.mpi;
}

std::string share_text(std::size_t count, std::size_t certain, std::size_t of) {
  return fmt::format("{:.0f} ({:.0f})",
                     100.0 * static_cast<double>(count) / static_cast<double>(of),
                     100.0 * static_cast<double>(certain) / static_cast<double>(of));
}

std::string figures_text(std::string_view collective, const std::string& sizes,
                         const SourceGainFigures& figures) {
  return fmt::format(
      "  {:<20} {:>13} {:>9} {:>9.3f} {:>9.3f} {:>14.3f} {:>12} {:>12}\n", collective, sizes,
      figures.instances, figures.rules, figures.portable, figures.gain,
      share_text(figures.portable_faster, figures.portable_certain, figures.instances),
      share_text(figures.library_faster, figures.library_certain, figures.instances));
}

std::string sizes_text(const SourceGainBand& band) {
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
  for (const SourceGainBand& band : gain.bands) {
    bands.push_back({{"least_bytes", band.least_bytes},
                     {"most_bytes", band.most_bytes},
                     {"figures", figures_json(band.figures)}});
  }
  return {{"collective", name(gain.collective)},
          {"all", figures_json(gain.all)},
          {"bands", std::move(bands)},
          {"left_out", gain.left_out},
          {"default_apart", gain.default_apart ? Json(*gain.default_apart) : Json()}};
}

}  // namespace

std::optional<SourceGain> source_gain(const Timings& portable, const Timings& library) {
  SourceGain gain{portable.collective, {}, {}, 0, std::nullopt};
  std::vector<ComparedPoint> points;
  std::vector<double> apart;
  for (std::size_t i = 0; i < library.instances.size(); ++i) {
    const auto same = std::ranges::lower_bound(portable.instances, library.instances[i]);
    if (same == portable.instances.end() || *same != library.instances[i]) continue;
    const auto j = static_cast<std::size_t>(same - portable.instances.begin());
    const Best preset = default_in(library, i);
    const Best ours = best_method_in(portable, j);
    if (std::isnan(preset.time_us) || std::isnan(ours.time_us)) continue;
    points.push_back({library.instances[i].message_size, preset,
                      faster(preset, best_method_in(library, i)), faster(preset, ours)});
    const double again = portable.default_us[j].measured_us() / library.default_us[i].measured_us();
    if (!std::isnan(again)) apart.push_back(std::abs(again - 1));
  }
  if (points.empty()) return std::nullopt;
  Sums sums;
  for (const ComparedPoint& point : points) sums.add(point);
  gain.all = sums.figures();
  gain.bands = bands_of(points);
  gain.left_out = library.instances.size() + portable.instances.size() - 2 * points.size();
  if (!apart.empty()) gain.default_apart = median(apart);
  return gain;
}

std::optional<SourcePair> find_source_pair(const profile::Profile& profile,
                                           const std::optional<std::string>& system) {
  const std::vector<MeasuredBy> all = measured_systems(profile);
  if (!system && profile.systems().size() != 2) return std::nullopt;
  std::vector<SourcePair> same_host;
  for (const MeasuredBy& ours : all) {
    for (const MeasuredBy& own : all) {
      if (!pairs(ours, own)) continue;
      if (system && *system != ours.system.name && *system != own.system.name) continue;
      const SourcePair pair{ours.system, own.system};
      if (own.system.name == ours.system.name + "-own") return pair;
      if (own.host == ours.host) same_host.push_back(pair);
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
    text += figures_text(name(gain.collective), "all", gain.all);
    if (gain.default_apart) apart.push_back(*gain.default_apart);
    if (gain.bands.size() < 2) continue;
    for (const SourceGainBand& band : gain.bands)
      text += figures_text("", sizes_text(band), band.figures);
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
  Json collectives = Json::array();
  for (const SourceGain& gain : gains.collectives) collectives.push_back(gain_json(gain));
  return {{"portable", gains.systems.portable.name},
          {"library", gains.systems.library.name},
          {"mpi", gains.systems.library.mpi},
          {"collectives", std::move(collectives)}};
}

}  // namespace colltree::evaluate
