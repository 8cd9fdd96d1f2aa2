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
using Points = std::vector<const Point*>;

// A setting may change which ranks see each other as being on one node.
bool is_alike(const Instance& a, const Instance& b) {
  return a.collective == b.collective && a.communicator_size == b.communicator_size &&
         a.message_size == b.message_size;
}

Time best_time(const SettingTimes& setting, const Instance& instance) {
  const auto timings =
      std::ranges::find(setting.timings, instance.collective, &Timings::collective);
  if (timings == setting.timings.end()) return {};
  auto found = std::ranges::find(timings->instances, instance);
  if (found == timings->instances.end())
    found = std::ranges::find_if(timings->instances,
                                 [&](const Instance& there) { return is_alike(there, instance); });
  if (found == timings->instances.end()) return {};
  const auto row = static_cast<std::size_t>(found - timings->instances.begin());
  const Time preset = timings->default_us[row];
  const auto best = timings->best_at(row);
  if (!best) return preset;
  const Time time = timings->time_at(row, *best);
  return preset.known_us() < time.known_us() ? preset : time;
}

double calls_of(const Instance& instance, std::span<const CallCount> calls) {
  if (calls.empty()) return 1;
  double sum = 0;
  for (const CallCount& call : calls) sum += is_alike(call.instance, instance) ? call.calls : 0;
  return sum;
}

std::vector<Point> points_of(std::span<const SettingTimes> settings,
                             std::span<const CallCount> calls) {
  std::vector<Point> points;
  for (const Timings& timings : settings.front().timings) {
    for (const Instance& instance : timings.instances) {
      Point point{instance, calls_of(instance, calls), {}};
      for (const SettingTimes& setting : settings) {
        point.times.push_back(best_time(setting, instance));
        point.least_us = std::fmin(point.least_us, point.times.back().known_us());
      }
      if (point.calls > 0 && !point.times.front().is_impossible()) points.push_back(point);
    }
  }
  return points;
}

double drawn_us(const Time& time, SeededRandom* random) {
  const auto interval = time.interval();
  const double deviation = interval && interval->low > 0 ? log_deviation(*interval) : 0;
  return time.known_us() * (random ? std::exp(deviation * random->normal()) : 1);
}

// The plain job's time over that under the setting: a geometric mean, or of the sums if calls
// count. With `random` it is one of a bootstrap's draws, of the points and of their times.
double mean_gain(const Points& points, std::size_t setting, bool weighted,
                 SeededRandom* random = nullptr) {
  double plain = 0;
  double under = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = *points[random ? random->below(points.size()) : i];
    const double plain_us = drawn_us(point.times.front(), random);
    const double under_us = drawn_us(point.times[setting], random);
    plain += weighted ? point.calls * plain_us : std::log(plain_us);
    under += weighted ? point.calls * under_us : std::log(under_us);
  }
  return weighted ? plain / under : std::exp((plain - under) / static_cast<double>(points.size()));
}

// `compared`: how many settings are judged together.
Interval gain_interval(const Points& points, std::size_t setting, bool weighted,
                       std::size_t compared) {
  constexpr std::size_t kDraws = 2000;
  SeededRandom random(setting);
  std::vector<double> gains(kDraws);
  for (double& gain : gains) gain = mean_gain(points, setting, weighted, &random);
  std::ranges::sort(gains);
  const auto outside =
      static_cast<std::size_t>(0.05 * kDraws / (2 * static_cast<double>(compared)));
  return {gains[outside], gains[kDraws - 1 - outside]};
}

void add_gains(const std::string& name, const Points& points, std::size_t setting, Table& gains) {
  std::map<std::pair<Collective, std::size_t>, Points> classes;
  for (const Point* point : points)
    classes[{point->instance.collective, band_of(point->instance.message_size)}].push_back(point);
  for (const auto& [key, members] : classes)
    gains.add({name, colltree::name(key.first), band_name(key.second), members.size(),
               mean_gain(members, setting, false)});
}

