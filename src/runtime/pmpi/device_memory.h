// SPDX-License-Identifier: BSD-3-Clause
// Memory that this processor cannot touch: of CUDA, HIP and Level Zero devices. Asked of their
// libraries where the process has loaded them; none is linked or loaded here. And calls whose
// buffers lie there, carried out on copies.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "algorithms/collective_call.h"
#include "runtime/pmpi/communicator.h"

namespace colltree::runtime {

class DeviceRuntime;  // one of the three

// True if this process has loaded a device runtime by now. Costs a few tens of nanoseconds.
bool has_device_runtime() noexcept;

// True if this machine has a device, or the process a runtime: without either there is no such
// memory, now or later.
bool may_have_devices() noexcept;

// A call whose buffers lie on a device at this rank, carried out by a method of ours on copies in
// the processor's memory. Other ranks need not know of it.
class HostCopies {
 public:
  // Finds the call's buffers that lie on a device at this rank. Local; `call` must outlive it.
  void look(const algorithms::CollectiveCall& call, const Communicator& on) noexcept;
  bool any() const { return send_.device != nullptr || receive_.device != nullptr; }

  // Makes the copies. After an error the call must still run, because the other ranks wait for it:
  // call() has memory for it wherever there is any.
  int load() noexcept;
  int store() noexcept;  // copies the results back
  const algorithms::CollectiveCall& call() const { return call_; }

 private:
  struct Copy {
    const DeviceRuntime* device = nullptr;  // null: the processor may touch the buffer
    std::byte* begin = nullptr;             // of what the call may touch, on the device
    std::ptrdiff_t to_begin = 0;            // from the buffer's address
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> memory;
    std::byte* copied = nullptr;

    int load(const void** buffer);
  };
  Copy send_;
  Copy receive_;
  bool is_result_ = false;  // receive_ is written
  algorithms::CollectiveCall call_;
};

// True if a rank of the communicator had a buffer on a device in this or an earlier call of this
// collective; the ranks agree on it at its 1st, 2nd, 4th, 8th ... call. `here`: this rank has such
// a buffer in this call. Collective: all ranks must ask at the same calls.
bool is_for_devices(Collective collective, Communicator& on, bool here) noexcept;

}  // namespace colltree::runtime
