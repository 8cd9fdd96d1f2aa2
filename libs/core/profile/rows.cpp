// SPDX-License-Identifier: BSD-3-Clause
#include "profile/rows.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "profile/profile.h"

namespace colltree::profile {

const char* const kDamageRemedy =
    "the file is damaged: restore a copy, or save what is left as "
    "docs/reference/formats/profile.md says";

std::string time_limits() {
  return fmt::format("from {} to {}", format_double(kLeastTime_us), format_double(kMostTime_us));
}

std::string StoredRow::shown(int column) const {
  const SQLite::Column value = query_.getColumn(column);
  if (value.isNull()) return "nothing";
  if (value.isInteger()) return fmt::format("{}", value.getInt64());
  if (value.isFloat()) return format_double(value.getDouble());
  return fmt::format("'{}'", value.getString().substr(0, 100));
}

void StoredRow::wrong(int column, std::string_view expected) const {
  throw Error(printable(fmt::format("{}: table {} {}: {} is {}, expected {}; {}", path_.string(),
                                    place_, shown(id_), query_.getColumn(column).getName(),
                                    shown(column), expected, kDamageRemedy)));
}

std::int64_t StoredRow::integer(int column, std::int64_t least, std::int64_t most) const {
  const SQLite::Column value = query_.getColumn(column);
  const std::int64_t number = value.getInt64();
  if (!value.isInteger() || number < least || number > most) {
    wrong(column, fmt::format("a whole number from {} to {}", least, most));
  }
  return number;
}

std::uint64_t StoredRow::number(int column, std::uint64_t least, std::uint64_t most) const {
  return static_cast<std::uint64_t>(
      integer(column, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
}

std::optional<std::uint64_t> StoredRow::number_or_null(int column, std::uint64_t most) const {
  if (is_null(column)) return std::nullopt;
  return number(column, 0, most);
}

double StoredRow::time_us(int column) const {
  const SQLite::Column value = query_.getColumn(column);
  if (!value.isFloat() || !is_time(value.getDouble())) {
    wrong(column, "a time " + time_limits());
  }
  return value.getDouble();
}

std::string StoredRow::text(int column) const {
  const SQLite::Column value = query_.getColumn(column);
  if (!value.isText()) wrong(column, "text");
  return value.getString();
}

std::string StoredRow::word(int column) const {
  std::string value = text(column);
  if (const std::string why = unfit_for_line(value); !why.empty()) {
    wrong(column, fmt::format("text without {}", why));
  }
  return value;
}

std::string StoredRow::free_text(int column) const { return printable(text(column)); }

namespace {

constexpr std::string_view kStatusNames[] = {"ok", "failed", "cannot_run",
                                             "wanted"};  // as CellStatus

CellStatus read_status(const StoredRow& row, int column) {
  const auto found = index_of(kStatusNames, row.word(column));
  if (!found) row.wrong(column, "ok, failed, cannot_run or wanted");
  return static_cast<CellStatus>(*found);
}

Collective read_collective(const StoredRow& row, int column) {
  const auto found = find_collective(row.word(column));
  if (!found) row.wrong(column, "a collective");
  return *found;
}

void bind_unsigned(SQLite::Statement& statement, int parameter, std::uint64_t value) {
  statement.bind(parameter, static_cast<std::int64_t>(value));
}

}  // namespace

std::string_view name(CellStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

CellKey read_key(const StoredRow& row, int first) {
  CellKey key;
  key.instance.collective = read_collective(row, first);
  key.instance.communicator_size = row.number(first + 1, 1, kMostRanks);
  key.instance.nodes = row.number(first + 2, 0, kMostRanks);
  key.instance.ranks_per_node = row.number(first + 3, 0, kMostRanks);
  key.count = row.number(first + 4, 0, kMostBytes);
  key.type_size = row.number(first + 5, 0, kMostBytes);
  key.instance.message_size = row.number(first + 6, 0, kMostBytes);
  const std::string algorithm = row.word(first + 7);
  if (algorithm.empty()) row.wrong(first + 7, "the name of an algorithm");
  key.method = parse_method_name(algorithm, row.number_or_null(first + 8, kMostBytes));
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
  statement.bind(first + 7, key.method.name());
  if (key.method.segment_size) {
    bind_unsigned(statement, first + 8, *key.method.segment_size);
  } else {
    statement.bind(first + 8);
  }
}

SystemInfo read_system(const StoredRow& row, int first) {
  return {row.word(first), row.word(first + 1), row.word(first + 2), row.word(first + 3),
          row.word(first + 4)};
}

std::vector<StoredCampaign> read_campaigns(SQLite::Database& database,
                                           const std::filesystem::path& path) {
  SQLite::Statement query(database,
                          "SELECT c.id, c.uid, c.source, c.host, c.platform_file, c.options, "
                          "c.config_hash, c.started_utc, c.colltree_version, "
                          "s.name, s.provenance, s.mpi, s.platform_hash, s.noise "
                          "FROM campaigns c JOIN systems s ON s.id = c.system "
                          "ORDER BY s.name, c.uid");
  std::vector<StoredCampaign> campaigns;
  while (query.executeStep()) {
    const StoredRow row(path, query, "campaigns, row", 0);
    campaigns.push_back({.id = row.integer(0, 1, INT64_MAX),
                         .info = {.system = read_system(row, 9),
                                  .source = row.free_text(2),
                                  .host = row.free_text(3),
                                  .platform_file = row.free_text(4),
                                  .options = row.free_text(5),
                                  .config_hash = row.word(6),
                                  .uid = row.word(1),
                                  .started_utc = row.word(7),
                                  .colltree_version = row.word(8)}});
  }
  return campaigns;
}

namespace {

// Columns of visit_cells.
constexpr int kCampaign = 1;
constexpr int kKey = 2;
constexpr int kStatus = kKey + kKeyColumnCount;
constexpr int kReason = kStatus + 1;
constexpr int kRepColumn = kStatus + 2;
constexpr int kTimeColumn = kStatus + 3;
constexpr int kCopy = kStatus + 4;

// Rows of a cell come in the order of their key, so copies of a sample follow each other.
void read_sample(const StoredRow& row, std::vector<Sample>& samples, std::int64_t& copy) {
  const Sample sample{row.integer(kRepColumn, -1, kMostReps), row.time_us(kTimeColumn)};
  copy = !samples.empty() && samples.back() == sample ? copy + 1 : 0;
  row.integer(kCopy, copy, copy);
  samples.push_back(sample);
}

}  // namespace

void visit_cells(SQLite::Database& database, const std::filesystem::path& path,
                 const CellFilter& filter, const CellVisitor& visit) {
  SQLite::Statement query(
      database,
      fmt::format("SELECT id, campaign, {}, status, reason, rep, time_us, copy "
                  "FROM cells NOT INDEXED LEFT JOIN samples ON samples.cell = cells.id "
                  "WHERE (?1 IS NULL OR campaign = ?1) AND (?2 IS NULL OR collective = ?2) AND "
                  "(?3 IS NULL OR campaign IN (SELECT c.id FROM campaigns c JOIN systems s "
                  "ON s.id = c.system WHERE s.name = ?3)) ORDER BY id, rep, time_us, copy",
                  kKeyColumns));
  if (filter.campaign) query.bind(1, *filter.campaign);
  if (filter.collective) query.bind(2, std::string(name(*filter.collective)));
  if (filter.system) query.bind(3, *filter.system);
  const StoredRow row(path, query, "cells, row", 0);
  const StoredRow sample_row(path, query, "samples, cell", 0);
  std::optional<Cell> cell;
  CampaignId campaign = 0;
  std::int64_t id = 0;
  std::int64_t copy = 0;
  while (query.executeStep()) {
    if (!cell || id != query.getColumn(0).getInt64()) {
      if (cell) visit(campaign, id, *cell);
      campaign = row.integer(kCampaign, 1, INT64_MAX);
      id = row.integer(0, INT64_MIN, INT64_MAX);
      cell = {read_key(row, kKey), read_status(row, kStatus), row.free_text(kReason), {}};
    }
    if (!row.is_null(kRepColumn)) read_sample(sample_row, cell->samples, copy);
  }
  if (cell) visit(campaign, id, *cell);
}

void check(const Cell& cell) {
  const Instance& instance = cell.key.instance;
  const auto wrong = [&](const std::string& what) {
    throw Error(fmt::format("{} {} of {} B on {} ranks: {}", name(instance.collective),
                            cell.key.method.label(), instance.message_size,
                            instance.communicator_size, what));
  };
  for (const Sample& sample : cell.samples) {
    if (is_time(sample.time_us)) continue;
    wrong(fmt::format("{} us is not a time {}", format_double(sample.time_us), time_limits()));
  }
  const std::string unfit = unfit_for_line(cell.key.method.algorithm);
  if (!unfit.empty()) wrong(fmt::format("the name of the algorithm holds {}", unfit));
}

CellWriter::CellWriter(SQLite::Database& database, const std::filesystem::path& path,
                       CampaignId campaign)
    : database_(database),
      path_(path),
      campaign_(campaign),
      tally_(held_tally(database, campaign)),
      find_(database,
            "SELECT id, status, reason FROM cells WHERE campaign = ? AND collective = ? AND "
            "communicator_size = ? AND nodes = ? AND ranks_per_node = ? AND count = ? AND "
            "type_size = ? AND message_size = ? AND algorithm = ? AND "
            "ifnull(segment_size, -1) = ifnull(?, -1)"),
      insert_(database, fmt::format("INSERT INTO cells (campaign, {}, status, reason) "
                                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                    kKeyColumns)),
      change_(database, "UPDATE cells SET status = ?, reason = ? WHERE id = ?"),
      sample_(database,
              "INSERT INTO samples (cell, rep, time_us, copy) VALUES (?, ?, ?, ?) "
              "ON CONFLICT DO NOTHING") {}

// Writes a new cell, or a better state of a cell that was not ok.
std::int64_t CellWriter::write_key(const Cell& cell, std::uint64_t key) {
  const std::string reason = printable(cell.reason);
  const Tally state = tally_of_state(key, cell.status, reason);
  find_.reset();
  find_.bind(1, campaign_);
  bind_key(find_, 2, cell.key);
  if (!find_.executeStep()) {
    insert_.reset();
    insert_.bind(1, campaign_);
    bind_key(insert_, 2, cell.key);
    insert_.bind(2 + kKeyColumnCount, std::string(name(cell.status)));
    insert_.bind(3 + kKeyColumnCount, reason);
    insert_.exec();
    tally_ += state;
    return database_.getLastInsertRowid();
  }
  const StoredRow row(path_, find_, "cells, row", 0);
  const std::int64_t id = row.integer(0, INT64_MIN, INT64_MAX);
  const CellStatus held = read_status(row, 1);
  if (held == CellStatus::kOk || cell.status == CellStatus::kWanted) return id;
  tally_ -= tally_of_state(key, held, row.free_text(2));
  tally_ += state;
  change_.reset();
  change_.bind(1, std::string(name(cell.status)));
  change_.bind(2, reason);
  change_.bind(3, id);
  change_.exec();
  return id;
}

void CellWriter::write(const Cell& cell) {
  const std::uint64_t key = key_hash(cell.key);
  const std::int64_t id = write_key(cell, key);
  std::vector<Sample> samples = cell.samples;
  std::ranges::sort(samples);
  std::int64_t copy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    // Equal samples are distinguished by their count, so that a merge is a union.
    copy = i > 0 && samples[i] == samples[i - 1] ? copy + 1 : 0;
    sample_.reset();
    sample_.bind(1, id);
    sample_.bind(2, samples[i].rep);
    sample_.bind(3, samples[i].time_us);
    sample_.bind(4, copy);
    if (sample_.exec() > 0) tally_ += tally_of_sample(key, samples[i], copy);
  }
}

void CellWriter::hold() const { hold_tally(database_, campaign_, tally_); }

}  // namespace colltree::profile
