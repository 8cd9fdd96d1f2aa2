// SPDX-License-Identifier: BSD-3-Clause
#include "rank/witness.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <type_traits>

#include "base/not_copied.h"
#include "protocol/report_line.h"
#include "rank/cell_buffers.h"
#include "rank/control_variables.h"
#include "rank/library_selector.h"
#include "rank/measure_rank.h"

namespace colltree::rank {

namespace {

using Word = std::uintptr_t;

// Open MPI's table of a communicator's collectives (mca_coll_base_comm_coll_t, the same in 4.1 and
// 5.0): for each of ours, and for alltoallw behind alltoallv, a function and the module that it is
// given.
constexpr std::size_t kPlaces = 17;
std::size_t place_of(Collective collective) {
  return static_cast<std::size_t>(collective) + (collective > Collective::kAlltoallv ? 1 : 0);
}

using Table = std::array<Word, 2 * kPlaces>;

// Reads this process's memory at any address: what is not mapped is refused, where a pointer that
// is none would end the job.
class OwnMemory : NotCopied {
 public:
  OwnMemory() : file_(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}
  ~OwnMemory() {
    if (file_ >= 0) ::close(file_);
  }

  template <typename Value>
  bool read(Word address, Value& value) const {
    return ::pread(file_, &value, sizeof value, static_cast<off_t>(address)) == sizeof value;
  }

 private:
  int file_;
};

// "tuned" where a module object of coll/tuned stands at the address: an object begins with its
// class (in debug builds behind a number), a class with its name.
std::string component_at(const OwnMemory& memory, Word address) {
  constexpr std::string_view kPrefix = "mca_coll_";
  constexpr std::string_view kSuffix = "_module_t";
  std::array<Word, 2> object{};
  if (!memory.read(address, object)) return "";
  for (const Word type : object) {
    Word name = 0;
    std::array<char, 64> text{};
    if (!memory.read(type, name) || !memory.read(name, text)) continue;
    text.back() = '\0';
    std::string_view found = text.data();
    if (!found.starts_with(kPrefix)) continue;
    found.remove_prefix(kPrefix.size());
    if (found.ends_with(kSuffix)) found.remove_suffix(kSuffix.size());
    return std::string(found);
  }
  return "";
}

// An intracommunicator of several ranks has every one of these collectives.
bool is_table(const OwnMemory& memory, const Table& table) {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (component_at(memory, table[2 * i + 1]).empty()) return false;
  }
  return true;
}

std::string symbol_at(Word address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_sname == nullptr) return "";
  return reinterpret_cast<Word>(info.dli_saddr) == address ? info.dli_sname : "";
}

[[maybe_unused]] CallEntry entry_in(Word communicator, std::size_t place) {
  constexpr std::size_t kWords = 256;  // of the communicator's structure; the table is at 0x150
  const OwnMemory memory;
  for (std::size_t i = 0; i < kWords; ++i) {
    Word candidate = 0;
    Table table{};
    if (!memory.read(communicator + i * sizeof candidate, candidate)) break;
    if (!memory.read(candidate, table) || !is_table(memory, table)) continue;
    return {component_at(memory, table[2 * place + 1]), symbol_at(table[2 * place])};
  }
  return {};
}

// Open MPI's handles are pointers; MPICH's are numbers.
template <typename Handle>
CallEntry entry_of(Handle comm, std::size_t place) {
  if constexpr (std::is_pointer_v<Handle>) return entry_in(reinterpret_cast<Word>(comm), place);
  return {};
}

}  // namespace

CallEntry call_entry(MPI_Comm comm, Collective collective) {
  return entry_of(comm, place_of(collective));
}

