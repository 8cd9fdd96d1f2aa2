// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "base/text.h"
#include "evaluate/policy.h"
#include "evaluate/runs.h"

namespace colltree::evaluate {

namespace {

// An instance of the plain job, with the best time under each setting.
struct Point {
  Instance instance;
  double calls = 1;
  std::vector<Time> times;  // by setting
  double least_us = kNoTime;
};

Time best_time(const Timings& timings, const Instance& instance) {
  auto found = std::ranges::lower_bound(timings.instances, instance);
  if (found == timings.instances.end() || *found != instance) {
    // A setting may change which ranks see each other as being on one node.
    found = std::ranges::find_if(timings.instances, [&](const Instance& there) {
      return there.communicator_size == instance.communicator_size &&
             there.message_size == instance.message_size;
    });
  }
  if (found == timings.instances.end()) return {};
  const auto row = static_cast<std::size_t>(found - timings.instances.begin());
  const Time preset = timings.default_us[row];
  const auto best = timings.best_at(row);
  if (!best) return preset;
  const Time time = timings.time_at(row, *best);
  return preset.known_us() < time.known_us() ? preset : time;
}

double calls_of(const Instance& instance, std::span<const CallCount> calls) {
  if (calls.empty()) return 1;
  double sum = 0;
  for (const CallCount& call : calls) {
    if (call.instance.collective == instance.collective &&
        call.instance.communicator_size == instance.communicator_size &&
        call.instance.message_size == instance.message_size)
      sum += call.calls;
  }
  return sum;
}

Time time_under(const SettingTimes& setting, const Instance& instance) {
  const auto found = std::ranges::find(setting.timings, instance.collective, &Timings::collective);
  return found == setting.timings.end() ? Time() : best_time(*found, instance);
}

std::vector<Point> points_of(std::span<const SettingTimes> settings,
                             std::span<const CallCount> calls) {
  std::vector<Point> points;
  for (const Timings& timings : settings.front().timings) {
    for (const Instance& instance : timings.instances) {
      Point point{instance, calls_of(instance, calls), {}};
      for (const SettingTimes& setting : settings) {
        point.times.push_back(time_under(setting, instance));
        point.least_us = std::fmin(point.least_us, point.times.back().known_us());
      }
      if (point.calls > 0 && !point.times.front().is_impossible()) points.push_back(point);
    }
  }
  return points;
}

// The mean of a setting's gain over the plain job: geometric, or of the sums where calls count.
class MeanGain {
 public:
  explicit MeanGain(bool weighted) : weighted_(weighted) {}
  void add(double calls, double plain_us, double time_us) {
    plain_ += weighted_ ? calls * plain_us : std::log(plain_us);
    under_ += weighted_ ? calls * time_us : std::log(time_us);
    ++count_;
  }
  double value() const {
    return weighted_ ? plain_ / under_ : std::exp((plain_ - under_) / static_cast<double>(count_));
  }

 private:
  bool weighted_;
  double plain_ = 0, under_ = 0;
  std::size_t count_ = 0;
};

double drawn_us(const Time& time, SeededRandom& random) {
  const auto interval = time.interval();
  const double deviation = interval && interval->low > 0 ? log_deviation(*interval) : 0;
  return time.known_us() * std::exp(deviation * random.normal());
}

// Draws the gain at these points again and again. `compared`: how many settings are judged
// together.
Interval gain_interval(const std::vector<const Point*>& points, std::size_t setting, bool weighted,
                       std::size_t compared) {
  constexpr std::size_t kDraws = 2000;
  SeededRandom random(setting);
  std::vector<double> gains;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    MeanGain mean(weighted);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point& point = *points[random.below(points.size())];
      mean.add(point.calls, drawn_us(point.times.front(), random),
               drawn_us(point.times[setting], random));
    }
    gains.push_back(mean.value());
  }
  std::ranges::sort(gains);
  const double outside = 0.05 / (2 * static_cast<double>(std::max<std::size_t>(1, compared)));
  const auto low = static_cast<std::size_t>(outside * kDraws);
  return {gains[low], gains[kDraws - 1 - low]};
}

void note_slower(const Point& point, std::size_t setting, SettingRow& row) {
  const double factor = point.times[setting].known_us() / point.times.front().known_us();
  if (factor <= 1 + kNoticeable) return;
  ++row.slower;
  if (row.worst && factor <= row.worst_factor) return;
  row.worst = point.instance;
  row.worst_factor = factor;
}

std::vector<SettingGain> gains_of(const std::vector<const Point*>& points, std::size_t setting) {
  std::map<std::pair<Collective, std::size_t>, std::pair<MeanGain, std::size_t>> classes;
  for (const Point* point : points) {
    const auto* end = std::ranges::lower_bound(kBandEnds, point->instance.message_size);
    const std::pair key{point->instance.collective,
                        static_cast<std::size_t>(end - std::begin(kBandEnds))};
    auto& [mean, count] = classes.try_emplace(key, MeanGain(false), 0).first->second;
    mean.add(1, point->times.front().known_us(), point->times[setting].known_us());
    ++count;
  }
  std::vector<SettingGain> gains;
  for (const auto& [key, entry] : classes)
    gains.push_back({key.first, key.second, entry.second, entry.first.value()});
  return gains;
}

