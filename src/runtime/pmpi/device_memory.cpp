// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/device_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace colltree {

// What its header declares, as far as it is used here: numbers and layouts are its binary
// interface.
class DeviceRuntime {
 public:
  DeviceRuntime() = default;
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;
  virtual bool find() = 0;  // whether the process has it
  virtual bool owns(const void* address) const = 0;
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

// Of the first driver; a context of our own is told of all memory of the driver's.
class LevelZero final : public DeviceRuntime {
 public:
  bool find() override {
    constexpr const char* kLibraries[] = {"libze_loader.so.1", "libze_loader.so"};
    int (*start)(unsigned flags) = nullptr;
    int (*drivers)(std::uint32_t * count, void** drivers) = nullptr;
    int (*make_context)(void* driver, const Context*, void** context) = nullptr;
    const bool all = find_function(&start, "zeInit", kLibraries) &&
                     find_function(&drivers, "zeDriverGet", kLibraries) &&
                     find_function(&make_context, "zeContextCreate", kLibraries) &&
                     find_function(&properties_, "zeMemGetAllocProperties", kLibraries) &&
                     find_function(&make_list_, "zeCommandListCreateImmediate", kLibraries) &&
                     find_function(&append_copy_, "zeCommandListAppendMemoryCopy", kLibraries) &&
                     find_function(&end_list_, "zeCommandListDestroy", kLibraries);
    std::uint32_t one = 1;
    void* driver = nullptr;
    const Context wanted;
    return all && start(0) == 0 && drivers(&one, &driver) == 0 && driver != nullptr &&
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

const DeviceRuntime* device_of(const void* address) noexcept {
  for (const DeviceRuntime* runtime : kRuntimes) {
    if (runtime->is_there && runtime->owns(address)) return runtime;
  }
  return nullptr;
}

bool copy_from_device(const DeviceRuntime& runtime, void* to, const void* device,
                      std::size_t bytes) noexcept {
  return bytes == 0 || runtime.copy(to, device, bytes, device);
}

bool copy_to_device(const DeviceRuntime& runtime, void* device, const void* from,
                    std::size_t bytes) noexcept {
  return bytes == 0 || runtime.copy(device, from, bytes, device);
}

}  // namespace colltree
