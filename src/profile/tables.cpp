// SPDX-License-Identifier: BSD-3-Clause
// The text is compared with that in a file: never change a version that was released.
#include "profile/tables.h"

namespace colltree {

namespace {

constexpr const char* kTables1 = R"sql(
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

constexpr const char* kTables2 = R"sql(
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
  status            TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'cannot_run')),
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

}  // namespace

const char* tables_sql(int version) { return version == 1 ? kTables1 : kTables2; }

}  // namespace colltree
