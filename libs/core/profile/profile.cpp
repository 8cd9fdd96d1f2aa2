// SPDX-License-Identifier: BSD-3-Clause
#include "profile/profile.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>
#include <random>
#include <string>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "profile/rows.h"
#include "profile/schema.h"

namespace colltree::profile {

namespace {

// The identity of a system besides its name: systems that differ in one value must not be mixed.
constexpr std::pair<const char*, std::string SystemInfo::*> kIdentity[] = {
    {"timings", &SystemInfo::provenance},
    {"MPI library", &SystemInfo::mpi},
    {"platform file with hash", &SystemInfo::platform_hash},
    {"noise", &SystemInfo::noise}};

void check_same_system(const std::string& path, const SystemInfo& held, const SystemInfo& wanted) {
  for (const auto& [what, value] : kIdentity) {
    const std::string& here = held.*value;
    const std::string& there = wanted.*value;
    if (here == there) continue;
    const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
    throw Error(fmt::format(
        "{}: system '{}' stands for another system ({}: {}, now {}), which must not be mixed; give "
        "another --system NAME or another file",
        path, wanted.name, what, shown(here), shown(there)));
  }
}

void check_name(const std::string& name) {
  const bool bad = name.find_first_of(",\"") != std::string::npos || !unfit_for_line(name).empty();
  if (name.empty() || bad) {
    throw Error(fmt::format(
        "'{}' is not a system name: it must not be empty, nor hold commas, quotes or line ends",
        name));
  }
}

std::int64_t find_or_make_system(SQLite::Database& database, const std::string& path,
                                 const SystemInfo& wanted) {
  check_name(wanted.name);
  SQLite::Statement query(database,
                          "SELECT id, name, provenance, mpi, platform_hash, noise FROM systems "
                          "WHERE name = ?");
  query.bind(1, wanted.name);
  if (query.executeStep()) {
    const std::filesystem::path file = path;
    check_same_system(path, read_system(StoredRow(file, query, "systems, row", 0), 1), wanted);
    return query.getColumn(0).getInt64();
  }
  SQLite::Statement insert(database,
                           "INSERT INTO systems (name, provenance, mpi, platform_hash, noise) "
                           "VALUES (?, ?, ?, ?, ?)");
  SQLite::bind(insert, wanted.name, wanted.provenance, wanted.mpi, wanted.platform_hash,
               wanted.noise);
  insert.exec();
  return database.getLastInsertRowid();
}

std::optional<CampaignId> find_campaign(SQLite::Database& database, std::int64_t system,
                                        const CampaignInfo& info) {
  SQLite::Statement query(database, info.uid.empty() ? "SELECT min(id) FROM campaigns WHERE "
                                                       "system = ? AND config_hash = ?"
                                                     : "SELECT min(id) FROM campaigns WHERE "
                                                       "system = ? AND uid = ?");
  query.bind(1, system);
  query.bind(2, info.uid.empty() ? info.config_hash : info.uid);
  query.executeStep();
  if (query.isColumnNull(0)) return std::nullopt;
  return query.getColumn(0).getInt64();
}

// Simulated times follow from the configuration, so two simulations of one configuration are one
// campaign; two measurements never are.
std::string make_uid(const CampaignInfo& info) {
  std::string identity = info.system.name + '\n' + info.config_hash;
  for (const auto& [what, value] : kIdentity) identity += '\n' + info.system.*value;
  if (info.system.provenance != kProvenanceSimulated) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    identity += fmt::format("\n{}\n{}\n{}\n{}", info.host, now, ::getpid(), std::random_device{}());
  }
  return content_hash(identity);
}

// The info with all fields but the uid, as a profile returns it: control characters are made
// visible, because machines and libraries may report anything about themselves.
CampaignInfo completed(CampaignInfo info) {
  if (info.config_hash.empty()) info.config_hash = content_hash(info.source + '\n' + info.options);
  if (info.started_utc.empty())
    info.started_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (info.colltree_version.empty()) info.colltree_version = COLLTREE_VERSION;
  for (std::string* text : {&info.system.mpi, &info.system.platform_hash, &info.system.noise,
                            &info.source, &info.host, &info.platform_file, &info.options}) {
    *text = printable(*text);
  }
  return info;
}

CampaignId insert_campaign(SQLite::Database& database, std::int64_t system, CampaignInfo info) {
  if (info.uid.empty()) info.uid = make_uid(info);
  SQLite::Statement insert(database,
                           "INSERT INTO campaigns (uid, system, source, host, platform_file, "
                           "options, config_hash, started_utc, colltree_version, cell_count, "
                           "sample_count, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)");
  SQLite::bind(insert, info.uid, system, info.source, info.host, info.platform_file, info.options,
               info.config_hash, info.started_utc, info.colltree_version,
               static_cast<std::int64_t>(tally_of(info).sum));
  insert.exec();
  return database.getLastInsertRowid();
}

}  // namespace

