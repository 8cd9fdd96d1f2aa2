// SPDX-License-Identifier: BSD-3-Clause
#include "colltree/decision.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "coll/collective.h"
#include "decision/cdt_format.h"

struct colltree_decision {
  colltree::cdt::View view;
  void* mapping;  // to unmap; nullptr: the bytes are the caller's
  size_t mapped_bytes;
};

namespace colltree::cdt {
namespace {

static_assert(kCollectives == static_cast<std::size_t>(Collective::kScatterv) + 1);

std::uint64_t cut(std::uint64_t value) { return value < kMostValue ? value : kMostValue; }

// Fills in the values in the order of colltree::Attribute.
void values_of(const colltree_instance& instance, std::uint64_t (&values)[8]) {
  values[0] = instance.communicator_size;
  values[1] = instance.message_size;
  values[2] = instance.nodes;
  values[3] = instance.ranks_per_node;
  values[4] = std::has_single_bit(instance.communicator_size) ? 1 : 0;
  values[5] = instance.message_size % 2 == 0 ? 1 : 0;
}

template <typename Value>
std::uint32_t walk(const RootView& root, const Value& value) {
  std::uint32_t reference = root.root;
  while ((reference & kLeafBit) == 0) {
    const unsigned char* node = root.nodes + std::size_t{reference} * kNodeBytes;
    const auto word = load<std::uint64_t>(node + 4);
    // Both references in one load, then a shift: no branch to mispredict but the loop's own.
    const auto sides = load<std::uint32_t>(node);
    const bool high = value(word & 7) > (word >> 3);
    reference = (sides >> (high ? 16 : 0)) & 0xFFFF;
  }
  return reference & ~kLeafBit;
}

std::uint32_t index_on(const AxisView& axis, std::uint64_t value) {
  const std::uint32_t bucket = bucket_of(value, axis.mantissa);
  const std::uint32_t nearest = bucket < axis.last_bucket ? bucket : axis.last_bucket;
  const std::uint32_t start = load<std::uint16_t>(axis.buckets + std::size_t{2} * nearest);
  std::uint32_t index = start;
  for (std::uint32_t i = 0; i < axis.probes; ++i) {
    index += value > load<std::uint64_t>(axis.thresholds + std::size_t{8} * (start + i)) ? 1 : 0;
  }
  return index;
}

std::uint32_t cell_of(const RootView& root, std::size_t cell) {
  return root.cell_bytes == 1 ? root.cells[cell] : load<std::uint16_t>(root.cells + 2 * cell);
}

std::uint32_t decide_two_sizes(const RootView& root, const colltree_instance& instance) {
  if (root.form == kTable) {
    const std::size_t row = index_on(root.axes[0], instance.communicator_size);
    return cell_of(root, row * root.axes[1].size + index_on(root.axes[1], instance.message_size));
  }
  const std::uint64_t ranks = cut(instance.communicator_size);
  const std::uint64_t bytes = cut(instance.message_size);
  return walk(root, [=](std::uint64_t attribute) { return attribute == 0 ? ranks : bytes; });
}

// Not inlined: its array would make the common path load both sizes as one vector, which waits for
// the caller's two stores.
[[gnu::noinline]] std::uint32_t decide_any(const RootView& root,
                                           const colltree_instance& instance) {
  std::uint64_t values[8] = {};
  values_of(instance, values);
  if (root.form == kTable) {
    std::size_t cell = 0;
    for (std::uint32_t i = 0; i < root.axis_count; ++i) {
      const AxisView& axis = root.axes[i];
      cell = cell * axis.size + index_on(axis, values[axis.attribute]);
    }
    return cell_of(root, cell);
  }
  return walk(root, [&](std::uint64_t attribute) { return cut(values[attribute]); });
}

colltree_decision* refuse(const char* path, const char* why, char* error, size_t error_size) {
  if (error != nullptr && error_size > 0) std::snprintf(error, error_size, "%s: %s", path, why);
  return nullptr;
}

colltree_decision* make(const char* path, const void* bytes, size_t size, void* mapping,
                        char* error, size_t error_size) {
  auto* decision = static_cast<colltree_decision*>(std::calloc(1, sizeof(colltree_decision)));
  const char* wrong = decision == nullptr ? "out of memory" : check(bytes, size, decision->view);
  if (wrong != nullptr) {
    std::free(decision);
    return refuse(path, wrong, error, error_size);
  }
  decision->mapping = mapping;
  decision->mapped_bytes = size;
  return decision;
}

}  // namespace
}  // namespace colltree::cdt

