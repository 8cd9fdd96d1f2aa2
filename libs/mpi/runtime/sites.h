// SPDX-License-Identifier: BSD-3-Clause
// Call sites: where a program calls MPI. The innermost frame outside the MPI library and this one,
// as file and offset, so that ranks agree on it wherever the loader put the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace colltree::runtime {

struct Site {
  char where[256] = "";   // "FILE+0xOFFSET" of the call, as addr2line takes it, or "FILE:LINE"
  char symbol[128] = "";  // of the function, where the loader knows it
};

// Numbers of sites; 0: not known, or beyond the first kMost. Safe with MPI_THREAD_MULTIPLE.
class Sites {
 public:
  static constexpr std::size_t kMost = 1024;

  // The site of the call that this thread is in: `caller` is where its MPI function returns to.
  // That of a known caller is a look-up; for one in the MPI library (its Fortran functions) the
  // frames behind it are walked.
  std::uint16_t find(const void* caller) noexcept;
  std::uint16_t add(const Site& site) noexcept;  // as another rank sends it

  std::size_t count() const noexcept { return count_; }
  const Site* data() const noexcept { return sites_.get(); }  // by number - 1

 private:
  enum class Kind : std::uint8_t { kSite, kMpi, kPython };
  struct Address {
    const void* address = nullptr;
    std::uint16_t site = 0;
    Kind kind = Kind::kSite;
  };
  static constexpr std::size_t kAddresses = 4096;  // half of them stay empty

  // The known address, or `describe(address)`, which is kept.
  template <typename Describe>
  Address look(const void* address, const Describe& describe);
  Address look_at_code(const void* address);
  Address behind_mpi();
  std::uint16_t number_of(const Site& site);

  std::mutex mutex_;
  std::unique_ptr<Site[]> sites_;
  std::size_t count_ = 0;
  std::unique_ptr<Address[]> addresses_;  // open addressing
  std::size_t used_ = 0;
};

// The MPI function that this thread is in returns to there, if a record is written.
extern constinit thread_local const void* caller;

}  // namespace colltree::runtime
