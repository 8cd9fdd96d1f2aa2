// SPDX-License-Identifier: BSD-3-Clause
// witness LIBUCC_TL_UCP MOST_RANKS: for each line "COLLECTIVE RANKS BYTES", as colltree counts them
// (docs/glossary.md), the algorithm that UCC begins for MPI's call of this name; the calls do not
// run. All ranks are in this process, each with its own context. A program stands before libraries
// that are loaded later, so UCC finds the functions that begin an algorithm here first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucc/api/ucc.h>
#include <unistd.h>

enum { kMostRanks = 64, kMostRounds = 64, kMostBytes = 16384 };

static void need(const char* what, ucc_status_t status) {
  if (status == UCC_OK) return;
  fprintf(stderr, "%s: %s\n", what, ucc_status_string(status));
  exit(1);
}

// What began the call: of functions that call each other the innermost that took it.
static void* tl_ucp;
static const char* asked;  // UCC's word for the collective
static const char* began;
static int entered, began_at;

static ucc_status_t begin(const char* function, const char* collective, const char* algorithm,
                          void* a, void* b, void* c) {
  const int at = ++entered;
  ucc_status_t (*real)(void*, void*, void*) = dlsym(tl_ucp, function);
  const ucc_status_t status = real(a, b, c);
  if (status == UCC_OK && at > began_at && (*collective == 0 || strcmp(collective, asked) == 0)) {
    began = algorithm;
    began_at = at;
  }
  return status;
}

#define NAMED(name, collective, algorithm)                                     \
  ucc_status_t ucc_tl_ucp_##name##_init(void* a, void* b, void* c);            \
  ucc_status_t ucc_tl_ucp_##name##_init(void* a, void* b, void* c) {           \
    return begin("ucc_tl_ucp_" #name "_init", collective, algorithm, a, b, c); \
  }
#define HAS(collective, algorithm) NAMED(collective##_##algorithm, #collective, #algorithm)
// clang-format off
HAS(allgather, knomial) HAS(allgather, ring) HAS(allgather, neighbor) HAS(allgather, bruck)
HAS(allgather, sparbit) HAS(allgather, linear) NAMED(allgather_linear_batched, "allgather", "batched")
HAS(allgatherv, knomial) HAS(allgatherv, ring)
HAS(allreduce, knomial) HAS(allreduce, sra_knomial) HAS(allreduce, dbt)
HAS(allreduce, sliding_window) HAS(allreduce, ring)
HAS(alltoall, pairwise) HAS(alltoall, bruck) HAS(alltoall, onesided)
HAS(alltoallv, pairwise) HAS(alltoallv, hybrid) HAS(alltoallv, onesided)
HAS(bcast, knomial) HAS(bcast, sag_knomial) HAS(bcast, dbt)
HAS(reduce, knomial) HAS(reduce, dbt) NAMED(reduce_srg_knomial, "reduce", "srg")
HAS(reduce_scatter, ring) HAS(reduce_scatter, knomial) HAS(reduce_scatterv, ring)
NAMED(coll, "", "own");  // none of them by name
// clang-format on

// Ranks that tell each other something, again and again.
struct Meeting {
  int ranks, next[kMostRanks], arrived[kMostRounds];
  char all[kMostRounds][kMostRanks * kMostBytes];
};
struct Seat {
  struct Meeting* meeting;
  int rank, round;
  size_t bytes;
  void* all;
};

static ucc_status_t say(void* own, void* all, size_t bytes, void* info, void** request) {
  struct Seat* seat = memcpy(malloc(sizeof(struct Seat)), info, sizeof(struct Seat));
  struct Meeting* meeting = seat->meeting;
  seat->round = meeting->next[seat->rank]++;
  seat->bytes = bytes;
  seat->all = all;
  if (seat->round >= kMostRounds || bytes > kMostBytes) return UCC_ERR_NO_RESOURCE;
  memcpy(meeting->all[seat->round] + (size_t)seat->rank * bytes, own, bytes);
  __atomic_add_fetch(&meeting->arrived[seat->round], 1, __ATOMIC_SEQ_CST);
  *request = seat;
  return UCC_OK;
}