Profile::Profile(std::filesystem::path path, OpenMode mode)
    : path_(std::move(path)), database_(open_database(path_, mode == OpenMode::kWrite)) {}

Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;

void Profile::in_transaction(const std::function<void()>& work) {
  if (in_transaction_) return work();
  explained(path_, [&] {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    in_transaction_ = true;
    try {
      work();
      transaction.commit();
    } catch (...) {
      in_transaction_ = false;
      throw;
    }
    in_transaction_ = false;
  });
}

CampaignId Profile::begin_campaign(const CampaignInfo& info) {
  CampaignId id = 0;
  in_transaction([&] {
    const CampaignInfo complete = completed(info);
    const std::int64_t system = find_or_make_system(*database_, path_.string(), complete.system);
    const auto found = find_campaign(*database_, system, complete);
    id = found ? *found : insert_campaign(*database_, system, complete);
  });
  return id;
}

std::set<CellKey> Profile::finished_cells(CampaignId campaign) const {
  return explained(path_, [&] {
    const std::string sql = fmt::format(
        "SELECT id, {} FROM cells NOT INDEXED WHERE status <> 'wanted' AND campaign IN "
        "({})",
        kKeyColumns, kSameConfiguration);
    SQLite::Statement query(*database_, sql);
    query.bind(1, campaign);
    const StoredRow row(path_, query, "cells, row", 0);
    std::set<CellKey> keys;
    while (query.executeStep()) keys.insert(read_key(row, 1));
    return keys;
  });
}

void Profile::record(CampaignId campaign, std::span<const Cell> cells) {
  for (const Cell& cell : cells) check(cell);
  in_transaction([&] {
    CellWriter writer(*database_, path_, campaign);
    for (const Cell& cell : cells) writer.write(cell);
    writer.hold();
  });
}

namespace {

void forget_cells(Profile& profile, CampaignId campaign,
                  const std::function<bool(const Cell&)>& chosen) {
  SQLite::Database& database = profile.database();
  profile.in_transaction([&] {
    Tally tally = held_tally(database, campaign);
    std::vector<std::int64_t> ids;
    visit_cells(database, profile.path(), {.campaign = campaign},
                [&](CampaignId, std::int64_t id, const Cell& cell) {
                  if (!chosen(cell)) return;
                  tally -= tally_of(cell);
                  ids.push_back(id);
                });
    SQLite::Statement samples(database, "DELETE FROM samples WHERE cell = ?");
    SQLite::Statement cells(database, "DELETE FROM cells WHERE id = ?");
    for (const std::int64_t id : ids) {
      for (SQLite::Statement* statement : {&samples, &cells}) {
        statement->reset();
        statement->bind(1, id);
        statement->exec();
      }
    }
    hold_tally(database, campaign, tally);
  });
}

}  // namespace

void Profile::forget_failed(CampaignId campaign) {
  forget_cells(*this, campaign, [](const Cell& cell) {
    return cell.status == CellStatus::kFailed || cell.status == CellStatus::kCannotRun;
  });
}

void Profile::forget(CampaignId campaign, std::span<const CellKey> keys) {
  const std::set<CellKey> named(keys.begin(), keys.end());
  forget_cells(*this, campaign, [&](const Cell& cell) { return named.contains(cell.key); });
}

