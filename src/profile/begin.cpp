// SPDX-License-Identifier: BSD-3-Clause
#include "profile/begin.h"

#include <SQLiteCpp/VariadicBind.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <random>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/version.h"
#include "profile/rows.h"

namespace colltree {

namespace {

// What a system is, besides its name: two values that differ must not be mixed.
struct IdentityField {
  const char* what;
  std::string SystemInfo::*value;
};
constexpr IdentityField kIdentity[] = {{"timings", &SystemInfo::provenance},
                                       {"MPI library", &SystemInfo::mpi},
                                       {"platform file with hash", &SystemInfo::platform_hash},
                                       {"noise", &SystemInfo::noise}};

void check_same_system(const std::string& path, const SystemInfo& held, const SystemInfo& wanted) {
  for (const IdentityField& field : kIdentity) {
    const std::string& here = held.*field.value;
    const std::string& there = wanted.*field.value;
    if (here == there) continue;
    const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
    throw Error(fmt::format(
        "{}: system '{}' stands for another system ({}: {}, now {}), which must not be mixed; give "
        "another --system NAME or another file",
        path, wanted.name, field.what, shown(here), shown(there)));
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
  for (const IdentityField& field : kIdentity) identity += '\n' + info.system.*field.value;
  if (info.system.provenance != kProvenanceSimulated) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    identity += fmt::format("\n{}\n{}\n{}\n{}", info.host, now, ::getpid(), std::random_device{}());
  }
  return content_hash(identity);
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// Complete but for the uid, and as a profile gives it back: what machines and libraries say of
// themselves may hold anything.
CampaignInfo completed(CampaignInfo info) {
  if (info.config_hash.empty()) info.config_hash = content_hash(info.source + '\n' + info.options);
  if (info.started_utc.empty()) info.started_utc = now_utc();
  if (info.colltree_version.empty()) info.colltree_version = kVersion;
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

CampaignId find_or_make_campaign(SQLite::Database& database, const std::string& path,
                                 const CampaignInfo& info) {
  const CampaignInfo complete = completed(info);
  const std::int64_t system = find_or_make_system(database, path, complete.system);
  if (const auto found = find_campaign(database, system, complete)) return *found;
  return insert_campaign(database, system, complete);
}

}  // namespace colltree
