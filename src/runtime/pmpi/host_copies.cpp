// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/host_copies.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#include "algorithms/types.h"
#include "runtime/pmpi/legal.h"

namespace colltree {

namespace {

// Elements of a buffer that a call may touch: first ... end - 1, in extents of the type.
struct Elements {
  const void* buffer = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::ptrdiff_t first = 0;
  std::ptrdiff_t end = 0;
};

std::ptrdiff_t total_of(const int* counts, int size) {
  std::ptrdiff_t total = 0;
  for (int i = 0; i < size; ++i) total += counts[i];
  return total;
}

// Of blocks at displacements.
void set_displaced(Elements& part, const int* counts, const int* displacements, int size) {
  bool any = false;
  for (int i = 0; i < size; ++i) {
    if (counts[i] == 0) continue;
    const std::ptrdiff_t first = displacements[i];
    part.first = any ? std::min(part.first, first) : first;
    part.end = any ? std::max(part.end, first + counts[i]) : first + counts[i];
    any = true;
  }
}

// Of a reduction: what each rank contributes, which in place is what lies in the receive buffer.
std::ptrdiff_t contributed(const CollectiveCall& c, int size) {
  if (c.receive_counts != nullptr) return total_of(c.receive_counts, size);
  return std::ptrdiff_t{c.receive_count} *
         (c.collective == Collective::kReduceScatterBlock ? size : 1);
}

Elements sent_part(const CollectiveCall& c, int size) {
  const bool all = c.collective == Collective::kAlltoall || c.collective == Collective::kScatter;
  Elements part{c.send, c.send_type, 0, std::ptrdiff_t{c.send_count} * (all ? size : 1)};
  if (c.send_counts != nullptr) set_displaced(part, c.send_counts, c.send_displacements, size);
  if (c.op != MPI_OP_NULL) part = {c.send, c.receive_type, 0, contributed(c, size)};
  return part;
}

Elements received_part(const CollectiveCall& c, const Communicator& on) {
  const bool all = c.collective == Collective::kAlltoall ||
                   c.collective == Collective::kAllgather || c.collective == Collective::kGather;
  Elements part{c.receive, c.receive_type, 0,
                std::ptrdiff_t{c.receive_count} * (all ? on.size : 1)};
  if (c.op != MPI_OP_NULL && c.send == MPI_IN_PLACE)
    part.end = contributed(c, on.size);
  else if (c.op != MPI_OP_NULL && c.receive_counts != nullptr)
    part.end = c.receive_counts[on.rank];
  else if (c.receive_counts != nullptr)
    set_displaced(part, c.receive_counts, c.receive_displacements, on.size);
  return part;
}

// Its bytes, gaps included, from the buffer's address. False: none.
bool find_bytes(const Elements& part, std::ptrdiff_t* begin, std::size_t* bytes) {
  TypeLayout layout;
  if (part.end <= part.first || describe(part.type, &layout) != MPI_SUCCESS || layout.size == 0)
    return false;
  const std::ptrdiff_t one = part.first * layout.extent;
  const std::ptrdiff_t last = (part.end - 1) * layout.extent;
  *begin = std::min(one, last) + layout.true_lb;
  *bytes = static_cast<std::size_t>(std::max(one, last) - std::min(one, last) + layout.true_extent);
  return true;
}

}  // namespace

void HostCopies::look(const CollectiveCall& call, const Communicator& on) noexcept {
  const auto look_at = [](const Elements& part, Copy& copy) {
    if (!find_bytes(part, &copy.to_begin, &copy.bytes)) return;
    copy.begin = at(const_cast<void*>(part.buffer), copy.to_begin);
    copy.device = device_of(copy.begin);
  };
  const Sides sides = sides_of(call, on);
  if (sides.send) look_at(sent_part(call, on.size), send_);
  if (sides.receive) look_at(received_part(call, on), receive_);
  if (!any()) return;
  is_result_ = call.collective != Collective::kBcast || on.rank != call.root;
  call_ = call;
}

// Of the device's bytes; alignment is that of the buffer.
int HostCopies::Copy::load(const void** buffer) {
  constexpr std::size_t kAlignment = 64;
  const auto odd = reinterpret_cast<std::uintptr_t>(begin) % kAlignment;
  memory.reset(new (std::nothrow) std::byte[bytes + 2 * kAlignment]);
  if (memory == nullptr) return MPI_ERR_NO_MEM;
  const auto have = reinterpret_cast<std::uintptr_t>(memory.get()) % kAlignment;
  copied = memory.get() + (odd + kAlignment - have) % kAlignment;
  *buffer = copied - to_begin;
  return copy_from_device(*device, copied, begin, bytes) ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

int HostCopies::load() noexcept {
  int rc = MPI_SUCCESS;
  if (send_.device != nullptr) rc = send_.load(&call_.send);
  if (receive_.device == nullptr) return rc;
  const void* receive = call_.receive;
  rc = first_error(rc, receive_.load(&receive));
  call_.receive = const_cast<void*>(receive);
  return rc;
}

int HostCopies::store() noexcept {
  if (receive_.device == nullptr || !is_result_) return MPI_SUCCESS;
  return copy_to_device(*receive_.device, receive_.begin, receive_.copied, receive_.bytes)
             ? MPI_SUCCESS
             : MPI_ERR_BUFFER;
}

bool is_for_devices(Collective collective, Communicator& on, bool here) noexcept {
  DeviceUse& use = on.device_use[static_cast<std::size_t>(collective)];
  if (use.is_agreed) return true;
  use.was_here = use.was_here || here;
  if (!std::has_single_bit(++use.calls)) return false;
  int any = use.was_here ? 1 : 0;
  if (PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, on.among_these()) != MPI_SUCCESS)
    return false;
  use.is_agreed = any != 0;
  return use.is_agreed;
}

}  // namespace colltree
