// SPDX-License-Identifier: BSD-3-Clause
#include "profile/schema.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace colltree {

namespace {

constexpr int kPatienceMs = 5000;  // how long a lock of another process is waited for

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
  colltree_version TEXT NOT NULL
);
CREATE TABLE cells (
  id                INTEGER PRIMARY KEY,
  campaign          INTEGER NOT NULL REFERENCES campaigns (id),
  collective        TEXT NOT NULL,
  communicator_size INTEGER NOT NULL,
  nodes             INTEGER NOT NULL,
  ranks_per_node    INTEGER NOT NULL,
  count             INTEGER NOT NULL,
  type_size         INTEGER NOT NULL,
  message_size      INTEGER NOT NULL,
  algorithm         TEXT NOT NULL,
  segment_size      INTEGER,
  status            TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'cannot_run')),
  reason            TEXT NOT NULL
);
CREATE UNIQUE INDEX cell_key ON cells (
  campaign, collective, communicator_size, nodes, ranks_per_node, count, type_size, message_size,
  algorithm, ifnull(segment_size, -1));
CREATE TABLE samples (
  cell    INTEGER NOT NULL REFERENCES cells (id),
  rep     INTEGER NOT NULL,
  time_us REAL NOT NULL CHECK (time_us > 0),
  copy    INTEGER NOT NULL,
  PRIMARY KEY (cell, rep, time_us, copy)
) WITHOUT ROWID;
)sql";

int pragma(SQLite::Database& database, const std::string& name) {
  return database.execAndGet("PRAGMA " + name).getInt();
}

void create_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have been faster.
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

void check_schema(SQLite::Database& database, const std::string& path) {
  if (pragma(database, "application_id") != kApplicationId) {
    throw Error(fmt::format("{}: is not a colltree profile but {}", path,
                            is_empty(database) ? "an empty file" : "another SQLite database"));
  }
  const int version = pragma(database, "user_version");
  if (version > kSchemaVersion) {
    throw Error(fmt::format(
        "{}: was written by a newer colltree (schema {}, this one knows up to {}): update colltree",
        path, version, kSchemaVersion));
  }
}

void check_path(const std::filesystem::path& path, bool create) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("{}: is a directory, not a profile", path.string()));
  }
  const bool exists = std::filesystem::exists(path, ignored);
  if (!exists && !create) throw Error(fmt::format("{}: no such profile", path.string()));
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
      return "is damaged; `sqlite3 FILE .recover` may save what is left";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is locked by another process (a running campaign?); wait for it or name another file";
    case SQLITE_FULL:
      return "disk full; free space and give the same command again, finished cells are kept";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot write: no permission; name another file";
    case SQLITE_CANTOPEN:
      return "cannot open: no permission or no such directory; name another file";
    case SQLITE_IOERR:
      return "cannot read or write (disk error, quota or file size limit); mend it and give the "
             "same command again, finished cells are kept";
    default:
      return "";
  }
}

}  // namespace

std::string explain(const std::filesystem::path& path, const SQLite::Exception& error) {
  const std::string known = remedy(error.getErrorCode() & 0xFF);
  return known.empty() ? fmt::format("{}: SQLite says: {}", path.string(), error.what())
                       : fmt::format("{}: {}", path.string(), known);
}

std::unique_ptr<SQLite::Database> open_database(const std::filesystem::path& path, bool create) {
  return explained(path, [&] {
    check_path(path, create);
    // A reader opens for writing too, where it may: only so can it roll back what a killed
    // campaign left half done. SQLite falls back to reading by itself.
    const int flags = SQLite::OPEN_READWRITE | (create ? SQLite::OPEN_CREATE : 0);
    auto database = std::make_unique<SQLite::Database>(path.string(), flags, kPatienceMs);
    // A rollback journal, not a write-ahead log: profiles lie on network file systems too.
    database->exec("PRAGMA synchronous = FULL");
    database->exec("PRAGMA foreign_keys = ON");
    if (create && is_empty(*database)) create_tables(*database);
    check_schema(*database, path.string());
    return database;
  });
}

}  // namespace colltree
