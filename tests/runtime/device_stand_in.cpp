// SPDX-License-Identifier: BSD-3-Clause
// A device for machines without one, before a program by LD_PRELOAD: pages that fault when the
// processor touches them, a driver that knows them and copies them, and a library of MPI that takes
// them. STAND_IN says whose driver: cuda, hip or ze. random_calls asks for its pages.
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr std::size_t kBytes = std::size_t{1} << 28;

// The same pages twice: as the program may not touch them, and as the "device" does.
struct Pages {
  Pages() {
    const int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, kBytes) != 0) std::abort();
    device = static_cast<char*>(mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED, file, 0));
    inside = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    if (device == MAP_FAILED || inside == MAP_FAILED) std::abort();
    close(file);
  }
  bool have(const void* address) const { return address >= device && address < device + kBytes; }
  char* device;
  char* inside;
  std::size_t given = 0;
};

Pages& pages() {
  static Pages all;
  return all;
}

bool is_of(std::string_view driver) {
  const char* wanted = std::getenv("STAND_IN");
  return driver == (wanted == nullptr ? "cuda" : wanted);
}

void* inside(void* address) {
  return pages().have(address) ? pages().inside + (static_cast<char*>(address) - pages().device)
                               : address;
}
const void* inside(const void* address) { return inside(const_cast<void*>(address)); }
template <typename Other>
Other inside(Other other) {
  return other;
}

int copy(void* to, const void* from, std::size_t bytes) {
  std::memcpy(inside(to), inside(from), bytes);
  return 0;
}

template <typename Function>
struct Aware {
  Function* library;
  template <typename... Arguments>
  int operator()(Arguments... arguments) const {
    return library(inside(arguments)...);
  }
};
template <typename Function>
Aware<Function> aware(Function*, const char* name) {
  return {reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))};
}

}  // namespace

extern "C" {

// For the program: memory that it fills and looks at, and the address of it on the device.
char* stand_in_memory(std::size_t bytes) {
  char* given = pages().inside + pages().given;
  pages().given += (bytes + 4095) / 4096 * 4096;
  return pages().given <= kBytes ? given : nullptr;
}
char* stand_in_device(char* memory) { return memory - pages().inside + pages().device; }

// CUDA's driver.
int cuPointerGetAttribute(void* value, int attribute, std::uint64_t address) {
  constexpr int kInvalid = 1;
  if (!is_of("cuda") || !pages().have(reinterpret_cast<void*>(address))) return kInvalid;
  if (attribute == 1) *static_cast<void**>(value) = nullptr;
  if (attribute == 2) *static_cast<unsigned*>(value) = 2;
  if (attribute == 8) *static_cast<unsigned*>(value) = 0;
  return 0;
}
int cuMemcpy(void* to, const void* from, std::size_t bytes) { return copy(to, from, bytes); }

// HIP, release 6.
int hipRuntimeGetVersion(int* version) {
  *version = 60240000;
  return 0;
}
int hipPointerGetAttributes(void* attributes, const void* address) {
  const int kind = is_of("hip") && pages().have(address) ? 2 : 0;
  std::memset(attributes, 0, 32);
  std::memcpy(attributes, &kind, sizeof kind);
  return 0;
}
int hipMemcpy(void* to, const void* from, std::size_t bytes, int) { return copy(to, from, bytes); }

// Level Zero.
int zeInit(unsigned) { return is_of("ze") ? 0 : 0x78000001; }
int zeDriverGet(std::uint32_t* count, void** driver) {
  *count = 1;
  *driver = &pages();
  return 0;
}
int zeContextCreate(void*, const void*, void** context) {
  *context = &pages();
  return 0;
}
int zeMemGetAllocProperties(void*, const void* address, void* properties, void** device) {
  const int kind = pages().have(address) ? 2 : 0;
  std::memcpy(static_cast<char*>(properties) + 16, &kind, sizeof kind);
  *device = &pages();
  return 0;
}
int zeCommandListCreateImmediate(void*, void*, const void*, void** list) {
  *list = &pages();
  return 0;
}
int zeCommandListAppendMemoryCopy(void*, void* to, const void* from, std::size_t bytes, void*,
                                  std::uint32_t, void**) {
  return copy(to, from, bytes);
}
int zeCommandListDestroy(void*) { return 0; }

using Count = int;
using Offset = int;
#define COLLTREE_UNDECIDED(...)
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call)                      \
  int PMPI_##Name parameters {                                                                     \
    static const auto library = aware(static_cast<decltype(MPI_##Name)*>(nullptr), "PMPI_" #Name); \
    return library arguments;                                                                      \
  }
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE
#undef COLLTREE_UNDECIDED

}  // extern "C"
