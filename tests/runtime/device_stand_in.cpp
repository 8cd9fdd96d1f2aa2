// SPDX-License-Identifier: BSD-3-Clause
// A device for machines without one, before a program by LD_PRELOAD: pages that fault when the
// processor touches them, and a library of MPI that takes them. random_calls asks for its pages,
// and loads a copy of this file under the name of a device runtime.
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

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

void* inside(void* address) {
  return pages().have(address) ? pages().inside + (static_cast<char*>(address) - pages().device)
                               : address;
}
const void* inside(const void* address) { return inside(const_cast<void*>(address)); }
template <typename Other>
Other inside(Other other) {
  return other;
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

using Count = int;
using Offset = int;
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, ...)                 \
  int PMPI_##Name parameters {                                                                     \
    static const auto library = aware(static_cast<decltype(MPI_##Name)*>(nullptr), "PMPI_" #Name); \
    return library arguments;                                                                      \
  }
#include "coll/collectives.def"

}  // extern "C"