namespace {

// The ids that have a function of their own in `seen`. Algorithms that are one function
// (allgather's recexch_doubling and recexch_halving of MPICH 4.2) are seen as one.
std::vector<int> owners(const CallTrace& seen, const std::map<int, CallTrace>& forced) {
  std::vector<int> ids;
  for (const auto& [id, functions] : forced) {
    const CallTrace& trace = functions;  // clang++ before 16 captures no structured bindings
    const bool owns = std::ranges::any_of(trace, [&](const void* function) {
      return seen.contains(function) && std::ranges::none_of(forced, [&](const auto& entry) {
               return entry.second != trace && entry.second.contains(function);
             });
    });
    if (owns) ids.push_back(id);
  }
  return ids;
}

MPI_Comm first_ranks(std::uint64_t size, int world_rank) {
  MPI_Comm comm = MPI_COMM_NULL;
  const bool member = static_cast<std::uint64_t>(world_rank) < size;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank, &comm);
  if (member) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

// MPICH: which algorithms leave the traces that were seen. Each is forced; what only one of them
// has on its stack tells it from the others. Collective over comm.
std::vector<int> ids_like(const CallTrace& seen, const protocol::PlanCell& cell,
                          const CellShape& shape, MPI_Comm comm, const std::function<int()>& call) {
  LibrarySelector selector(Library::kMpich);
  std::map<int, CallTrace> forced;
  for (const LibraryAlgorithm& algorithm : mpich_algorithms()) {
    if (algorithm.collective != cell.instance.collective) continue;
    // Some go other ways for other radixes: k_dissemination of 2 is a tail call.
    const bool has_radix = (algorithm.parameters & kRadix) != 0;
    for (const std::uint64_t radix :
         has_radix ? std::vector<std::uint64_t>{0, 3, 8} : std::vector<std::uint64_t>{0}) {
      protocol::PlanCell forced_cell = cell;
      forced_cell.method.algorithm = algorithm.algorithm;
      forced_cell.method.parameters.radix = radix;
      if (!selector.select(forced_cell, shape, comm).empty()) continue;
      start_trace();
      selector.begin();
      const int code = call();
      selector.end();
      CallTrace trace = stop_trace();
      if (code == MPI_SUCCESS) forced[algorithm.id].merge(trace);
    }
  }
  return owners(seen, forced);
}

// The settings that the library gets for a cell of this method in place of its defaults.
protocol::Settings settings_of(const protocol::PlanCell& cell, const ControlVariables& variables) {
  if (cell.method.algorithm == protocol::kHostAlgorithm) {
    const auto none = variables.value_number("MPIR_CVAR_DEVICE_COLLECTIVES", "none");
    return none ? protocol::Settings{{"MPIR_CVAR_DEVICE_COLLECTIVES", *none}}
                : protocol::Settings{};
  }
  if (cell.method.algorithm != protocol::kUnforcedAlgorithm) return {};
  for (const Library library : {Library::kOpenmpi, Library::kMpich}) {
    const std::string variable = protocol::algorithm_variable(library, cell.instance.collective);
    if (variables.read(variable)) return {{variable, 0}};
  }
  return {};
}

protocol::Witnessed call_once(const protocol::PlanCell& cell, const ControlVariables& variables,
                              MPI_Comm given_comm) {
  const bool is_mpich = variables.read("MPIR_CVAR_DEVICE_COLLECTIVES").has_value();
  MethodSwitch otherwise(is_mpich ? MethodSwitch::Reach::kNextCall
                                  : MethodSwitch::Reach::kNewCommunicator);
  otherwise.select(settings_of(cell, variables), given_comm);
  const MPI_Comm comm = otherwise.comm();
  // Elements of one byte: counts are message sizes.
  const CellShape shape = cell_shape(cell.instance, rank_in(comm), false);
  const CellBuffers buffers(shape, 1);
  const auto call = [&] {
    return algorithms::call_as_program(
        algorithms::make_call(shape.layout, buffers.send(0), buffers.receive(0), MPI_BXOR), comm);
  };
  reset_witness();
  otherwise.begin();
  start_trace();
  const int code = call();
  const CallTrace trace = stop_trace();
  otherwise.end();
  const CallEntry entry = call_entry(comm, cell.instance.collective);
  protocol::Witnessed witnessed{cell, 0, witnessed_ids(cell.instance.collective), entry.component,
                                entry.function};
  int is_seen = trace.empty() ? 0 : 1;  // by any rank
  MPI_Allreduce(MPI_IN_PLACE, &is_seen, 1, MPI_INT, MPI_MAX, comm);
  if (is_seen != 0) witnessed.ids = ids_like(trace, cell, shape, comm, call);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &witnessed.code);
  return witnessed;
}

}  // namespace

void run_witness(const protocol::Plan& plan) {
  const int world_rank = rank_in(MPI_COMM_WORLD);
  // Held to the end: closed and opened again MPICH 4.0.2 tells nothing of its variables any more.
  const ControlVariables variables;
  if (world_rank == 0) {
    for (const protocol::LibraryVariable& variable : set_variables(variables))
      print_or_abort(protocol::variable_line(variable));
  }
  for (std::size_t begin = 0; begin < plan.cells.size();) {
    const std::uint64_t size = plan.cells[begin].instance.communicator_size;
    MPI_Comm with_rules = first_ranks(size, world_rank);
    const bool rules = ControlVariables::write_flag("coll_tuned_use_dynamic_rules", false);
    MPI_Comm builtin = first_ranks(size, world_rank);
    ControlVariables::write_flag("coll_tuned_use_dynamic_rules", rules);
    const protocol::JobLayout layout =
        with_rules == MPI_COMM_NULL ? protocol::JobLayout{} : layout_of_job(with_rules, {});
    for (; begin < plan.cells.size() && plan.cells[begin].instance.communicator_size == size;
         ++begin) {
      if (with_rules == MPI_COMM_NULL) continue;
      const protocol::PlanCell& cell = plan.cells[begin];
      const bool unruled = cell.method.algorithm == protocol::kBuiltinAlgorithm;
      protocol::Witnessed witnessed = call_once(cell, variables, unruled ? builtin : with_rules);
      witnessed.layout = layout;
      if (world_rank != 0) continue;
      print_or_abort(protocol::witness_line(witnessed));  // a job that says nothing is stopped
    }
    if (with_rules != MPI_COMM_NULL) MPI_Comm_free(&with_rules);
    if (builtin != MPI_COMM_NULL) MPI_Comm_free(&builtin);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace colltree::rank
