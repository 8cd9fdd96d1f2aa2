// SPDX-License-Identifier: BSD-3-Clause
#include "entered_functions.h"

#if defined(__linux__) && defined(__x86_64__)

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>

namespace colltree::test {

namespace {

constexpr std::uint8_t kBreakpoint = 0xCC;

struct Watched {
  std::uint8_t* begin = nullptr;
  std::uint8_t first_byte = 0;
  int place = 0;  // among those that were entered, from 1; 0: it was not
  std::string name;
};

std::vector<Watched> watched;  // ascending by `begin`
int entered = 0;

// The function goes on as if nothing had been there. Only what a signal handler may do.
void take_note(int, siginfo_t*, void* context) {
  greg_t& next = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  auto* const address = reinterpret_cast<std::uint8_t*>(next - 1);
  const auto function = std::ranges::lower_bound(watched, address, {}, &Watched::begin);
  if (function == watched.end() || function->begin != address) {
    std::signal(SIGTRAP, SIG_DFL);  // somebody else's
    return;
  }
  *address = function->first_byte;
  if (function->place == 0) function->place = ++entered;
  next = reinterpret_cast<greg_t>(address);
}

// A file of this process, mapped for reading.
class MappedFile {
 public:
  explicit MappedFile(const char* path) : file_(::open(path, O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0 || status.st_size <= 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
    if (mapped != MAP_FAILED) data_ = static_cast<const std::byte*>(mapped);
  }
  ~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
    if (file_ >= 0) ::close(file_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // `count` objects from an offset; nullptr: they are not in the file.
  template <typename Object>
  const Object* at(std::uint64_t offset, std::uint64_t count = 1) const {
    const bool fits =
        data_ != nullptr && offset <= size_ && count <= (size_ - offset) / sizeof(Object);
    return fits ? reinterpret_cast<const Object*>(data_ + offset) : nullptr;
  }

 private:
  int file_;
  std::size_t size_ = 0;
  const std::byte* data_ = nullptr;
};

const Elf64_Shdr* symbol_table(const Elf64_Ehdr& header, const Elf64_Shdr* sections) {
  for (int i = 0; sections != nullptr && i < header.e_shnum; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header.e_shnum)
      return &sections[i];
  }
  return nullptr;
}

// Without these rights nothing can be written there: such a function is not watched.
bool make_writable(const std::uint8_t* address) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const begin =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(page - 1));
  return ::mprotect(begin, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

}  // namespace

void watch_functions(const void* inside, const std::function<bool(std::string_view)>& is_watched) {
  Dl_info library{};
  link_map* loaded = nullptr;
  if (::dladdr1(inside, &library, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0) return;
  const MappedFile file(library.dli_fname);
  const auto* header = file.at<Elf64_Ehdr>(0);
  if (header == nullptr) return;
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  const Elf64_Shdr* table = symbol_table(*header, sections);
  if (table == nullptr) return;
  const Elf64_Shdr& names = sections[table->sh_link];
  const std::uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  const auto* symbols = file.at<Elf64_Sym>(table->sh_offset, count);
  const char* text = file.at<char>(names.sh_offset, names.sh_size);
  if (symbols == nullptr || text == nullptr) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_name >= names.sh_size)
      continue;
    const std::string_view name = text + symbols[i].st_name;
    auto* const begin = reinterpret_cast<std::uint8_t*>(loaded->l_addr + symbols[i].st_value);
    if (is_watched(name) && make_writable(begin))
      watched.push_back({begin, *begin, 0, std::string(name)});
  }
  std::ranges::stable_sort(watched, {}, &Watched::begin);
  // A function with several names is watched once.
  const auto others = std::ranges::unique(watched, {}, &Watched::begin);
  watched.erase(others.begin(), others.end());
  struct sigaction action {};
  action.sa_sigaction = take_note;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGTRAP, &action, nullptr);
}

void start_watching() {
  entered = 0;
  for (Watched& function : watched) {
    function.place = 0;
    *function.begin = kBreakpoint;
  }
}

std::vector<std::string> stop_watching() {
  std::vector<std::string> names(static_cast<std::size_t>(entered));
  for (const Watched& function : watched) {
    *function.begin = function.first_byte;
    if (function.place > 0) names[static_cast<std::size_t>(function.place) - 1] = function.name;
  }
  return names;
}

}  // namespace colltree::test

#else

namespace colltree::test {

void watch_functions(const void*, const std::function<bool(std::string_view)>&) {}
void start_watching() {}
std::vector<std::string> stop_watching() { return {}; }

}  // namespace colltree::test

#endif
