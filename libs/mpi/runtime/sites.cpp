// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/sites.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "runtime/python_site.h"

namespace colltree::runtime {

constinit thread_local const void* caller [[gnu::tls_model("initial-exec")]] = nullptr;

namespace {

// No text of a site may end its field or line.
void clean(char* text) {
  for (; *text != 0; ++text) {
    if (static_cast<unsigned char>(*text) < 32 || *text == 127 || *text == ',' || *text == '"')
      *text = '?';
  }
}

// The file that the address is in; the offset is that of the call before it. False: none.
bool locate(const void* address, Site* site) {
  const char* call = static_cast<const char*>(address) - 1;
  Dl_info info = {};
  link_map* module = nullptr;
  if (::dladdr1(call, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0 ||
      module == nullptr)
    return false;
  char program[PATH_MAX] = "";
  const char* path = module->l_name;
  if (*path == 0) {
    path = ::readlink("/proc/self/exe", program, sizeof program - 1) > 0 ? program : info.dli_fname;
  }
  constexpr std::size_t kMostPath = sizeof site->where - 24;  // of a longer one its end
  const std::size_t length = std::strlen(path);
  std::snprintf(
      site->where, sizeof site->where, "%s+0x%llx", path + length - std::min(length, kMostPath),
      static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(call) - module->l_addr));
  if (info.dli_sname != nullptr)
    std::snprintf(site->symbol, sizeof site->symbol, "%s", info.dli_sname);
  return true;
}

std::size_t hash_of(const void* address) {
  const auto value = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
  return static_cast<std::size_t>(value * 0x9E3779B97F4A7C15U >> 40);
}

}  // namespace

std::uint16_t Sites::number_of(const Site& site) {
  if (sites_ == nullptr) sites_.reset(new (std::nothrow) Site[kMost]);
  if (sites_ == nullptr) return 0;
  Site* const end = sites_.get() + count_;
  Site* const found = std::find_if(sites_.get(), end, [&](const Site& known) {
    return std::strcmp(known.where, site.where) == 0;
  });
  if (found == end) {
    if (count_ == kMost) return 0;
    sites_[count_] = site;
    clean(sites_[count_].where);
    clean(sites_[count_].symbol);
    ++count_;
  }
  return static_cast<std::uint16_t>(found - sites_.get() + 1);
}

std::uint16_t Sites::add(const Site& site) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return number_of(site);
}

template <typename Describe>
Sites::Address Sites::look(const void* address, const Describe& describe) {
  if (addresses_ == nullptr) addresses_.reset(new (std::nothrow) Address[kAddresses]);
  if (addresses_ == nullptr) return {};
  std::size_t index = hash_of(address) % kAddresses;
  while (addresses_[index].address != nullptr && addresses_[index].address != address)
    index = (index + 1) % kAddresses;
  if (addresses_[index].address != nullptr) return addresses_[index];
  const Address found = describe(address);
  if (2 * used_ >= kAddresses) return found;
  ++used_;
  return addresses_[index] = found;
}

Sites::Address Sites::look_at_code(const void* address) {
  return look(address, [this](const void* code) -> Address {
    Site site;
    if (!locate(code, &site)) return {code};
    const std::string_view path = site.where;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    if (file.starts_with("libmpi") || file.starts_with("libcolltree-"))
      return {code, 0, Kind::kMpi};
    const bool is_python = path.find("/mpi4py/") != std::string_view::npos;
    return {code, number_of(site), is_python ? Kind::kPython : Kind::kSite};
  });
}

Sites::Address Sites::behind_mpi() {
  struct Walk {
    Sites* sites;
    Address found;
  } walk = {this, {}};
  const auto step = [](_Unwind_Context* frame, void* data) {
    auto* state = static_cast<Walk*>(data);
    const auto* address = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    if (address == nullptr) return _URC_END_OF_STACK;
    state->found = state->sites->look_at_code(address);
    return state->found.kind == Kind::kMpi ? _URC_NO_REASON : _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(step, &walk);
  return walk.found;
}

std::uint16_t Sites::find(const void* from) noexcept {
  if (from == nullptr) return 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  Address found = look_at_code(from);
  if (found.kind == Kind::kMpi) found = behind_mpi();
  if (found.kind != Kind::kPython) return found.site;
  const void* const line = python_line();
  if (line == nullptr) return found.site;
  const auto describe_line = [&](const void* key) -> Address {
    Site site;
    return {key, describe_python_line(&site) ? number_of(site) : found.site};
  };
  return look(line, describe_line).site;
}

}  // namespace colltree::runtime
