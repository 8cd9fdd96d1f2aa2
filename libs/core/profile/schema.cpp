// SPDX-License-Identifier: BSD-3-Clause
// The text is compared with that in a file, so a change of it needs a new version.
#include "profile/schema.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <map>

#include "base/file.h"
#include "base/text.h"
#include "profile/rows.h"
#include "profile/tally.h"

namespace colltree::profile {

namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE systems (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  provenance    TEXT NOT NULL CHECK (provenance IN ('simulated', 'measured', 'imported')),
  mpi           TEXT NOT NULL,
  platform_hash TEXT NOT NULL,
  noise         TEXT NOT NULL
);
CREATE TABLE campaigns (
  id               INTEGER PRIMARY KEY,
  uid              TEXT NOT NULL UNIQUE,
  system           INTEGER NOT NULL REFERENCES systems (id),
  source           TEXT NOT NULL,
  host             TEXT NOT NULL,
  platform_file    TEXT NOT NULL,
  options          TEXT NOT NULL,
  config_hash      TEXT NOT NULL,
  started_utc      TEXT NOT NULL,
  colltree_version TEXT NOT NULL,
  cell_count       INTEGER NOT NULL CHECK (typeof(cell_count) = 'integer' AND cell_count >= 0),
  sample_count     INTEGER NOT NULL CHECK (typeof(sample_count) = 'integer' AND sample_count >= 0),
  checksum         INTEGER NOT NULL CHECK (typeof(checksum) = 'integer')
);
CREATE TABLE cells (
  id                INTEGER PRIMARY KEY,
  campaign          INTEGER NOT NULL REFERENCES campaigns (id),
  collective        TEXT NOT NULL,
  communicator_size INTEGER NOT NULL CHECK (
    typeof(communicator_size) = 'integer' AND communicator_size BETWEEN 1 AND 2147483647),
  nodes             INTEGER NOT NULL CHECK (
    typeof(nodes) = 'integer' AND nodes BETWEEN 0 AND 2147483647),
  ranks_per_node    INTEGER NOT NULL CHECK (
    typeof(ranks_per_node) = 'integer' AND ranks_per_node BETWEEN 0 AND 2147483647),
  count             INTEGER NOT NULL CHECK (typeof(count) = 'integer' AND count >= 0),
  type_size         INTEGER NOT NULL CHECK (typeof(type_size) = 'integer' AND type_size >= 0),
  message_size      INTEGER NOT NULL CHECK (typeof(message_size) = 'integer' AND message_size >= 0),
  algorithm         TEXT NOT NULL CHECK (typeof(algorithm) = 'text' AND algorithm <> ''),
  segment_size      INTEGER CHECK (
    segment_size IS NULL OR (typeof(segment_size) = 'integer' AND segment_size >= 0)),
  status            TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'cannot_run', 'wanted')),
  reason            TEXT NOT NULL
);
CREATE UNIQUE INDEX cell_key ON cells (
  campaign, collective, communicator_size, nodes, ranks_per_node, count, type_size, message_size,
  algorithm, ifnull(segment_size, -1));
CREATE TABLE samples (
  cell    INTEGER NOT NULL REFERENCES cells (id),
  rep     INTEGER NOT NULL CHECK (typeof(rep) = 'integer' AND rep >= -1),
  time_us REAL NOT NULL CHECK (typeof(time_us) = 'real' AND time_us BETWEEN 1e-6 AND 1e15),
  copy    INTEGER NOT NULL CHECK (typeof(copy) = 'integer' AND copy >= 0),
  PRIMARY KEY (cell, rep, time_us, copy)
) WITHOUT ROWID;
)sql";

constexpr int kPatienceMs = 5000;  // how long a lock of another process is waited for

int pragma(SQLite::Database& database, const std::string& name) {
  return database.execAndGet("PRAGMA " + name).getInt();
}

void create_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have made them in the meantime.
  if (pragma(database, "application_id") == kApplicationId) return;
  database.exec(kTables);
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

