// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/device_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>

#include "algorithms/types.h"
#include "runtime/pmpi/legal.h"

namespace colltree::runtime {

// The declarations of a device runtime are repeated here as far as they are used: their numbers and
// layouts are its binary interface.
class DeviceRuntime {
 public:
  DeviceRuntime() = default;
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;
  virtual bool find() = 0;  // whether the process has it
  virtual bool owns(const void* address) const = 0;
  // Between the device's memory and the processor's, some bytes; waits until it is done. `device`:
  // which of them is the device's. False: it failed.
  virtual bool copy(void* to, const void* from, std::size_t bytes, const void* device) const = 0;
  std::atomic<bool> is_there = false;

 protected:
  ~DeviceRuntime() = default;
};

namespace {

// Loaded already, by whatever name, for all or for one library alone.
template <typename Function, std::size_t N>
bool find_function(Function** function, const char* name, const char* const (&libraries)[N]) {
  void* found = ::dlsym(RTLD_DEFAULT, name);
  for (std::size_t i = 0; i < N && found == nullptr; ++i) {
    if (void* library = ::dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD)) {
      found = ::dlsym(library, name);
      ::dlclose(library);
    }
  }
  *function = reinterpret_cast<Function*>(found);
  return found != nullptr;
}

class Cuda final : public DeviceRuntime {
 public:
  bool find() override {
    constexpr const char* kLibraries[] = {"libcuda.so.1", "libcuda.so"};
    find_function(&push_, "cuCtxPushCurrent_v2", kLibraries);
    find_function(&pop_, "cuCtxPopCurrent_v2", kLibraries);
    return find_function(&attribute_, "cuPointerGetAttribute", kLibraries) &&
           find_function(&copy_, "cuMemcpy", kLibraries);
  }
  bool owns(const void* address) const override {
    constexpr unsigned kDeviceMemory = 2;
    unsigned type = 0;
    unsigned managed = 0;
    if (attribute_(&type, kMemoryType, address) != 0 || type != kDeviceMemory) return false;
    return attribute_(&managed, kIsManaged, address) != 0 || managed == 0;
  }
  // This thread may have no context yet.
  bool copy(void* to, const void* from, std::size_t bytes, const void* device) const override {
    void* context = nullptr;
    const bool pushes = push_ != nullptr && pop_ != nullptr &&
                        attribute_(&context, kContext, device) == 0 && context != nullptr &&
                        push_(context) == 0;
    const bool done = copy_(to, from, bytes) == 0;
    if (pushes) pop_(&context);
    return done;
  }

 private:
  static constexpr int kContext = 1;
  static constexpr int kMemoryType = 2;
  static constexpr int kIsManaged = 8;
  int (*attribute_)(void* value, int attribute, const void* address) = nullptr;
  int (*copy_)(void* to, const void* from, std::size_t bytes) = nullptr;
  int (*push_)(void* context) = nullptr;
  int (*pop_)(void** context) = nullptr;
};

class Hip final : public DeviceRuntime {
 public:
  bool find() override {
    constexpr const char* kLibraries[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                          "libamdhip64.so.5", "libamdhip64.so.4", "libamdhip64.so"};
    find_function(&peek_, "hipPeekAtLastError", kLibraries);
    find_function(&forget_, "hipGetLastError", kLibraries);
    find_function(&version_, "hipRuntimeGetVersion", kLibraries);
    return find_function(&attributes_, "hipPointerGetAttributes", kLibraries) &&
           find_function(&copy_, "hipMemcpy", kLibraries);
  }
  // Before release 6 the kinds began with the host's, and other memory was an error, which the
  // program must not find as its last one.
  bool owns(const void* address) const override {
    int version = 0;
    if (version_ != nullptr) version_(&version);
    const int device_memory = version >= 60000000 ? 2 : 1;
    Attributes attributes;
    const bool clean = peek_ != nullptr && forget_ != nullptr && peek_() == 0;
    const bool known = attributes_(&attributes, address) == 0;
    if (!known && clean) forget_();
    return known && attributes.kind == device_memory && attributes.is_managed == 0;
  }
  bool copy(void* to, const void* from, std::size_t bytes, const void*) const override {
    constexpr int kAnyDirection = 4;
    return copy_(to, from, bytes, kAnyDirection) == 0;
  }

