// SPDX-License-Identifier: BSD-3-Clause
// witness RANK RANKS FILE COLLECTIVE:BYTES...: one call for each word, by oneCCL on the host; BYTES
// are one block as colltree counts it. The processes meet through FILE, which rank 0 writes. Each
// rank prints "call COLLECTIVE BYTES" before a call, so that what CCL_SCHED_DUMP prints belongs to
// it, and "done" at the end.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <oneapi/ccl.hpp>
#include <string>
#include <thread>
#include <vector>

// The static library traces through these pointers, which are null without Intel's tracer.
extern "C" {
#define NO_TRACER(name) void* __itt_##name##_ptr__3_0 = nullptr
NO_TRACER(domain_create);
NO_TRACER(event_create);
NO_TRACER(event_end);
NO_TRACER(event_start);
NO_TRACER(metadata_add);
NO_TRACER(string_handle_create);
NO_TRACER(task_begin);
NO_TRACER(task_end);
NO_TRACER(thread_set_name);
}

namespace {

ccl::shared_ptr_class<ccl::kvs> meet(int rank, const std::string& file) {
  ccl::kvs::address_type address;
  if (rank == 0) {
    auto kvs = ccl::create_main_kvs();
    address = kvs->get_address();
    std::ofstream(file + ".new", std::ios::binary).write(address.data(), address.size());
    std::filesystem::rename(file + ".new", file);
    return kvs;
  }
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::ifstream(file, std::ios::binary).read(address.data(), address.size());
  return ccl::create_kvs(address);
}

void call(const std::string& what, std::size_t bytes, const ccl::communicator& comm) {
  const auto type = ccl::datatype::int8;
  const auto sum = ccl::reduction::sum;
  const std::vector<std::size_t> counts(comm.size(), bytes);
  std::vector<char> in(bytes * comm.size() + 1), out(in.size());
  if (what == "allreduce") ccl::allreduce(in.data(), out.data(), bytes, type, sum, comm).wait();
  if (what == "reduce") ccl::reduce(in.data(), out.data(), bytes, type, sum, 0, comm).wait();
  if (what == "bcast") ccl::broadcast(in.data(), bytes, type, 0, comm).wait();
  if (what == "allgather") ccl::allgather(in.data(), out.data(), bytes, type, comm).wait();
  if (what == "allgatherv")
    ccl::allgatherv(in.data(), bytes, out.data(), counts, type, comm).wait();
  if (what == "alltoall") ccl::alltoall(in.data(), out.data(), bytes, type, comm).wait();
  if (what == "alltoallv") ccl::alltoallv(in.data(), counts, out.data(), counts, type, comm).wait();
  if (what == "reduce_scatter_block")
    ccl::reduce_scatter(in.data(), out.data(), bytes, type, sum, comm).wait();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int rank = std::atoi(argv[1]);
  ccl::init();
  const auto kvs = meet(rank, argv[3]);
  const auto comm = ccl::create_communicator(std::atoi(argv[2]), rank, kvs);
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t colon = word.find(':');
    const std::string what = word.substr(0, colon);
    std::printf("call %s %s\n", what.c_str(), word.c_str() + colon + 1);
    std::fflush(stdout);
    call(what, std::strtoull(word.c_str() + colon + 1, nullptr, 10), comm);
  }
  std::printf("done\n");
  std::fflush(stdout);
}