std::vector<SystemInfo> Profile::systems() const {
  return explained(path_, [&] {
    SQLite::Statement query(*database_,
                            "SELECT id, name, provenance, mpi, platform_hash, noise FROM systems "
                            "ORDER BY name");
    std::vector<SystemInfo> systems;
    const StoredRow row(path_, query, "systems, row", 0);
    while (query.executeStep()) systems.push_back(read_system(row, 1));
    return systems;
  });
}

std::vector<StoredCampaign> Profile::campaigns() const {
  return explained(path_, [&] { return read_campaigns(*database_, path_); });
}

std::vector<Cell> Profile::cells(CampaignId campaign) const {
  return explained(path_, [&] {
    std::vector<Cell> cells;
    visit_cells(*database_, path_, {.campaign = campaign},
                [&](CampaignId, std::int64_t, Cell& cell) { cells.push_back(std::move(cell)); });
    std::ranges::sort(cells, {}, &Cell::key);
    return cells;
  });
}

SystemInfo Profile::require_system(const std::optional<std::string>& wanted) const {
  const std::vector<SystemInfo> held = systems();
  if (held.empty()) throw Error(fmt::format("{}: holds no timings", path_.string()));
  if (!wanted && held.size() == 1) return held.front();
  for (const SystemInfo& system : held) {
    if (wanted && system.name == *wanted) return system;
  }
  const std::string names = join(mapped(held, &SystemInfo::name), ", ");
  if (wanted) {
    throw Error(fmt::format("{}: has no system '{}'; it holds {}", path_.string(), *wanted, names));
  }
  throw Error(fmt::format("{}: holds several systems ({}); choose one with --system NAME",
                          path_.string(), names));
}

std::vector<Collective> Profile::collectives(const std::string& system) const {
  return explained(path_, [&] {
    SQLite::Statement query(*database_,
                            "SELECT DISTINCT collective FROM cells NOT INDEXED JOIN campaigns c "
                            "ON c.id = cells.campaign JOIN systems s ON s.id = c.system "
                            "WHERE s.name = ? ORDER BY collective");
    query.bind(1, system);
    std::vector<Collective> collectives;
    while (query.executeStep()) {
      collectives.push_back(parse_collective(query.getColumn(0).getString()));
    }
    return collectives;
  });
}

namespace {

// The byte that a campaign locks, far behind those of SQLite at 1 GiB; it need not exist.
constexpr off_t kFirstByte = off_t{1} << 40;

// If a colltree is killed just after it forked a child, the child holds the lock, too, until it has
// become its program. On a busy machine that takes a while.
constexpr int kTries = 60;
constexpr useconds_t kPause_us = 50'000;

struct flock lock_of(CampaignId campaign) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstByte + campaign;
  lock.l_len = 1;
  return lock;
}

}  // namespace

bool CampaignLock::is_held(const std::filesystem::path& profile, CampaignId campaign) {
  const Descriptor file(::open(profile.c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = lock_of(campaign);
  return file.is_open() && ::fcntl(file.number(), F_OFD_GETLK, &lock) == 0 &&
         lock.l_type != F_UNLCK;
}

CampaignLock::CampaignLock(const std::filesystem::path& profile, CampaignId campaign,
                           const std::string& system)
    : file_(::open(profile.c_str(), O_RDWR | O_CLOEXEC)) {
  if (!file_.is_open()) return;
  struct flock lock = lock_of(campaign);
  // The lock belongs to this open file, not to the process, in which SQLite opens and closes the
  // file.
  for (int i = 0; i < kTries; ++i) {
    if (::fcntl(file_.number(), F_OFD_SETLK, &lock) == 0) return;
    if (errno != EAGAIN && errno != EACCES) return;
    ::usleep(kPause_us);
  }
  throw Error(fmt::format(
      "{}: another colltree measures system {} with the same options into it; wait for it, or end "
      "it and rerun the same command",
      profile.string(), system));
}

}  // namespace colltree::profile