SettingRow judge(const SettingTimes& times, std::size_t setting, const std::vector<Point>& points,
                 bool weighted, std::size_t compared) {
  SettingRow row{.name = times.name, .failure = times.failure};
  std::vector<const Point*> timed;
  double spent = 0;
  double least = 0;
  MeanGain mean(weighted);
  for (const Point& point : points) {
    const double us = point.times[setting].known_us();
    if (std::isnan(us)) {
      ++row.missing;
      continue;
    }
    timed.push_back(&point);
    spent += weighted ? point.calls * us : us / point.least_us;
    least += weighted ? point.calls * point.least_us : 1;
    mean.add(point.calls, point.times.front().known_us(), us);
    note_slower(point, setting, row);
  }
  if (timed.empty()) return row;
  row.loss = spent / least - 1;
  row.gains = gains_of(timed, setting);
  if (setting > 0) row.gain = {mean.value(), gain_interval(timed, setting, weighted, compared)};
  return row;
}

constexpr const char* kBandNames[] = {"up to 2K", "up to 128K", "above"};
static_assert(std::size(kBandNames) == std::size(kBandEnds) + 1);

std::string cost_text(const SettingRow& row) {
  if (!row.worst) return "nowhere";
  return fmt::format("at {}, most {:.2g} times the time: {} on {} ranks, {}", row.slower,
                     row.worst_factor, name(row.worst->collective), row.worst->communicator_size,
                     format_bytes(row.worst->message_size));
}

}  // namespace

std::string shown_name(const SettingRow& row) { return row.name.empty() ? "plain" : row.name; }

SettingContest compare_settings(std::span<const SettingTimes> settings,
                                std::span<const CallCount> calls) {
  const std::vector<Point> points = points_of(settings, calls);
  SettingContest contest{points.size(), !calls.empty(), {}, 0};
  for (std::size_t i = 0; i < settings.size(); ++i)
    contest.rows.push_back(judge(settings[i], i, points, contest.weighted, settings.size() - 1));
  for (std::size_t i = 1; i < contest.rows.size(); ++i) {
    const SettingRow& row = contest.rows[i];
    if (row.missing == 0 && is_proven(row.gain) && row.loss < contest.best().loss)
      contest.chosen = i;
  }
  return contest;
}

std::string settings_text(const SettingContest& contest) {
  std::string text =
      fmt::format("settings over {} instances{}\n  {:<20} {:>7} {:>7}  {:<17} {}\n",
                  contest.instances, contest.weighted ? " by their calls" : "", "setting", "loss %",
                  "gain", "95 % interval", "slower than the plain job");
  for (const SettingRow& row : contest.rows) {
    if (row.missing == contest.instances) {
      text += fmt::format("  {:<20} not measured: {}\n", shown_name(row), row.failure);
      continue;
    }
    const std::string gain =
        row.name.empty() ? fmt::format("{:>7}  {:<17}", "-", "-")
                         : fmt::format("{:>7.3f}  {:<17}", row.gain.factor,
                                       fmt::format("{:.3f} to {:.3f}", row.gain.interval.low,
                                                   row.gain.interval.high));
    text +=
        fmt::format("  {:<20} {:>7} {} {}{}\n", shown_name(row), percent_text(row.loss), gain,
                    row.name.empty() ? "-" : cost_text(row),
                    row.missing == 0 ? "" : fmt::format("; no time at {} instances", row.missing));
  }
  return text +
         "  each with the best method under it; loss: beside the best setting at each instance; "
         "gain: time of the plain job / time under it\n";
}

std::string setting_gains_text(const SettingContest& contest) {
  std::string text = fmt::format("  {:<20} {:<20} {:<10} {:>9} {:>7}\n", "setting", "collective",
                                 "bytes", "instances", "gain");
  for (const SettingRow& row : contest.rows) {
    if (row.name.empty()) continue;
    for (const SettingGain& gain : row.gains)
      text +=
          fmt::format("  {:<20} {:<20} {:<10} {:>9} {:>7.3f}\n", row.name, name(gain.collective),
                      kBandNames[gain.band], gain.instances, gain.factor);
  }
  return text;
}

Json settings_json(const SettingContest& contest) {
  Json rows = Json::array();
  for (const SettingRow& row : contest.rows) {
    Json gains = Json::array();
    for (const SettingGain& gain : row.gains)
      gains.push_back({{"collective", name(gain.collective)},
                       {"bytes", kBandNames[gain.band]},
                       {"instances", gain.instances},
                       {"gain", gain.factor}});
    rows.push_back({{"setting", shown_name(row)},
                    {"failure", row.failure},
                    {"missing", row.missing},
                    {"loss", row.loss},
                    {"gain", row.gain.factor},
                    {"low", row.gain.interval.low},
                    {"high", row.gain.interval.high},
                    {"slower", row.slower},
                    {"worst_factor", row.worst_factor},
                    {"gains", gains}});
  }
  return {{"chosen", shown_name(contest.best())},
          {"instances", contest.instances},
          {"weighted", contest.weighted},
          {"settings", rows}};
}

}  // namespace colltree::evaluate
