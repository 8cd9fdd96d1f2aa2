// SPDX-License-Identifier: BSD-3-Clause
// Imports timings from elsewhere into a profile: all of a file or nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/csv.h"
#include "profile/importers/results_file.h"
#include "profile/profile.h"

namespace colltree::profile {

// The meaning of msg_bytes in a file for the collectives whose message size is a block
// (MessageUnit::kBlock): that block, or the total buffer of procs blocks. For the other collectives
// it is the message size either way.
enum class MessageSizeConvention : std::uint8_t { kBlock, kTotal };

// The file that each cell was read from, among the benchmark outputs of one command, and the facts
// of its run.
using CellOwners = std::map<SystemCell, std::pair<std::string, Facts>>;
struct ImportOptions {
  std::optional<MessageSizeConvention> convention;  // of CSV; none = kBlock
  bool split_placements = false;                    // split_placements.h
  std::string algorithms;                           // whose the methods are; "" = not known
  ResultsOptions results = {};
  CellOwners* owners = nullptr;  // of the files before; this one's are added
};

struct ImportReport {
  std::vector<std::string> systems;
  std::size_t rows = 0;        // imported
  std::size_t blocks = 0;      // rows whose size was taken as a block, where it could be a total
  std::size_t converted = 0;   // rows whose total was divided into blocks
  std::size_t remainders = 0;  // of these: total not a multiple of procs, block rounded down
  std::size_t repeats = 0;     // rows equal to another in every field; kept as repeats
  bool known = false;          // every campaign was there already: nothing changed
  std::string tool;            // what made the file: "osu", "OSU MPI ... v7.3"; "" = CSV
  std::map<std::string, Counted> left_out;  // what was understood and not imported
  std::map<std::string, Counted> notes;     // what else is to be known of what was
};

// Calls its argument with each line of a file, in order, without the line end.
using CsvLines = std::function<void(const std::function<void(std::string_view line)>& take)>;

// Imports a file of any format that results_file.h knows, as one campaign for each system in it. A
// campaign is identified by its rows, so the same file again (or its rows in another order) changes
// nothing. The sizes of benchmark outputs are known, so a convention for them is a UsageError.
// Throws ParseError ("FILE:LINE: ...") or Error; then nothing was imported. Holds all samples, in
// 24 bytes each.
ImportReport import_file(Profile& into, const CsvLines& lines, const std::string& file,
                         const ImportOptions& options = {});

// The library that the methods of a campaign belong to ("portable", "openmpi", "mpich"). For an
// imported campaign it is what ImportOptions said; "" if nobody did.
std::string owner_of_algorithms(const CampaignInfo& campaign);

// Adds the content of `from`: the union of campaigns, cells and samples.
void merge(Profile& into, const Profile& from);

// True for a SQLite database, which `import` merges; only a regular file can be one.
bool is_database(const std::filesystem::path& file);

// The samples of all systems, or of the named system, in canonical order. A profile without samples
// gives the header.
std::string export_csv(const Profile& profile, const std::optional<std::string>& system = {});

}  // namespace colltree::profile