static ucc_status_t hear(void* request) {
  const struct Seat* seat = request;
  const struct Meeting* meeting = seat->meeting;
  if (__atomic_load_n(&meeting->arrived[seat->round], __ATOMIC_SEQ_CST) < meeting->ranks)
    return UCC_INPROGRESS;
  memcpy(seat->all, meeting->all[seat->round], (size_t)meeting->ranks * seat->bytes);
  return UCC_OK;
}

static ucc_status_t leave(void* request) {
  free(request);
  return UCC_OK;
}

static ucc_oob_coll_t seat_at(struct Meeting* meeting, int rank) {
  struct Seat* seat = calloc(1, sizeof *seat);
  *seat = (struct Seat){.meeting = meeting, .rank = rank};
  return (ucc_oob_coll_t){say, hear, leave, seat, (uint32_t)meeting->ranks, (uint32_t)rank};
}

static struct Meeting* world;
static ucc_lib_h libraries[kMostRanks];
static ucc_context_h contexts[kMostRanks];
static ucc_team_h teams[kMostRanks + 1][kMostRanks];

static void begin_library(int rank) {
  ucc_lib_config_h config;
  need("ucc_lib_config_read", ucc_lib_config_read(NULL, NULL, &config));
  ucc_lib_params_t params = {UCC_LIB_PARAM_FIELD_THREAD_MODE, .thread_mode = UCC_THREAD_MULTIPLE};
  need("ucc_init", ucc_init(&params, config, &libraries[rank]));
}

static void* begin_context(void* at) {
  const int rank = (int)(intptr_t)at;
  ucc_context_config_h config;
  need("ucc_context_config_read", ucc_context_config_read(libraries[rank], NULL, &config));
  ucc_context_params_t params = {UCC_CONTEXT_PARAM_FIELD_OOB, .oob = seat_at(world, rank)};
  need("ucc_context_create", ucc_context_create(libraries[rank], &params, config, &contexts[rank]));
  return NULL;
}

static void begin_team(int ranks) {
  struct Meeting* meeting = calloc(1, sizeof *meeting);
  meeting->ranks = ranks;
  for (int i = 0; i < ranks; ++i) {
    ucc_team_params_t params = {
        UCC_TEAM_PARAM_FIELD_OOB | UCC_TEAM_PARAM_FIELD_EP | UCC_TEAM_PARAM_FIELD_EP_RANGE,
        .oob = seat_at(meeting, i), .ep = (uint64_t)i, .ep_range = UCC_COLLECTIVE_EP_RANGE_CONTIG};
    need("ucc_team_create_post", ucc_team_create_post(&contexts[i], 1, &params, &teams[ranks][i]));
  }
  for (int waiting = 1; waiting != 0;) {
    waiting = 0;
    for (int i = 0; i < ranks; ++i) {
      ucc_context_progress(contexts[i]);
      const ucc_status_t status = ucc_team_create_test(teams[ranks][i]);
      if (status < 0) need("ucc_team_create_test", status);
      waiting += status != UCC_OK;
    }
  }
}

// MPI's calls as MPI libraries make them in UCC; of each buffer whether it has one block, one of
// each rank, or as counts say.
enum Blocks { kOne, kAll, kCounted };
static const struct Call {
  const char *what, *word;
  ucc_coll_type_t type;
  enum Blocks from, to;
} kCalls[] = {
    {"allgather", "allgather", UCC_COLL_TYPE_ALLGATHER, kOne, kAll},
    {"allgatherv", "allgatherv", UCC_COLL_TYPE_ALLGATHERV, kOne, kCounted},
    {"allreduce", "allreduce", UCC_COLL_TYPE_ALLREDUCE, kOne, kOne},
    {"alltoall", "alltoall", UCC_COLL_TYPE_ALLTOALL, kAll, kAll},
    {"alltoallv", "alltoallv", UCC_COLL_TYPE_ALLTOALLV, kCounted, kCounted},
    {"bcast", "bcast", UCC_COLL_TYPE_BCAST, kOne, kOne},
    {"reduce", "reduce", UCC_COLL_TYPE_REDUCE, kOne, kOne},
    {"reduce_scatter", "reduce_scatterv", UCC_COLL_TYPE_REDUCE_SCATTERV, kOne, kCounted},
    {"reduce_scatter_block", "reduce_scatter", UCC_COLL_TYPE_REDUCE_SCATTER, kAll, kOne},
};

