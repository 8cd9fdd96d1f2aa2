// SPDX-License-Identifier: BSD-3-Clause
// Where timings come from. A system is one machine with one MPI library under one noise model; its
// name may never stand for two of them. A campaign is one origin of timings of a system: a
// measurement with one configuration (which may be killed and continued) or one imported file.
#pragma once

#include <cstdint>
#include <string>

namespace colltree {

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

}  // namespace colltree