using namespace colltree::cdt;

extern "C" {

colltree_decision* colltree_decision_load(const char* path, char* error,
                                          size_t error_size) COLLTREE_NOEXCEPT {
  // A pipe without a writer would be waited for.
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return refuse(path, std::strerror(errno), error, error_size);
  struct stat status = {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<size_t>(regular ? status.st_size : 0);
  void* mapping = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int trouble = errno;
  ::close(file);
  if (!regular) return refuse(path, "not a regular file", error, error_size);
  if (size == 0) return refuse(path, "too short for a compact decision file", error, error_size);
  if (mapping == MAP_FAILED) return refuse(path, std::strerror(trouble), error, error_size);
  colltree_decision* decision = make(path, mapping, size, mapping, error, error_size);
  if (decision == nullptr) ::munmap(mapping, size);
  return decision;
}

colltree_decision* colltree_decision_use(const void* bytes, size_t size, char* error,
                                         size_t error_size) COLLTREE_NOEXCEPT {
  return make("decision in memory", bytes, size, nullptr, error, error_size);
}

void colltree_decision_free(colltree_decision* decision) COLLTREE_NOEXCEPT {
  if (decision == nullptr) return;
  if (decision->mapping != nullptr) ::munmap(decision->mapping, decision->mapped_bytes);
  std::free(decision);
}

int colltree_decision_collective(const char* name) COLLTREE_NOEXCEPT {
  const auto found = colltree::find_collective(name);
  return found ? static_cast<int>(*found) : -1;
}

int colltree_decide(const colltree_decision* decision, int collective,
                    const colltree_instance* instance) COLLTREE_NOEXCEPT {
  if (static_cast<unsigned>(collective) >= kCollectives) return -1;
  const RootView& root = decision->view.roots[collective];
  if (root.form == kNone) return -1;
  return static_cast<int>(root.two_sizes ? decide_two_sizes(root, *instance)
                                         : decide_any(root, *instance));
}

size_t colltree_decision_methods(const colltree_decision* decision) COLLTREE_NOEXCEPT {
  return decision->view.method_count;
}

colltree_chosen_method colltree_decision_method(const colltree_decision* decision,
                                                int method) COLLTREE_NOEXCEPT {
  const View& view = decision->view;
  if (method < 0 || static_cast<std::uint32_t>(method) >= view.method_count) return {nullptr, 0, 0};
  const unsigned char* entry = view.methods + static_cast<std::size_t>(method) * kMethodBytes;
  const auto segment_size = load<std::uint64_t>(entry);
  const bool has_size = segment_size != kRuledByLibrary;
  return {view.strings + load<std::uint32_t>(entry + 8), has_size ? segment_size : 0, has_size};
}

colltree_origin colltree_decision_origin(const colltree_decision* decision) COLLTREE_NOEXCEPT {
  return {decision->view.provenance, decision->view.algorithms, decision->view.mpi};
}

int colltree_decision_is_portable(const colltree_decision* decision) COLLTREE_NOEXCEPT {
  const char* algorithms = decision->view.algorithms;
  if (*algorithms == 0 || std::strcmp(algorithms, kPortable) == 0) return 1;
  for (std::uint32_t i = 0; i < decision->view.method_count; ++i) {
    const char* name = colltree_decision_method(decision, static_cast<int>(i)).algorithm;
    if (std::strcmp(name, "default") != 0) return 0;
  }
  return 1;
}

size_t colltree_decision_describe(const colltree_decision* decision, char* text,
                                  size_t size) COLLTREE_NOEXCEPT {
  const View& view = decision->view;
  size_t length = 0;
  const auto add = [&](auto... arguments) {
    char* position = length < size ? text + length : nullptr;
    const int added =
        std::snprintf(position, position == nullptr ? 0 : size - length, arguments...);
    if (added > 0) length += static_cast<size_t>(added);
  };
  add("%s; %u bytes, %u methods", view.description, view.size, view.method_count);
  for (std::size_t i = 0; i < kCollectives; ++i) {
    const RootView& root = view.roots[i];
    const char* name = colltree::name(static_cast<colltree::Collective>(i)).data();
    if (root.form == kTree) add("; %s: tree of %u tests", name, root.node_count);
    if (root.form != kTable) continue;
    add("; %s: table of ", name);
    for (std::uint32_t a = 0; a < root.axis_count; ++a) {
      add("%s%u", a == 0 ? "" : " x ", root.axes[a].size);
    }
    add("%s", " cells");
  }
  return length;
}

}  // extern "C"
