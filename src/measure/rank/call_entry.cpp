// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/call_entry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace colltree {

namespace {

using Word = std::uintptr_t;

// In the order of mca_coll_base_comm_coll_t, the same in 4.1 and 5.0: each a function and the
// module that it is given.
constexpr std::array<std::string_view, 17> kTable = {"allgather",      "allgatherv",
                                                     "allreduce",      "alltoall",
                                                     "alltoallv",      "alltoallw",
                                                     "barrier",        "bcast",
                                                     "exscan",         "gather",
                                                     "gatherv",        "reduce",
                                                     "reduce_scatter", "reduce_scatter_block",
                                                     "scan",           "scatter",
                                                     "scatterv"};

using Table = std::array<Word, 2 * kTable.size()>;

// Reads this process's memory at any address: what is not mapped is refused, where a pointer that
// is none would end the job.
class OwnMemory {
 public:
  OwnMemory() : file_(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}
  ~OwnMemory() {
    if (file_ >= 0) ::close(file_);
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

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
  for (std::size_t i = 0; i < kTable.size(); ++i) {
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
  const auto* found = std::ranges::find(kTable, name(collective));
  if (found == kTable.end()) return {};
  return entry_of(comm, static_cast<std::size_t>(found - kTable.begin()));
}

}  // namespace colltree