 private:
  struct Attributes {
    int kind = -1;
    int device = 0;
    void* device_pointer = nullptr;
    void* host_pointer = nullptr;
    int is_managed = 0;
    unsigned flags = 0;
    std::uint64_t later[16] = {};
  };
  int (*attributes_)(Attributes*, const void*) = nullptr;
  int (*copy_)(void* to, const void* from, std::size_t bytes, int direction) = nullptr;
  int (*peek_)() = nullptr;
  int (*forget_)() = nullptr;
  int (*version_)(int*) = nullptr;
};

// Uses the first driver; a context that we create knows all memory of the driver.
class LevelZero final : public DeviceRuntime {
 public:
  bool find() override {
    constexpr const char* kLibraries[] = {"libze_loader.so.1", "libze_loader.so"};
    int (*start)(unsigned flags) = nullptr;
    int (*drivers)(std::uint32_t * count, void** drivers) = nullptr;
    int (*make_context)(void* driver, const Context*, void** context) = nullptr;
    const bool complete =
        find_function(&start, "zeInit", kLibraries) &&
        find_function(&drivers, "zeDriverGet", kLibraries) &&
        find_function(&make_context, "zeContextCreate", kLibraries) &&
        find_function(&properties_, "zeMemGetAllocProperties", kLibraries) &&
        find_function(&make_list_, "zeCommandListCreateImmediate", kLibraries) &&
        find_function(&append_copy_, "zeCommandListAppendMemoryCopy", kLibraries) &&
        find_function(&end_list_, "zeCommandListDestroy", kLibraries);
    std::uint32_t count = 1;
    void* driver = nullptr;
    const Context wanted;
    return complete && start(0) == 0 && drivers(&count, &driver) == 0 && driver != nullptr &&
           make_context(driver, &wanted, &context_) == 0;
  }
  bool owns(const void* address) const override {
    constexpr int kDeviceMemory = 2;
    Memory memory;
    void* device = nullptr;
    return properties_(context_, address, &memory, &device) == 0 && memory.kind == kDeviceMemory;
  }
  bool copy(void* to, const void* from, std::size_t bytes, const void* address) const override {
    Memory memory;
    void* device = nullptr;
    void* list = nullptr;
    const Queue queue;
    if (properties_(context_, address, &memory, &device) != 0 ||
        make_list_(context_, device, &queue, &list) != 0)
      return false;
    const bool done = append_copy_(list, to, from, bytes, nullptr, 0, nullptr) == 0;
    return end_list_(list) == 0 && done;
  }

