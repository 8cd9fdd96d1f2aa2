// SPDX-License-Identifier: BSD-3-Clause
// The MPI library that is loaded, which may have other handles than the one that this library was
// built with: numbers of four bytes (MPICH) or pointers (Open MPI, the standard's ABI).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace colltree::runtime {

// A handle as the program passes it: as wide as any library's, so that it reaches the loaded
// library whole.
struct Handle {
  std::uintptr_t bits;

  template <typename Own>
  operator Own() const noexcept {
    if constexpr (std::is_pointer_v<Own>)
      return reinterpret_cast<Own>(bits);
    else
      return static_cast<Own>(bits);
  }
};

// The function of the loaded library as one that takes `Handle`.
template <typename Wide, typename Own>
Wide* with_wide_handles(Own* function) noexcept {
  return reinterpret_cast<Wide*>(reinterpret_cast<void*>(function));
}

// True if the library of the PMPI functions has the handles that this library was built with. If
// not, this library may only pass calls on.
bool fits_loaded_library() noexcept;

// After MPI_Init: whether that library or another one that is loaded has other handles, which rank
// 0 says. The second case has no remedy: some calls of the program reach the wrong library.
bool say_misfit() noexcept;

}  // namespace colltree::runtime
