// SPDX-License-Identifier: BSD-3-Clause
// The store of timings: one SQLite file (docs/formats/profile.md). It may hold several systems,
// which are never mixed. What is recorded is kept whatever happens to the process: a kill at any
// moment loses at most the transaction that was open.
//
// Opening checks all that the file holds. Every function throws Error, one line that names the file
// and the remedy: no profile, damaged, newer, disk full, locked, deleted while it was written.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profile/records.h"

namespace SQLite {
class Database;
}

namespace colltree {

enum class OpenMode : std::uint8_t {
  kRead,   // must exist and be a profile
  kWrite,  // made when it does not exist
};

struct StoredCampaign {
  CampaignId id = 0;
  CampaignInfo info;  // complete: nothing is left to be made
};

class Profile {
 public:
  Profile(std::filesystem::path path, OpenMode mode);
  ~Profile();
  Profile(Profile&&) noexcept;

  const std::filesystem::path& path() const { return path_; }

  // The campaign to record into: the one with this uid, else (uid empty) the one of this system
  // with this config_hash, else a new one. Throws Error when the system's name stands for another
  // system: other provenance, MPI library, platform file or noise.
  CampaignId begin_campaign(const CampaignInfo& info);

  // What need not be measured again: the cells, whatever came of them, of all campaigns with the
  // system and config_hash of this one. About 1 us a cell.
  std::set<CellKey> finished_cells(CampaignId campaign) const;

  // Writes the cells in one transaction; returns when they are on the disk (a few ms, so batch).
  // A cell that is there already keeps its samples and gains the new ones; recording the same
  // again changes nothing; an ok cell stays ok.
  void record(CampaignId campaign, std::span<const Cell> cells);

  // Forgets the cells of this campaign that are not ok, so that they are measured again.
  void forget_failed(CampaignId campaign);

  // Forgets these cells of this campaign and their samples.
  void forget(CampaignId campaign, std::span<const CellKey> keys);

  // Everything `work` does with this profile becomes one transaction: all of it or nothing.
  void in_transaction(const std::function<void()>& work);

  std::vector<SystemInfo> systems() const;             // by name
  std::vector<StoredCampaign> campaigns() const;       // by system and uid
  std::vector<Cell> cells(CampaignId campaign) const;  // by key, with samples by (rep, time)

  // The system to work on: the named one, or the only one. Throws Error that lists them.
  SystemInfo require_system(const std::optional<std::string>& name,
                            std::string_view option = "--system") const;

  // The collectives with at least one cell, by name.
  std::vector<Collective> collectives(const std::string& system) const;

  SQLite::Database& database() const { return *database_; }  // for the other files of this room

 private:
  std::filesystem::path path_;
  std::unique_ptr<SQLite::Database> database_;
  bool in_transaction_ = false;
};

}  // namespace colltree