SettingRow judge(const SettingTimes& times, std::size_t setting, const std::vector<Point>& points,
                 std::size_t compared, SettingContest& contest) {
  SettingRow row{.name = times.name, .failure = times.failure};
  Points timed;
  double spent = 0;
  double least = 0;
  for (const Point& point : points) {
    const double us = point.times[setting].known_us();
    if (std::isnan(us)) continue;
    timed.push_back(&point);
    spent += contest.weighted ? point.calls * us : us / point.least_us;
    least += contest.weighted ? point.calls * point.least_us : 1;
    const double factor = us / point.times.front().known_us();
    row.slower += factor > 1 + kNoticeable ? 1 : 0;
    if (factor <= std::max(row.worst_factor, 1 + kNoticeable)) continue;
    row.worst = point.instance;
    row.worst_factor = factor;
  }
  row.missing = points.size() - timed.size();
  if (timed.empty()) return row;
  row.loss = spent / least - 1;
  if (setting == 0) return row;
  add_gains(row.name, timed, setting, contest.gains);
  row.gain = {mean_gain(timed, setting, contest.weighted),
              gain_interval(timed, setting, contest.weighted, compared)};
  return row;
}

Table settings_table(const SettingContest& contest) {
  Table table({{"setting", "setting", "  {:<20}"},
               {"loss", "loss %", " {:>7}"},
               {"gain", "gain", " {:>7.3f}"},
               {"low", "95 % interval", "  {:<17}"},
               {"high"},
               {"slower", "slower than the plain job", " {}"},
               {"worst_factor"},
               {"missing"},
               {"failure"}});
  for (const SettingRow& row : contest.rows) {
    if (row.missing == contest.instances) {
      table.add({shown_name(row), {}, {}, {}, {}, {}, {}, row.missing, row.failure},
                fmt::format(" not measured: {}", row.failure));
      continue;
    }
    const Interval& interval = row.gain.interval;
    const bool is_plain = row.name.empty();
    std::string slower = is_plain ? "-" : "nowhere";
    if (row.worst)
      slower = fmt::format("at {}, most {:.2g} times the time: {} on {} ranks, {}", row.slower,
                           row.worst_factor, name(row.worst->collective),
                           row.worst->communicator_size, format_bytes(row.worst->message_size));
    if (row.missing > 0) slower += fmt::format("; no time at {} instances", row.missing);
    table.add({shown_name(row), Cell(row.loss, percent_text(row.loss)),
               is_plain ? Cell(row.gain.factor, "-") : Cell(row.gain.factor),
               Cell(interval.low,
                    is_plain ? "-" : fmt::format("{:.3f} to {:.3f}", interval.low, interval.high)),
               interval.high, Cell(row.slower, slower), row.worst_factor, row.missing,
               row.failure});
  }
  return table;
}

}  // namespace

std::string shown_name(const SettingRow& row) { return row.name.empty() ? "plain" : row.name; }

SettingContest compare_settings(std::span<const SettingTimes> settings,
                                std::span<const CallCount> calls) {
  const std::vector<Point> points = points_of(settings, calls);
  SettingContest contest{points.size(),
                         !calls.empty(),
                         {},
                         0,
                         Table({{"setting", "setting", "  {:<20}"},
                                {"collective", "collective", " {:<20}"},
                                {"message_sizes", "bytes", " {:<10}"},
                                {"instances", "instances", " {:>9}"},
                                {"gain", "gain", " {:>7.3f}"}})};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const SettingRow row = judge(settings[i], i, points, settings.size() - 1, contest);
    contest.rows.push_back(row);
    if (i > 0 && row.missing == 0 && is_proven(row.gain) && row.loss < contest.best().loss)
      contest.chosen = i;
  }
  return contest;
}

std::string settings_text(const SettingContest& contest) {
  return fmt::format(
      "settings over {} instances{}\n{}  each with the best method under it; loss: beside the best "
      "setting at each instance; gain: time of the plain job / time under it\n\n{}",
      contest.instances, contest.weighted ? " by their calls" : "", settings_table(contest).text(),
      contest.gains.text());
}

Json settings_json(const SettingContest& contest) {
  return {{"chosen", shown_name(contest.best())},
          {"instances", contest.instances},
          {"weighted", contest.weighted},
          {"settings", settings_table(contest).json()},
          {"gains", contest.gains.json()}};
}

}  // namespace colltree::evaluate