bool is_empty(SQLite::Database& database) {
  return pragma(database, "application_id") == 0 && pragma(database, "user_version") == 0 &&
         database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

void check_version(SQLite::Database& database, const std::string& path) {
  if (pragma(database, "application_id") != kApplicationId) {
    throw Error(fmt::format("{}: is not a colltree profile but {}", path,
                            is_empty(database) ? "an empty file" : "another SQLite database"));
  }
  const int version = pragma(database, "user_version");
  if (version > kSchemaVersion) {
    throw Error(fmt::format(
        "{}: was written by a newer colltree (schema {}, this one reads {}): update colltree", path,
        version, kSchemaVersion));
  }
  if (version < kSchemaVersion) {
    throw Error(fmt::format(
        "{}: schema {} is older than any that was released (this colltree reads {}): measure or "
        "import again",
        path, version, kSchemaVersion));
  }
}

std::map<std::string, std::string> schema_of(SQLite::Database& database) {
  SQLite::Statement query(database,
                          "SELECT name, type || ' ' || sql FROM sqlite_master "
                          "WHERE sql IS NOT NULL");
  std::map<std::string, std::string> objects;
  while (query.executeStep()) {
    objects[query.getColumn(0).getString()] = query.getColumn(1).getString();
  }
  return objects;
}

// Each of our tables must be unchanged; other tables may exist beside them.
void check_tables(SQLite::Database& database, const std::string& path) {
  SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  fresh.exec(kTables);
  const std::map<std::string, std::string> held = schema_of(database);
  for (const auto& [name, sql] : schema_of(fresh)) {
    const auto found = held.find(name);
    if (found != held.end() && found->second == sql) continue;
    throw Error(fmt::format("{}: '{}' is not as schema {} has it; {}", path, name, kSchemaVersion,
                            kDamageRemedy));
  }
}

void check_path(const std::filesystem::path& path, bool create) {
  if (path.empty()) throw Error("no profile is named: its name is empty");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("{}: is a directory, not a profile", path.string()));
  }
  if (std::filesystem::is_other(path, ignored)) {
    throw Error(
        fmt::format("{}: is a device or a pipe, not a profile; name a file", path.string()));
  }
  std::error_code unknown;
  const bool exists = std::filesystem::exists(path, unknown);
  if (unknown)
    throw Error(fmt::format("{}: cannot open: {}; fix this, or name another file", path.string(),
                            unknown.message()));
  if (!exists && !create) throw Error(fmt::format("{}: no such file", path.string()));
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!exists && !std::filesystem::is_directory(folder, ignored)) {
    throw Error(
        fmt::format("{}: cannot write: no such directory; make it first or name another "
                    "file",
                    path.string()));
  }
}

std::string remedy(int code) {
  switch (code) {
    case SQLITE_NOTADB:
      return "is not a colltree profile (not a SQLite database)";
    case SQLITE_CORRUPT:
      return kDamageRemedy;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is locked by another process (a running campaign?); wait for it or name another file";
    case SQLITE_FULL:
      return "disk full; free space and rerun the same command, finished cells are kept";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot write (no permission, read-only file system); fix this and rerun the same "
             "command, or name another file";
    case SQLITE_CANTOPEN:
      return "cannot open it or a file beside it (no permission, no such directory, read-only file "
             "system, disk error); fix this and rerun the same command, or name another file";
    case SQLITE_IOERR:
      return "cannot read or write (disk error, quota or file size limit); fix this and rerun the "
             "same command, finished cells are kept";
    default:
      return "";
  }
}

}  // namespace

std::string explain(const std::filesystem::path& path, const SQLite::Exception& error) {
  if (error.getExtendedErrorCode() == SQLITE_READONLY_DBMOVED) {
    return fmt::format(
        "{}: was deleted, moved or replaced while it was in use; put it back or rerun the same "
        "command",
        path.string());
  }
  const std::string known = remedy(error.getErrorCode() & 0xFF);
  return known.empty() ? fmt::format("{}: SQLite says: {}", path.string(), printable(error.what()))
                       : fmt::format("{}: {}", path.string(), known);
}

std::unique_ptr<SQLite::Database> open_database(const std::filesystem::path& path, bool create) {
  return explained(path, [&] {
    check_path(path, create);
    // A reader opens for writing, too, if it may: only then can it roll back the unfinished write
    // of a killed campaign. SQLite falls back to reading by itself.
    const int flags = SQLite::OPEN_READWRITE | (create ? SQLite::OPEN_CREATE : 0);
    // An absolute path is always a file; SQLite gives ":memory:" and "file:..." another meaning.
    const std::string file = follow(path).path.string();
    auto database = std::make_unique<SQLite::Database>(file, flags, kPatienceMs);
    // A rollback journal, not a write-ahead log: profiles lie on network file systems too.
    database->exec("PRAGMA synchronous = FULL");
    database->exec("PRAGMA foreign_keys = ON");
    if (create && is_empty(*database)) create_tables(*database);
    check_version(*database, path.string());
    check_tables(*database, path.string());
    verify(*database, path);
    return database;
  });
}

}  // namespace colltree::profile
