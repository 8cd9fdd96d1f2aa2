// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/loaded_library.h"

#include <dlfcn.h>
#include <link.h>

#include "runtime/settings.h"

namespace colltree::runtime {

namespace {

enum Abi : std::uint8_t { kMpich, kOpenMpi, kStandard, kUnknown };

#if defined(MPI_ABI)
constexpr Abi kBuiltFor = kStandard;
#elif defined(OPEN_MPI)
constexpr Abi kBuiltFor = kOpenMpi;
#elif defined(MPICH)
constexpr Abi kBuiltFor = kMpich;
#else
constexpr Abi kBuiltFor = kUnknown;
#endif

struct LoadedLibrary {
  Abi abi = kUnknown;
  Handle world = {};  // its MPI_COMM_WORLD
};

// Describes a library, given as dlopen names it, that is an MPI library or needs it; else unknown.
LoadedLibrary describe(void* library) {
  constexpr const char* kOpenMpiWorld = "ompi_mpi_comm_world";
  if (::dlsym(library, "PMPI_Init") == nullptr) return {};
  auto* const get_version =
      reinterpret_cast<int (*)(int*, int*)>(::dlsym(library, "PMPI_Abi_get_version"));
  int version = -1;
  int minor = -1;
  if (get_version != nullptr) get_version(&version, &minor);
  if (version > 0) return {kStandard, {0x101}};
  if (::dlsym(library, kOpenMpiWorld) == nullptr) return {kMpich, {0x44000000}};
  // A program may have its own copy, which is then the one in use.
  return {kOpenMpi, {reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, kOpenMpiWorld))}};
}

// The one whose functions are called here: that of the program, or the one that this library was
// linked with, where the program needs its own only by way of another library (Fortran).
const LoadedLibrary& called_library() {
  static const LoadedLibrary found = [] {
    Dl_info file = {};
    ::dladdr(::dlsym(RTLD_DEFAULT, "PMPI_Init"), &file);
    void* library = ::dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return describe(library == nullptr ? RTLD_DEFAULT : library);  // null: the program itself
  }();
  return found;
}

// The first loaded library's handles that differ from those that this library was built for.
Abi find_misfit() {
  Abi found = called_library().abi;
  const auto look = [](dl_phdr_info* file, std::size_t, void* data) {
    auto* const misfit = static_cast<Abi*>(data);
    if (*misfit != kBuiltFor) return 1;
    void* library = ::dlopen(file->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return 0;
    const Abi abi = *file->dlpi_name == 0 ? kUnknown : describe(library).abi;
    ::dlclose(library);
    if (abi != kUnknown) *misfit = abi;
    return 0;
  };
  ::dl_iterate_phdr(look, &found);
  return found;
}

}  // namespace

bool fits_loaded_library() noexcept {
  return kBuiltFor == kUnknown || called_library().abi == kBuiltFor;
}

bool say_misfit() noexcept {
  // Whose handles a library has, and what ours for it is called.
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"MPICH's", "mpich"}, {"Open MPI's", "openmpi"}, {"the standard ABI's", "abi"}};
  const Abi misfit = kBuiltFor == kUnknown ? kUnknown : find_misfit();
  if (misfit == kBuiltFor) return false;
  int rank = 0;
  with_wide_handles<int(Handle, int*)>(PMPI_Comm_rank)(called_library().world, &rank);
  if (rank == 0)
    say("libcolltree-" COLLTREE_MPI_FLAVOUR
        ".so does not fit the program's MPI library, whose handles are %s; preload "
        "libcolltree-%s.so; running without colltree",
        kWords[misfit].first, kWords[misfit].second);
  return true;
}

}  // namespace colltree::runtime
