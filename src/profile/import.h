// SPDX-License-Identifier: BSD-3-Clause
// Timings from elsewhere into a profile; all of a file or nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "profile/csv.h"
#include "profile/importers/results_file.h"
#include "profile/profile.h"

namespace colltree::profile {

// What msg_bytes means in a file for the collectives whose message size is a block
// (MessageUnit::kBlock): that block, or the total buffer, procs blocks. For the other collectives
// it is the message size either way.
enum class MessageSizeConvention : std::uint8_t { kBlock, kTotal };

// Which file of one command has a cell, of the outputs of benchmarks, and what it says of the run.
struct CellOwner {
  std::string file;
  Facts facts;
};
using CellOwners = std::map<std::tuple<std::string, Instance, Method>, CellOwner>;

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

// Calls its argument with each line of a file, in order, without their ends.
using CsvLines = std::function<void(const std::function<void(std::string_view line)>& take)>;

// Imports a file of any format that results_file.h knows; one campaign for each system in it. A
// campaign is identified by its rows, so the same file again (or its rows in another order) changes
// nothing. What is no CSV has sizes that are known, so that a convention for it is a UsageError.
// Throws ParseError ("FILE:LINE: ...") or Error; then nothing was imported. Holds 48 bytes a row.
ImportReport import_file(Profile& into, const CsvLines& lines, const std::string& file,
                         const ImportOptions& options = {});

// Whose algorithms the methods of a campaign are ("portable", "openmpi", "mpich"): of an imported
// one what ImportOptions said, "" where nobody did.
std::string owner_of_algorithms(const CampaignInfo& campaign);

// Adds what `from` holds: the union of campaigns, cells and samples.
void merge(Profile& into, const Profile& from);

// Whether the file is a SQLite database (so that `import` merges it); only a regular file can be.
bool is_database(const std::filesystem::path& file);

// The samples of all systems, or of one, in canonical order. A profile without samples gives the
// header.
std::string export_csv(const Profile& profile, const std::optional<std::string>& system = {});

}  // namespace colltree::profile
