// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/side_by_side_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/csv_fields.h"
#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree::deploy {

namespace {

constexpr std::string_view kHeader =
    "mpi,round,collective,procs,msg_bytes,algorithm,segment_bytes,default_us,deployed_us";
constexpr std::size_t kFields = 9;
// A further field each, where placements were distinguished, and where there were several sessions.
constexpr std::string_view kPlacement = ",ppn";
constexpr std::string_view kSession = ",session";

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  SideBySideLog read(const std::string& text) {
    for (std::string_view line : split(text, '\n')) {
      ++number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (number_ == 1) take_header(line);
      if (number_ > 1 && !line.empty()) take(line);
    }
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const {
    throw ParseError(file_, number_, expected, got);
  }

  void take_header(std::string_view line) {
    in_sessions_ = line.ends_with(kSession);
    if (in_sessions_) line.remove_suffix(kSession.size());
    placed_ = line.ends_with(kPlacement);
    if (placed_) line.remove_suffix(kPlacement.size());
    if (line != kHeader) fail(fmt::format("the header {}", kHeader), line);
  }

  template <typename Number>
  Number number(std::string_view text, std::string_view expected) const {
    const auto value = parse_number<Number>(text);
    if (!value) fail(expected, text);
    return *value;
  }

  double time_us(std::string_view text) const {
    const auto value = number<double>(text, "a time in microseconds");
    if (!std::isfinite(value) || value <= 0) fail("a time in microseconds above 0", text);
    return value;
  }

  void take(std::string_view line) {
    const auto fields = split_csv(line);
    const std::size_t wanted = kFields + (placed_ ? 1 : 0) + (in_sessions_ ? 1 : 0);
    if (!fields || fields->size() != wanted) fail(fmt::format("{} fields", wanted), line);
    const std::vector<std::string>& words = *fields;
    if (log_.mpi.empty()) log_.mpi = words[0];
    if (words[0] != log_.mpi) fail(log_.mpi, words[0]);
    const auto round = number<std::size_t>(words[1], "the number of a round");
    const auto collective = find_collective(words[2]);
    if (!collective) fail("a collective", words[2]);
    Instance instance{*collective, number<std::uint64_t>(words[3], "ranks"),
                      number<std::uint64_t>(words[4], "bytes")};
    if (placed_) {
      instance.ranks_per_node = number<std::uint64_t>(words[kFields], "ranks per node");
      instance.nodes = protocol::nodes_for(instance.communicator_size, instance.ranks_per_node);
    }
    const Method method = method_of(words[5], words[6]);
    const auto [known, is_new] = log_.deployed.emplace(instance, method);
    if (!is_new && known->second != method) fail(known->second.label(), method.label());
    if (round + 1 < log_.rounds.size() || round > log_.rounds.size())
      fail("the rounds in their order", words[1]);
    log_.rounds.resize(round + 1);
    if (words[7].empty() && words[8].empty()) return;
    log_.rounds[round][instance] = {
        time_us(words[7]), time_us(words[8]),
        in_sessions_ ? number<std::size_t>(words.back(), "a session") : 0};
  }

  Method method_of(const std::string& algorithm, const std::string& segment) const {
    if (segment.empty()) return parse_method_name(algorithm);
    return parse_method_name(algorithm, number<std::uint64_t>(segment, "bytes of a segment"));
  }

  std::string file_;
  std::size_t number_ = 0;
  bool placed_ = false;
  bool in_sessions_ = false;
  SideBySideLog log_;
};

}  // namespace

RoundsOfPairs SideBySideLog::pairs() const {
  RoundsOfPairs pairs;
  for (const auto& round : rounds) {
    for (const auto& [instance, pair] : round) pairs[instance].push_back(pair);
  }
  return pairs;
}

std::vector<evaluate::Pair> SideBySideLog::pairs_of(const Instance& instance) const {
  std::vector<evaluate::Pair> pairs;
  for (const auto& round : rounds) {
    if (const auto found = round.find(instance); found != round.end())
      pairs.push_back(found->second);
  }
  return pairs;
}

bool SideBySideLog::tells_placements() const {
  return std::ranges::any_of(deployed,
                             [](const auto& entry) { return entry.first.ranks_per_node != 0; });
}

std::size_t SideBySideLog::sessions() const {
  std::set<std::size_t> sessions;
  for (const auto& round : rounds) {
    for (const auto& [instance, pair] : round) sessions.insert(pair.session);
  }
  return sessions.size();
}

SideBySideLog parse_side_by_side(const std::string& text, const std::string& file) {
  return Reader(file).read(text);
}

SideBySideLog read_side_by_side(const std::string& file) {
  return parse_side_by_side(read_file(file, kMostModelBytes), file);
}

std::string side_by_side_text(const SideBySideLog& log) {
  const bool placed = log.tells_placements();
  const bool in_sessions = log.sessions() > 1;
  std::string text =
      fmt::format("{}{}{}\n", kHeader, placed ? kPlacement : "", in_sessions ? kSession : "");
  for (std::size_t round = 0; round < log.rounds.size(); ++round) {
    for (const auto& [instance, method] : log.deployed) {
      const auto found = log.rounds[round].find(instance);
      const bool failed = found == log.rounds[round].end();
      const std::string times =
          failed ? "," : fmt::format("{},{}", found->second.default_us, found->second.tuned_us);
      std::string last = placed ? fmt::format(",{}", instance.ranks_per_node) : "";
      if (in_sessions) last += failed ? "," : fmt::format(",{}", found->second.session);
      text += fmt::format(
          "{},{},{},{},{},{},{},{}{}\n", csv_field(log.mpi), round, name(instance.collective),
          instance.communicator_size, instance.message_size, csv_field(method.name()),
          method.segment_size ? fmt::to_string(*method.segment_size) : "", times, last);
    }
  }
  return text;
}

}  // namespace colltree::deploy
