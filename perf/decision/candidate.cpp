// SPDX-License-Identifier: BSD-3-Clause
#include "candidate.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/text.h"
#include "colltree/decision.h"
#include "emit/emitter.h"
#include "model/test_cell_tree.h"

namespace colltree {

namespace {

class InMemory final : public Candidate {
 public:
  InMemory(const std::string& model, const std::vector<GridAxis>& axes, model::CellTree tree)
      : Candidate(model, "memory",
                  tree.size() * sizeof(model::CellNode) + 8 * (axes[0].size() + axes[1].size())),
        axes_(axes),
        tree_(std::move(tree)) {}

  std::uint64_t decide_all(const std::vector<Query>& queries) const override {
    std::uint64_t sum = 0;
    for (const Query& query : queries) sum += decide(query);
    return sum;
  }

 private:
  [[gnu::noinline]] std::uint16_t decide(const Query& query) const {
    const Instance at{.communicator_size = query.communicator_size,
                      .message_size = query.message_size};
    return model::decide_at(tree_, {axes_[0].index(at), axes_[1].index(at)});
  }

  std::vector<GridAxis> axes_;
  model::CellTree tree_;
};

class CompactFile final : public Candidate {
 public:
  CompactFile(const std::string& model, const std::string& form, std::string content,
              Collective collective)
      : Candidate(model, form, content.size()),
        content_(std::move(content)),
        collective_(static_cast<int>(collective)) {
    char error[256];
    decision_ = colltree_decision_use(content_.data(), content_.size(), error, sizeof error);
    if (decision_ == nullptr) throw Error(error);
  }
  ~CompactFile() override { colltree_decision_free(decision_); }

  std::uint64_t decide_all(const std::vector<Query>& queries) const override {
    std::uint64_t sum = 0;
    for (const Query& query : queries) {
      const colltree_instance at = {query.communicator_size, query.message_size, 0, 0};
      sum += static_cast<std::uint64_t>(colltree_decide(decision_, collective_, &at));
    }
    return sum;
  }

 private:
  std::string content_;
  int collective_;
  colltree_decision* decision_;
};

using Decide = int(std::uint64_t, std::uint64_t);

class GeneratedC final : public Candidate {
 public:
  GeneratedC(const std::string& model, const std::string& form, const std::string& source,
             Collective collective)
      : Candidate(model, form, 0) {
    // A path of its own, kept while it is loaded: dlopen gives the library it has for a path or an
    // inode that it knows, whatever lies there now.
    static int serial = 0;
    const std::string stem = (std::filesystem::temp_directory_path() /
                              fmt::format("colltree_perf_{}_{}", ::getpid(), serial++))
                                 .string();
    write_file(stem + ".c", source);
    const std::string command = fmt::format(
        "cc -std=c99 -O2 -shared -fPIC -o {0}.so {0}.c && nm -S {0}.so | "
        "grep -E ' [tTrR] colltree_' | grep -v _methods | cut -d' ' -f2 > {0}.size",
        stem);
    if (std::system(command.c_str()) != 0) throw Error("cannot compile " + stem + ".c");
    const std::string sizes = read_file(stem + ".size");  // functions and their tables
    for (const std::string_view size : split(sizes, '\n')) {
      bytes += std::strtoul(std::string(size).c_str(), nullptr, 16);
    }
    handle_ = ::dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw Error(::dlerror());
    decide_ = reinterpret_cast<Decide*>(
        ::dlsym(handle_, fmt::format("colltree_decide_{}", name(collective)).c_str()));
    for (const char* suffix : {".c", ".size"}) std::filesystem::remove(stem + suffix);
    library_ = stem + ".so";
  }
  ~GeneratedC() override {
    ::dlclose(handle_);
    std::filesystem::remove(library_);
  }

  std::uint64_t decide_all(const std::vector<Query>& queries) const override {
    std::uint64_t sum = 0;
    for (const Query& query : queries) {
      sum += static_cast<std::uint64_t>(decide_(query.communicator_size, query.message_size));
    }
    return sum;
  }

 private:
  std::string library_;
  void* handle_;
  Decide* decide_;
};

}  // namespace

std::unique_ptr<Candidate> in_memory(const std::string& model, const model::LabelGrid& grid,
                                     model::CellTree tree) {
  return std::make_unique<InMemory>(model, grid.axes, std::move(tree));
}

std::unique_ptr<Candidate> compact_file(const std::string& model, const model::Model& function,
                                        const std::string& target, Collective collective) {
  return std::make_unique<CompactFile>(model, target, emit::find_emitter(target).emit(function, {}),
                                       collective);
}

std::unique_ptr<Candidate> generated_c(const std::string& model, const model::Model& function,
                                       const std::string& form, Collective collective) {
  const char* target = form == "C nested" ? "c-nested" : "c";
  return std::make_unique<GeneratedC>(model, form, emit::find_emitter(target).emit(function, {}),
                                      collective);
}

}  // namespace colltree