static ucc_coll_args_t arguments(const struct Call* call, int ranks, uint64_t m) {
  static char memory[2];  // never touched
  static uint32_t counts[kMostRanks], offsets[kMostRanks];
  const uint64_t all = m * (uint64_t)ranks;
  const uint64_t total = call->type == UCC_COLL_TYPE_REDUCE_SCATTERV ? m : all;
  for (uint64_t i = 0, p = (uint64_t)ranks, at = 0; i < p; at += counts[i++]) {
    counts[i] = (uint32_t)(total / p + (i < total % p));
    offsets[i] = (uint32_t)at;
  }
  ucc_coll_args_t args = {.coll_type = call->type, .op = UCC_OP_SUM};
  args.src.info = (ucc_coll_buffer_info_t){memory, call->from == kAll ? all : m, UCC_DT_INT8,
                                           UCC_MEMORY_TYPE_HOST};
  args.dst.info = (ucc_coll_buffer_info_t){memory + 1, call->to == kAll ? all : m, UCC_DT_INT8,
                                           UCC_MEMORY_TYPE_HOST};
  const ucc_coll_buffer_info_v_t parts = {memory, (ucc_count_t*)counts, (ucc_aint_t*)offsets,
                                          UCC_DT_INT8, UCC_MEMORY_TYPE_HOST};
  if (call->from == kCounted) args.src.info_v = parts;
  if (call->to == kCounted) args.dst.info_v = parts;
  return args;
}

static const char* algorithm_at(const struct Call* call, int rank, int ranks, uint64_t m) {
  ucc_coll_args_t args = arguments(call, ranks, m);
  ucc_coll_req_h request;
  asked = call->word;
  began = "none";
  entered = began_at = 0;
  const ucc_status_t status = ucc_collective_init(&args, &request, teams[ranks][rank]);
  if (status != UCC_OK) return ucc_status_string(status);
  ucc_collective_finalize(request);
  return began;
}

static const char* answer(const char* what, int ranks, uint64_t m) {
  const struct Call* call = kCalls;
  while (strcmp(call->what, what) != 0)
    if (++call == kCalls + sizeof kCalls / sizeof *kCalls) return "no collective";
  if (teams[ranks][0] == NULL) begin_team(ranks);
  const char* of_all = algorithm_at(call, 0, ranks, m);
  for (int i = 1; i < ranks; ++i)
    if (strcmp(algorithm_at(call, i, ranks, m), of_all) != 0) return "not one on all ranks";
  return of_all;
}

int main(int argc, char** argv) {
  world = calloc(1, sizeof *world);
  world->ranks = argc == 3 ? atoi(argv[2]) : kMostRanks + 1;
  if (world->ranks > kMostRanks) return 2;
  for (int i = 0; i < world->ranks; ++i) begin_library(i);
  tl_ucp = dlopen(argv[1], RTLD_LAZY | RTLD_NOLOAD);
  pthread_t threads[kMostRanks];
  for (int i = 0; i < world->ranks; ++i)
    pthread_create(&threads[i], NULL, begin_context, (void*)(intptr_t)i);
  for (int i = 0; i < world->ranks; ++i) pthread_join(threads[i], NULL);
  char what[64];
  int ranks;
  unsigned long long m;
  while (scanf("%63s %d %llu", what, &ranks, &m) == 3)
    printf("%s %d %llu: %s\n", what, ranks, m, answer(what, ranks, m));
  fflush(stdout);
  _exit(0);
}
