// SPDX-License-Identifier: BSD-3-Clause
// A measuring job reports to the coordinator by JSON lines behind a prefix on its standard output.
// Everything else that appears there is somebody else's and is passed on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/plan.h"

namespace colltree::protocol {

inline constexpr std::string_view kReportPrefix = "@colltree ";
inline constexpr std::string_view kWitnessPrefix = "@witness ";
inline constexpr std::string_view kVariablePrefix = "@variable ";
inline constexpr std::string_view kChecksumMember = ",\"check\":\"";  // the last of a line

struct JobStarted {
  std::string mpi_library;  // as MPI_Get_library_version says, first line
  std::string host;
  std::uint64_t ranks = 0;
  JobLayout layout = {0, 0};
  double clock_error_us = 0;  // bound on the difference of synchronised clocks
};

struct CellBegun {
  PlanCell cell;
};

// A cell with its samples, or with the reason why it has none.
struct CellResult {
  PlanCell cell;
  std::uint64_t count = 0;
  std::uint64_t type_size = 0;
  JobLayout layout = {0, 0};  // of the communicator
  std::vector<double> samples_us;
  std::uint64_t discarded = 0;  // repetitions that missed the common start or were disturbed
  double foreign_load = 0;  // share of the cores that others used, when it was above the limit to
                            // the last try; else 0
  std::uint64_t shared_cores = 0;  // cores of a node that has fewer of them than ranks; 0: none has
  std::optional<std::string> failure = std::nullopt;  // none: the cell was measured
  bool cannot_run = false;  // the method does not apply here; nothing went wrong
};
CellResult failed_cell(const PlanCell& cell, std::string reason, bool cannot_run = false);

// The results so far may be stored: a group of cells that must be repeated together is complete.
struct Checkpoint {};

// The plan is measured; the next one may come.
struct PlanDone {};

// Several cells are under way at once, until the next checkpoint.
struct CellsBegun {};
struct JobDone {};

using JobReport =
    std::variant<JobStarted, CellBegun, CellResult, Checkpoint, PlanDone, JobDone, CellsBegun>;

std::string report_line(const JobReport& report);  // with prefix and newline

// Nothing when the line does not carry the prefix, is cut off, or is not what its checksum says.
std::optional<JobReport> parse_report_line(std::string_view line);

// The lines of a job, counted from 1 and each with a checksum: so who hears them knows when a piece
// is missing, and takes no samples of one cell for another's.
class ReportNumbering {
 public:
  std::string line(const JobReport& report);
  std::string number(std::string_view line);  // one that report_line made

 private:
  std::uint64_t number_ = 0;
};

struct NumberedReport {
  JobReport report;
  std::uint64_t number = 0;  // 0: the line has none
};
std::optional<NumberedReport> parse_numbered_line(std::string_view line);  // as parse_report_line
std::string checksum_of_line(std::string_view text);  // eight digits, of what stands before it

// The methods of a witness plan: "default", the library as it was started, and what it would do
// otherwise.
inline constexpr const char* kBuiltinAlgorithm = "builtin";    // Open MPI: without rules
inline constexpr const char* kUnforcedAlgorithm = "unforced";  // no algorithm of it is forced
inline constexpr const char* kHostAlgorithm = "host";  // MPICH: without the device's collectives

// "@witness CODE IDS COMPONENT FUNCTION NODES RANKS_PER_NODE CELL": what a call returned on rank 0
// (an MPI error class, 0 = none), which of the collective's algorithms ran ("1,3"; "-" = none that
// is known), and Open MPI's component and function that the call entered ("-" = not known).
struct Witnessed {
  PlanCell cell;
  int code = 0;
  std::vector<int> ids;
  std::string component = "";  // "tuned"
  std::string function = "";   // "ompi_coll_tuned_bcast_intra_dec_fixed"
  JobLayout layout = {0, 0};   // of the communicator; 0 = not known

  Instance instance() const { return placed(cell.instance, layout); }
};

std::string witness_line(const Witnessed& witnessed);  // with newline
std::optional<Witnessed> parse_witness_line(std::string_view line);

// "@variable {...}": a control variable of the library, as rank 0 has it.
struct LibraryVariable {
  std::string name;
  std::string value;
  std::string set_by;        // "the environment", "the file /etc/...", "" = its default
  std::string trouble = "";  // "is refused: ...", "is read by nobody"
};

std::string variable_line(const LibraryVariable& variable);  // with newline
std::optional<LibraryVariable> parse_variable_line(std::string_view line);

}  // namespace colltree::protocol
