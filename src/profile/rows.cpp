// SPDX-License-Identifier: BSD-3-Clause
#include "profile/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kStatusNames[] = {"ok", "failed", "cannot_run"};  // as CellStatus

CellStatus parse_status(std::string_view text) {
  const auto* found = std::ranges::find(kStatusNames, text);
  return static_cast<CellStatus>(std::distance(std::begin(kStatusNames), found));
}

std::uint64_t read_unsigned(SQLite::Statement& query, int column) {
  return static_cast<std::uint64_t>(query.getColumn(column).getInt64());
}

void bind_unsigned(SQLite::Statement& statement, int parameter, std::uint64_t value) {
  statement.bind(parameter, static_cast<std::int64_t>(value));
}

}  // namespace

std::string_view name(CellStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

CellKey read_key(SQLite::Statement& query, int first) {
  CellKey key;
  key.instance.collective = parse_collective(query.getColumn(first).getText());
  key.instance.communicator_size = read_unsigned(query, first + 1);
  key.instance.nodes = read_unsigned(query, first + 2);
  key.instance.ranks_per_node = read_unsigned(query, first + 3);
  key.count = read_unsigned(query, first + 4);
  key.type_size = read_unsigned(query, first + 5);
  key.instance.message_size = read_unsigned(query, first + 6);
  key.method.algorithm = query.getColumn(first + 7).getString();
  if (!query.isColumnNull(first + 8)) key.method.segment_size = read_unsigned(query, first + 8);
  return key;
}

void bind_key(SQLite::Statement& statement, int first, const CellKey& key) {
  statement.bind(first, std::string(name(key.instance.collective)));
  bind_unsigned(statement, first + 1, key.instance.communicator_size);
  bind_unsigned(statement, first + 2, key.instance.nodes);
  bind_unsigned(statement, first + 3, key.instance.ranks_per_node);
  bind_unsigned(statement, first + 4, key.count);
  bind_unsigned(statement, first + 5, key.type_size);
  bind_unsigned(statement, first + 6, key.instance.message_size);
  statement.bind(first + 7, key.method.algorithm);
  if (key.method.segment_size) {
    bind_unsigned(statement, first + 8, *key.method.segment_size);
  } else {
    statement.bind(first + 8);
  }
}

SystemInfo read_system(SQLite::Statement& query, int first) {
  const auto text = [&](int offset) { return query.getColumn(first + offset).getString(); };
  return {text(0), text(1), text(2), text(3), text(4)};
}

StoredCampaign read_campaign(SQLite::Statement& query) {
  const auto text = [&](int column) { return query.getColumn(column).getString(); };
  StoredCampaign campaign;
  campaign.id = query.getColumn(5).getInt64();
  campaign.info = {.system = read_system(query, 0),
                   .source = text(7),
                   .host = text(8),
                   .platform_file = text(9),
                   .options = text(10),
                   .config_hash = text(11),
                   .uid = text(6),
                   .started_utc = text(12),
                   .colltree_version = text(13)};
  return campaign;
}

std::vector<Cell> read_cells(SQLite::Statement& query) {
  constexpr int kStatus = kKeyColumnCount;
  std::vector<Cell> cells;
  std::int64_t previous = -1;
  while (query.executeStep()) {
    const std::int64_t id = query.getColumn(kStatus + 2).getInt64();
    if (id != previous) {
      cells.push_back({.key = read_key(query, 0),
                       .status = parse_status(query.getColumn(kStatus).getText()),
                       .reason = query.getColumn(kStatus + 1).getString()});
    }
    previous = id;
    if (query.isColumnNull(kStatus + 3)) continue;
    cells.back().samples.push_back(
        {query.getColumn(kStatus + 3).getInt64(), query.getColumn(kStatus + 4).getDouble()});
  }
  return cells;
}

void check(const Cell& cell) {
  for (const Sample& sample : cell.samples) {
    if (std::isfinite(sample.time_us) && sample.time_us > 0) continue;
    const Instance& instance = cell.key.instance;
    throw Error(fmt::format("{} {} of {} B on {} ranks: {} us is not a time",
                            name(instance.collective), cell.key.method.label(),
                            instance.message_size, instance.communicator_size,
                            format_double(sample.time_us)));
  }
}

CellWriter::CellWriter(SQLite::Database& database)
    : cell_(database,
            fmt::format("INSERT INTO cells (campaign, {}, status, reason) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                        "ON CONFLICT (campaign, collective, communicator_size, nodes, "
                        "ranks_per_node, count, type_size, message_size, algorithm, "
                        "ifnull(segment_size, -1)) DO UPDATE SET "
                        "status = CASE status WHEN 'ok' THEN status ELSE excluded.status END, "
                        "reason = CASE status WHEN 'ok' THEN reason ELSE excluded.reason END "
                        "RETURNING id",
                        kKeyColumns)),
      sample_(database,
              "INSERT INTO samples (cell, rep, time_us, copy) VALUES (?, ?, ?, ?) "
              "ON CONFLICT DO NOTHING") {}

std::int64_t CellWriter::write_key(CampaignId campaign, const Cell& cell) {
  cell_.reset();
  cell_.bind(1, campaign);
  bind_key(cell_, 2, cell.key);
  cell_.bind(2 + kKeyColumnCount, std::string(name(cell.status)));
  cell_.bind(3 + kKeyColumnCount, cell.reason);
  cell_.executeStep();
  const std::int64_t id = cell_.getColumn(0).getInt64();
  cell_.reset();
  return id;
}

void CellWriter::write(CampaignId campaign, const Cell& cell) {
  const std::int64_t id = write_key(campaign, cell);
  std::vector<Sample> samples = cell.samples;
  std::ranges::sort(samples);
  std::int64_t copy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    // Equal samples are told apart by their count, so that a merge is a union.
    copy = i > 0 && samples[i] == samples[i - 1] ? copy + 1 : 0;
    sample_.reset();
    sample_.bind(1, id);
    sample_.bind(2, samples[i].rep);
    sample_.bind(3, samples[i].time_us);
    sample_.bind(4, copy);
    sample_.exec();
  }
}

}  // namespace colltree
