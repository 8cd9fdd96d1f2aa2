// SPDX-License-Identifier: BSD-3-Clause
// For tests: emitted files made ready to be asked.
#pragma once

#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/test_scratch.h"
#include "coll/method.h"
#include "colltree/decision.h"

namespace colltree::testing {

struct CMethod {
  const char* algorithm;
  std::int64_t segment_size;
};

// A shared object made of one C file with the flags that the project promises to pass.
class Compiled {
 public:
  explicit Compiled(const std::string& source) {
    static int serial = 0;
    const auto stem = fresh_path(fmt::format("emitted_{}", serial++));
    const std::string c = stem.string() + ".c";
    const std::string so = stem.string() + ".so";
    write_file(c, source);
    const std::string command = fmt::format(
        "cc -std=c99 -Wall -Wextra -pedantic -Werror -O0 -shared -fPIC -o {} {}", so, c);
    if (std::system(command.c_str()) != 0) throw Error("does not compile: " + c);
    handle_.reset(::dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!handle_) throw Error(::dlerror());
    std::filesystem::remove(c);
    std::filesystem::remove(so);
  }

  template <typename Function>
  Function* get(const std::string& symbol) const {
    void* const found = ::dlsym(handle_.get(), symbol.c_str());
    if (found == nullptr) throw Error("no symbol " + symbol);
    return reinterpret_cast<Function*>(found);
  }

 private:
  struct Close {
    void operator()(void* handle) const { ::dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

class Loaded {
 public:
  explicit Loaded(std::string content) : content_(std::move(content)) {
    char error[256];
    decision_ = colltree_decision_use(content_.data(), content_.size(), error, sizeof error);
    if (decision_ == nullptr) throw Error(error);
  }
  ~Loaded() { colltree_decision_free(decision_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  Method decide(const Instance& at) const {
    const colltree_instance instance = {at.communicator_size, at.message_size, at.nodes,
                                        at.ranks_per_node};
    const int collective = colltree_decision_collective(std::string(name(at.collective)).c_str());
    const int index = colltree_decide(decision_, collective, &instance);
    const colltree_chosen_method method = colltree_decision_method(decision_, index);
    if (method.algorithm == nullptr) throw Error("no decision");
    if (method.has_segment_size == 0) return parse_method_name(method.algorithm);
    return parse_method_name(method.algorithm, method.segment_size);
  }
  std::string describe() const {
    char text[1024];
    colltree_decision_describe(decision_, text, sizeof text);
    return text;
  }

 private:
  std::string content_;
  colltree_decision* decision_;
};

}  // namespace colltree::testing