 private:
  struct Context {
    int structure = 0xd;
    const void* next = nullptr;
    std::uint32_t flags = 0;
  };
  struct Queue {
    int structure = 0xe;
    const void* next = nullptr;
    std::uint32_t ordinal = 0;
    std::uint32_t index = 0;
    std::uint32_t flags = 0;
    int mode = 1;  // a copy has ended when its call returns
    int priority = 0;
  };
  struct Memory {
    int structure = 0x17;
    void* next = nullptr;
    int kind = 0;
    std::uint64_t id = 0;
    std::uint64_t page_size = 0;
  };
  void* context_ = nullptr;
  int (*properties_)(void* context, const void*, Memory*, void** device) = nullptr;
  int (*make_list_)(void* context, void* device, const Queue*, void** list) = nullptr;
  int (*append_copy_)(void* list, void* to, const void* from, std::size_t bytes, void* event,
                      std::uint32_t waits, void** events) = nullptr;
  int (*end_list_)(void* list) = nullptr;
};

Cuda cuda;
Hip hip;
LevelZero level_zero;
DeviceRuntime* const kRuntimes[] = {&cuda, &hip, &level_zero};

std::mutex search_mutex;
std::atomic<unsigned long long> loads_searched{0};

// How many objects this process ever loaded: a program may load its runtime at any time.
unsigned long long loads() {
  unsigned long long count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* adds) {
        *static_cast<unsigned long long*>(adds) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

void search(unsigned long long now) {
  const std::lock_guard<std::mutex> lock(search_mutex);
  for (DeviceRuntime* runtime : kRuntimes) {
    if (!runtime->is_there && runtime->find()) runtime->is_there = true;
  }
  loads_searched = now;
}

}  // namespace

bool has_device_runtime() noexcept {
  if (const unsigned long long now = loads(); now != loads_searched) search(now);
  for (const DeviceRuntime* runtime : kRuntimes) {
    if (runtime->is_there) return true;
  }
  return false;
}

bool may_have_devices() noexcept {
  constexpr const char* kFiles[] = {"/dev/nvidiactl", "/dev/nvhost-ctrl", "/dev/dxg", "/dev/kfd",
                                    "/dev/dri/renderD128"};
  for (const char* file : kFiles) {
    if (::access(file, F_OK) == 0) return true;
  }
  return has_device_runtime();
}

namespace {

// Null: the processor may touch it (memory of the process, pinned or managed memory).
const DeviceRuntime* device_of(const void* address) {
  for (const DeviceRuntime* runtime : kRuntimes) {
    if (runtime->is_there && runtime->owns(address)) return runtime;
  }
  return nullptr;
}

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

// The range that blocks at displacements cover.
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

// The elements that each rank contributes to a reduction; in place they lie in the receive buffer.
std::ptrdiff_t contributed(const algorithms::CollectiveCall& c, int size) {
  if (c.receive_counts != nullptr) return total_of(c.receive_counts, size);
  return std::ptrdiff_t{c.receive_count} *
         (c.collective == Collective::kReduceScatterBlock ? size : 1);
}

Elements sent_part(const algorithms::CollectiveCall& c, int size) {
  const bool every_rank =
      c.collective == Collective::kAlltoall || c.collective == Collective::kScatter;
  Elements part{c.send, c.send_type, 0, std::ptrdiff_t{c.send_count} * (every_rank ? size : 1)};
  if (c.send_counts != nullptr) set_displaced(part, c.send_counts, c.send_displacements, size);
  if (c.op != MPI_OP_NULL) part = {c.send, c.receive_type, 0, contributed(c, size)};
  return part;
}

Elements received_part(const algorithms::CollectiveCall& c, const Communicator& on) {
  const bool every_rank = c.collective == Collective::kAlltoall ||
                          c.collective == Collective::kAllgather ||
                          c.collective == Collective::kGather;
  Elements part{c.receive, c.receive_type, 0,
                std::ptrdiff_t{c.receive_count} * (every_rank ? on.size : 1)};
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
  algorithms::TypeLayout layout;
  if (part.end <= part.first || algorithms::describe(part.type, &layout) != MPI_SUCCESS ||
      layout.size == 0)
    return false;
  const std::ptrdiff_t first = part.first * layout.extent;
  const std::ptrdiff_t last = (part.end - 1) * layout.extent;
  *begin = std::min(first, last) + layout.true_lb;
  *bytes =
      static_cast<std::size_t>(std::max(first, last) - std::min(first, last) + layout.true_extent);
  return true;
}

}  // namespace

void HostCopies::look(const algorithms::CollectiveCall& call, const Communicator& on) noexcept {
  const auto look_at = [](const Elements& part, Copy& copy) {
    if (!find_bytes(part, &copy.to_begin, &copy.bytes)) return;
    copy.begin = algorithms::at(const_cast<void*>(part.buffer), copy.to_begin);
    copy.device = device_of(copy.begin);
  };
  const Sides sides = sides_of(call, on);
  if (sides.send) look_at(sent_part(call, on.size), send_);
  if (sides.receive) look_at(received_part(call, on), receive_);
  if (!any()) return;
  is_result_ = call.collective != Collective::kBcast || on.rank != call.root;
  call_ = call;
}

// Copies the bytes from the device into memory that is aligned as the buffer is.
int HostCopies::Copy::load(const void** buffer) {
  constexpr std::size_t kAlignment = 64;
  const auto odd = reinterpret_cast<std::uintptr_t>(begin) % kAlignment;
  memory.reset(new (std::nothrow) std::byte[bytes + 2 * kAlignment]);
  if (memory == nullptr) return MPI_ERR_NO_MEM;
  const auto have = reinterpret_cast<std::uintptr_t>(memory.get()) % kAlignment;
  copied = memory.get() + (odd + kAlignment - have) % kAlignment;
  *buffer = copied - to_begin;
  return bytes == 0 || device->copy(copied, begin, bytes, begin) ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

int HostCopies::load() noexcept {
  int rc = MPI_SUCCESS;
  if (send_.device != nullptr) rc = send_.load(&call_.send);
  if (receive_.device == nullptr) return rc;
  const void* receive = call_.receive;
  rc = algorithms::first_error(rc, receive_.load(&receive));
  call_.receive = const_cast<void*>(receive);
  return rc;
}

int HostCopies::store() noexcept {
  if (receive_.device == nullptr || !is_result_) return MPI_SUCCESS;
  const Copy& to = receive_;
  return to.bytes == 0 || to.device->copy(to.begin, to.copied, to.bytes, to.begin) ? MPI_SUCCESS
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

}  // namespace colltree::runtime
