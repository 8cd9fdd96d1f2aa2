// SPDX-License-Identifier: BSD-3-Clause
// The store of timings: one SQLite file (docs/reference/formats/profile.md). It may hold several
// systems, which are never mixed. If the process is killed, at most the open transaction is lost.
//
// Opening checks everything in the file. Every function throws Error, one line that names the file
// and the remedy: no profile, damaged, newer, disk full, locked, deleted while it was written.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "coll/method.h"

namespace SQLite {
class Database;
}

namespace colltree::profile {

// The content of a profile. A system is one machine with one MPI library under one noise model; a
// name may never stand for two systems. A campaign is one origin of timings of a system: a
// measurement with one configuration (which may be killed and continued) or one imported file.

inline constexpr const char* kProvenanceSimulated = "simulated";
inline constexpr const char* kProvenanceMeasured = "measured";
inline constexpr const char* kProvenanceImported = "imported";

struct SystemInfo {
  std::string name;           // no comma, quote or control character
  std::string provenance;     // kProvenanceSimulated, kProvenanceMeasured or kProvenanceImported
  std::string mpi;            // library and version, "openmpi-4.1.5"; "" = not known
  std::string platform_hash;  // of the platform file; "" unless simulated
  std::string noise;          // noise model with all its parameters; "" = none

  auto operator<=>(const SystemInfo&) const = default;
};

struct CampaignInfo {
  SystemInfo system;
  std::string source;            // of the methods: "portable", "openmpi", "mpich"; a file's name
                                 // when imported
  std::string host;              // where it was started
  std::string platform_file;     // path as given; "" unless simulated
  std::string options = "{}";    // JSON object: everything else that was asked for
  std::string config_hash;       // of all that changes a time (not of the grid). Same system and
                                 // config_hash = same campaign continued. "" = hash of options
  std::string uid;               // "" = made by begin_campaign; equal uids are one campaign (merge)
  std::string started_utc;       // "2026-11-21T08:52:00Z"; "" = now
  std::string colltree_version;  // "" = this one
};

using CampaignId = std::int64_t;

// A cell is the record of one method at one instance. Two cells of a campaign are the same when
// every field of the key is.
struct CellKey {
  Instance instance;
  std::uint64_t count = 0;      // as given to the call; meaningless while type_size is 0
  std::uint64_t type_size = 0;  // bytes; 0 = not known (imports say only the message size)
  Method method;                // as it was asked for; "default" = the library's own choice

  auto operator<=>(const CellKey&) const = default;
};

enum class CellStatus : std::uint8_t {
  kOk,
  kFailed,     // was started and did not come back with a right result; `reason` says how
  kCannotRun,  // was not started: the method does not apply here; `reason` says why
  kWanted,     // of a campaign's grid; measured only if another cell of this point says so
};

std::string_view name(CellStatus status);  // "ok", "failed", "cannot_run", "wanted"

struct Sample {
  static constexpr std::int64_t kAggregate = -1;

  std::int64_t rep = kAggregate;  // 0, 1, ... within the cell; -1: a median or mean from elsewhere
  double time_us = 0;             // above 0

  auto operator<=>(const Sample&) const = default;
};

struct Cell {
  CellKey key;
  CellStatus status = CellStatus::kOk;
  std::string reason;           // of a cell that is ok: what disturbed it, else ""
  std::vector<Sample> samples;  // none unless status is ok
};

inline std::vector<double> times_us(const Cell& cell) {
  std::vector<double> times;
  for (const Sample& sample : cell.samples) times.push_back(sample.time_us);
  return times;
}

// True if it was measured while others used the machine, or with fewer cores than ranks.
inline bool is_disturbed(const Cell& cell) {
  return cell.status == CellStatus::kOk && !cell.reason.empty();
}

// The limits of a profile's numbers: wider than any machine, narrow enough that sums, squares and
// ratios stay finite and whole numbers fit SQLite's.
inline constexpr std::uint64_t kMostRanks = 2147483647;  // MPI counts ranks with int
inline constexpr std::uint64_t kMostBytes = 1ULL << 62;  // also of elements
inline constexpr std::uint64_t kMostReps = 1000000000;
inline constexpr double kLeastTime_us = 1e-6;  // a millionth of a clock tick
inline constexpr double kMostTime_us = 1e15;   // 31 years

inline bool is_time(double time_us) { return time_us >= kLeastTime_us && time_us <= kMostTime_us; }

// "from 1e-06 to 1e+15"
std::string time_limits();

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

  // The campaign to record into: the one with this uid; if uid is empty, the one of this system
  // with this config_hash; otherwise a new one. Throws Error when the name stands for another
  // system: other provenance, MPI library, platform file or noise.
  CampaignId begin_campaign(const CampaignInfo& info);

  // The cells that need not be measured again, whatever their result: those of all campaigns with
  // the system and config_hash of this one. About 1 us a cell.
  std::set<CellKey> finished_cells(CampaignId campaign) const;

  // Writes the cells in one transaction; returns when they are on the disk (a few ms, so batch).
  // A cell that is there already keeps its samples and gains the new ones; recording the same
  // samples again changes nothing; an ok cell stays ok.
  void record(CampaignId campaign, std::span<const Cell> cells);

  // Forgets the cells of this campaign that are not ok, so that they are measured again.
  void forget_failed(CampaignId campaign);

  // Forgets these cells of this campaign and their samples.
  void forget(CampaignId campaign, std::span<const CellKey> keys);

  // Everything that `work` does with this profile is one transaction: all of it or nothing.
  void in_transaction(const std::function<void()>& work);

  std::vector<SystemInfo> systems() const;             // by name
  std::vector<StoredCampaign> campaigns() const;       // by system and uid
  std::vector<Cell> cells(CampaignId campaign) const;  // by key, with samples by (rep, time)

  // The system to work on: the named system, or the only one. Throws Error that lists them.
  SystemInfo require_system(const std::optional<std::string>& name) const;

  // The collectives with at least one cell, by name.
  std::vector<Collective> collectives(const std::string& system) const;

  SQLite::Database& database() const { return *database_; }  // for the other files of this room

 private:
  std::filesystem::path path_;
  std::unique_ptr<SQLite::Database> database_;
  bool in_transaction_ = false;
};

// Ensures that only one process measures a campaign: two would measure the same cells, each
// disturbed by the other. Other campaigns of the profile stay free, and so do readers. A process
// that ends in any way releases the lock.
class CampaignLock {
 public:
  // Throws Error when another process holds the lock. Without locks in the file system there is
  // none. Destroy it outside any transaction: closing the file ends the process's other locks of
  // it.
  CampaignLock(const std::filesystem::path& profile, CampaignId campaign,
               const std::string& system);

  // True while another process measures the campaign.
  static bool is_held(const std::filesystem::path& profile, CampaignId campaign);

 private:
  Descriptor file_;
};

}  // namespace colltree::profile
