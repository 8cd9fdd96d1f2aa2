// SPDX-License-Identifier: BSD-3-Clause
// Memory that this processor cannot touch: of CUDA, HIP and Level Zero devices. Asked of their
// libraries where the process has loaded them; none is linked or loaded here.
#pragma once

#include <cstddef>

namespace colltree {

class DeviceRuntime;  // one of the three

// Whether this process has one loaded by now. Costs a few tens of nanoseconds.
bool has_device_runtime() noexcept;

// Whether this machine has a device, or the process a runtime: without either there is no such
// memory, now or later.
bool may_have_devices() noexcept;

// Null: the processor may touch it (memory of the process, pinned or managed memory).
const DeviceRuntime* device_of(const void* address) noexcept;

// Between the device's memory and the processor's; waits until it is done. False: it failed.
bool copy_from_device(const DeviceRuntime& runtime, void* to, const void* device,
                      std::size_t bytes) noexcept;
bool copy_to_device(const DeviceRuntime& runtime, void* device, const void* from,
                    std::size_t bytes) noexcept;

}  // namespace colltree
