/* SPDX-License-Identifier: BSD-3-Clause */
/* random_calls SEED CALLS [four] [threads]: random legal calls of the 14 collectives on random
 * communicators, each made by MPI_NAME and again by PMPI_NAME with the same arguments: what they
 * leave in memory, gaps of types and surroundings of buffers included, must be the same. From the
 * first tenth of the calls to the last neither memory nor the number of communicators may grow.
 * four: only of the four that have rows in shared memory, some of long messages. Ends with "ok". */
#include <dlfcn.h>
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kGuard = 64, kMostElements = 3000, kLongElements = 40000, kComms = 5 };

static uint64_t state; /* the same on all ranks: what is called */
static int is_of_four;

static uint64_t draw(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % below;
}

static int world_rank, world_size;
static MPI_Comm comms[kComms];
static int has_runtime;       /* rank 1 has loaded a device runtime, */
static int is_late[kComms];   /* and the ranks of this communicator can know it */
static MPI_Datatype types[6]; /* each of two ints */
static MPI_Datatype apart;    /* as types[1], made of other parts */
static MPI_Datatype pair;     /* what compose works on */
static MPI_Op compose_op;

/* Affine maps x -> a x + b under composition: associative, not commutative. */
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  uint32_t* left = in;
  uint32_t* right = inout;
  (void)type;
  for (int i = 0; i < 2 * *count; i += 2) {
    uint32_t a = left[i] * right[i], b = left[i] * right[i + 1] + left[i + 1];
    right[i] = a;
    right[i + 1] = b;
  }
}

static void make_types(void) {
  MPI_Datatype gaps, inner;
  MPI_Type_contiguous(2, MPI_INT, &types[1]);
  MPI_Type_vector(2, 1, 3, MPI_INT, &types[2]);
  MPI_Type_create_resized(types[2], -8, 32, &types[3]); /* negative lower bound, gaps */
  MPI_Type_create_resized(types[1], 0, 4, &gaps);
  MPI_Type_free(&gaps);
  int lengths[2] = {1, 1};
  int displacements[2] = {1, 0}; /* backwards in memory */
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &types[4]);
  MPI_Type_contiguous(1, types[1], &types[5]);
  MPI_Type_contiguous(1, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &apart);
  MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
  MPI_Type_free(&inner);
  for (int i = 1; i < 6; ++i) MPI_Type_commit(&types[i]);
  MPI_Type_commit(&apart);
  MPI_Type_commit(&pair);
  types[0] = types[1];
  MPI_Op_create(compose, 0, &compose_op);
}

static void make_comm(int i) {
  MPI_Comm made;
  switch (draw(4)) {
    case 0:
      PMPI_Comm_dup(MPI_COMM_WORLD, &made);
      break;
    case 1: /* backwards */
      PMPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &made);
      break;
    default: {
      int parts = 1 + (int)draw(3), shift = (int)draw(7);
      PMPI_Comm_split(MPI_COMM_WORLD, (world_rank + shift) % parts, world_rank * 7 % 5, &made);
    }
  }
  if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  comms[i] = made;
  is_late[i] = has_runtime;
}

/* Buffers: [0] MPI_, [1] PMPI_. */
typedef struct {
  char* memory[2];
  size_t bytes;
} Buffer;

static Buffer send, receive;

/* device_stand_in.cpp, where it is preloaded: its device has this memory at another address. */
extern char* stand_in_memory(size_t bytes) __attribute__((weak));
extern char* stand_in_device(char* memory) __attribute__((weak));
/* Rank 1 loads the device runtime that DEVICE_RUNTIME names after some calls. From then on it has
 * buffers on the device in some calls, on communicators that can know it. */
enum { kBeforeDevices = 60 };
static int with_devices;      /* in the call under way, */
static unsigned on_this_rank; /* but not for each buffer */

static void allocate(Buffer* b) {
  b->bytes = (size_t)(world_size + 2) * kMostElements * 40 + 2 * kGuard + 4096;
  if (is_of_four) b->bytes += kLongElements * 40;
  for (int i = 0; i < 2; ++i)
    b->memory[i] = i == 0 && stand_in_memory ? stand_in_memory(b->bytes) : malloc(b->bytes);
}

static size_t used; /* bytes that this call may touch, from the start of the memory */

static void fill(Buffer* b, uint32_t salt) {
  uint32_t* words = (uint32_t*)b->memory[0];
  uint32_t x = salt * 2654435761u + (uint32_t)world_rank * 40503u + 1;
  for (size_t i = 0; i < used / 4; ++i) {
    x = x * 1664525u + 1013904223u;
    words[i] = x >> 8;
  }
  memcpy(b->memory[1], b->memory[0], used);
}

static char* origin(Buffer* b, int i) {
  char* at = b->memory[i] + kGuard;
  on_this_rank = on_this_rank * 1664525u + 1013904223u;
  return i == 0 && with_devices && (on_this_rank >> 16) % 2 ? stand_in_device(at) : at;
}

static int wrong;
static long calls_made;

static char described[128]; /* the call under way */

/* What a call may leave behind as it likes, in bytes of the memory: made equal. */
static void forget(Buffer* b, size_t begin, size_t end) {
  if (begin < end) memcpy(b->memory[0] + begin, b->memory[1] + begin, end - begin);
}

static void compare(const char* what, Buffer* b) {
  if (memcmp(b->memory[0], b->memory[1], used) == 0) return;
  size_t at = 0;
  while (b->memory[0][at] == b->memory[1][at]) ++at;
  if (wrong++ < 3)
    printf("rank %d, call %ld, %s: %s buffer differs at byte %zu of %zu\n", world_rank, calls_made,
           described, what, at, used);
}

/* The root's buffer may be the other half of the same memory. */
static void call_once(int i, int which, MPI_Comm comm, int size, int rank, int count,
                      MPI_Datatype type, MPI_Datatype other, int root, int in_place, MPI_Op op,
                      MPI_Datatype reduced, const int* counts, const int* displacements,
                      const int* matrix_send, const int* matrix_receive, const int* at_send,
                      const int* at_receive) {
  char* s = origin(&send, i);
  char* r = origin(&receive, i);
  void* source = in_place ? MPI_IN_PLACE : (void*)s;
  void* source_at_root = in_place && rank == root ? MPI_IN_PLACE : (void*)s;
#define BOTH(Name, ...)      \
  if (i == 0)                \
    MPI_##Name(__VA_ARGS__); \
  else                       \
    PMPI_##Name(__VA_ARGS__)
/* Of one call some ranks use the function with large counts. */
#if MPI_VERSION >= 4
#define EITHER(Name, ...)                      \
  if (i == 0 && (world_rank + calls_made) % 3) \
    MPI_##Name##_c(__VA_ARGS__);               \
  else                                         \
    BOTH(Name, __VA_ARGS__)
#else
#define EITHER BOTH
#endif
  switch (which) {
    case 0:
      EITHER(Bcast, s, count, rank % 2 ? type : other, root, comm);
      break;
    case 1:
      EITHER(Reduce, source_at_root, r, count, reduced, op, root, comm);
      break;
    case 2:
      EITHER(Allreduce, source, r, count, reduced, op, comm);
      break;
    case 3:
      EITHER(Alltoall, source, count, type, r, count, in_place ? type : other, comm);
      break;
    case 4:
      if (in_place) {
        BOTH(Alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, r, counts, displacements, type,
             comm);
      } else {
        BOTH(Alltoallv, s, matrix_send, at_send, type, r, matrix_receive, at_receive, other, comm);
      }
      break;
    case 5:
      EITHER(Allgather, source, count, other, r, count, type, comm);
      break;
    case 6:
      BOTH(Allgatherv, source, counts[rank], other, r, counts, displacements, type, comm);
      break;
    case 7:
      if (rank == root) {
        EITHER(Gather, source_at_root, count, other, r, count, type, root, comm);
      } else {
        EITHER(Gather, s, count, other, NULL, -1, MPI_DATATYPE_NULL, root, comm);
      }
      break;
    case 8:
      if (rank == root) {
        EITHER(Scatter, s, count, type, in_place ? MPI_IN_PLACE : (void*)r, count, other, root,
               comm);
      } else {
        EITHER(Scatter, NULL, -1, MPI_DATATYPE_NULL, r, count, other, root, comm);
      }
      break;
    case 9:
      BOTH(Reduce_scatter, source, r, counts, reduced, op, comm);
      break;
    case 10:
      EITHER(Reduce_scatter_block, source, r, count, reduced, op, comm);
      break;
    case 11:
      EITHER(Scan, source, r, count, reduced, op, comm);
      break;
    case 12:
      EITHER(Exscan, source, r, count, reduced, op, comm);
      break;
    default:
      BOTH(Barrier, comm);
  }
  (void)size;
}

static void load_runtime(void) {
  const char* runtime = getenv("DEVICE_RUNTIME");
  has_runtime = runtime != NULL;
  if (runtime != NULL && world_rank == 1 && dlopen(runtime, RTLD_NOW) == NULL)
    printf("%d: %s\n", ++wrong, dlerror());
  /* After as many calls again the ranks of an older communicator must know it, too. */
  for (int i = 0; has_runtime && i <= kBeforeDevices; ++i) MPI_Barrier(comms[0]);
  is_late[0] = has_runtime;
}

static void one_call(void) {
  static int counts[64], displacements[64], out[64], in[64], at_out[64], at_in[64];
  static const char* names[14] = {"bcast",
                                  "reduce",
                                  "allreduce",
                                  "alltoall",
                                  "alltoallv",
                                  "allgather",
                                  "allgatherv",
                                  "gather",
                                  "scatter",
                                  "reduce_scatter",
                                  "reduce_scatter_block",
                                  "scan",
                                  "exscan",
                                  "barrier"};
  if (draw(40) == 0) make_comm((int)draw(kComms));
  const int drawn = (int)draw(kComms);
  MPI_Comm comm = comms[drawn];
  /* Communicators differ from rank to rank: what follows must not look at more than they share. */
  int rank, size;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  static const int kFour[4] = {0, 1, 2, 13};
  const int which = is_of_four ? kFour[draw(4)] : (int)draw(14);
  const uint64_t kind = draw(8);
  const int long_elements = is_of_four && draw(16) == 0 ? kLongElements : kMostElements;
  const int most = kind == 0 ? 1 : kind < 4 ? 9 : kind < 7 ? 200 : long_elements;
  const int count = (int)draw((uint64_t)most);
  const MPI_Datatype type = types[draw(6)];
  const int contiguous = type == types[1] || type == types[5];
  const MPI_Datatype other = contiguous && draw(2) ? apart : type;
  const int root = (int)(draw(1000) % (uint64_t)size);
  const int user = draw(3) == 0;
  /* The oracle, MPICH 4.0's own reduce, crashes in place at another root than 0. */
  const int in_place = draw(3) == 0 && !(which == 1 && root != 0);
  static const int kOps = 3;
  const MPI_Op built_in[3] = {MPI_SUM, MPI_BXOR, MPI_MAX};
  const MPI_Op op = user ? compose_op : built_in[draw((uint64_t)kOps)];
  const MPI_Datatype reduced = user ? pair : MPI_UINT32_T;
  const uint32_t salt = (uint32_t)draw(1u << 30);
  int total = 0, elements = 0;
  for (int i = 0; i < size; ++i) {
    counts[i] = (int)((salt >> (i % 20)) % (uint32_t)(most > 200 ? 200 : most));
    displacements[i] = total + i % 2;
    total += counts[i] + i % 2;
    elements += counts[i];
  }
  int sent = 0, received = 0;
  for (int i = 0; i < size; ++i) {
    out[i] = (rank * 5 + i * 3 + (int)(salt % 7)) % (most > 60 ? 60 : most);
    in[i] = (i * 5 + rank * 3 + (int)(salt % 7)) % (most > 60 ? 60 : most);
    at_out[i] = sent;
    at_in[i] = received;
    sent += out[i];
    received += in[i];
  }
  /* In place, what i gets from j must be as long as what j gets from i. */
  if (which == 4 && in_place)
    for (int i = 0, at = 0; i < size; ++i) {
      counts[i] = (rank + i + (int)(salt % 5)) % 9;
      displacements[i] = at;
      at += counts[i];
    }
  used = (size_t)(size + 1) * (size_t)((count > 200 ? count : 200) + 2) * 32 + 2 * kGuard;
  if (used > send.bytes) used = send.bytes;
  used &= ~(size_t)7;
  with_devices = is_late[drawn] && world_rank == 1 && salt % 2 == 0;
  fill(&send, salt);
  fill(&receive, salt + 77);
  if (which == 0 && rank == root) fill(&send, salt + 5);
  snprintf(described, sizeof described, "%s (%d of %d ranks, count %d, root %d%s%s)", names[which],
           rank, size, count, root, in_place ? ", in place" : "", user ? ", user's operation" : "");
  for (int i = 0; i < 2; ++i)
    call_once(i, which, comm, size, rank, count, type, other, root, in_place, op, reduced, counts,
              displacements, out, in, at_out, at_in);
  /* In place only the rank's own block is a result; the other blocks were input. */
  const size_t unit = user ? 8 : 4;
  if (in_place && which == 9)
    forget(&receive, kGuard + unit * (size_t)counts[rank], kGuard + unit * (size_t)elements);
  if (in_place && which == 10)
    forget(&receive, kGuard + unit * (size_t)count, kGuard + unit * (size_t)(count * size));
  compare("send", &send);
  compare("receive", &receive);
  ++calls_made;
}

/* Both libraries give a new communicator the lowest free number, which is in its handle: of MPICH's
 * the last 26 bits. */
typedef struct {
  long bytes;
  long number;
} Use;

#ifdef MPI_ABI
#define MPI_Comm_c2f MPI_Comm_toint
#endif

static Use in_use(void) {
  MPI_Comm next;
  Use use;
  PMPI_Comm_dup(MPI_COMM_WORLD, &next);
  use.number = (long)MPI_Comm_c2f(next) & 0x3FFFFFF;
  PMPI_Comm_free(&next);
  use.bytes = (long)mallinfo2().uordblks;
  return use;
}

/* The libraries keep some buffers and communicators themselves; one more of ours with each
 * communicator made, or one byte with each call, is seen where there are many calls. */
static void expect_flat(Use early, Use late, long calls) {
  const long bytes = late.bytes - early.bytes, numbers = late.number - early.number;
  const int flat = bytes < (4 << 20) + calls / 2 && numbers < 100;
  if (!flat || (world_rank == 0 && calls >= 100000))
    printf("rank %d: %ld bytes more, numbers %ld further\n", world_rank, bytes, numbers);
  wrong += !flat;
}

int main(int argc, char** argv) {
  int provided;
  int threads = 0;
  for (int i = 3; i < argc; ++i) {
    threads = threads || strcmp(argv[i], "threads") == 0;
    is_of_four = is_of_four || strcmp(argv[i], "four") == 0;
  }
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  state = 0x9E3779B97F4A7C15u ^ (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 0x2545F4914F6CDD1Du;
  const long calls = argc > 2 ? atol(argv[2]) : 500;
  for (int i = 0; i < 8; ++i) draw(2);
  make_types();
  on_this_rank = (unsigned)world_rank * 7919u + (unsigned)state;
  allocate(&send);
  allocate(&receive);
  for (int i = 0; i < kComms; ++i) comms[i] = MPI_COMM_NULL;
  for (int i = 0; i < kComms; ++i) make_comm(i);
  Use early = {0, 0};
  for (long i = 0; i < calls; ++i) {
    if (i == calls / 10) early = in_use();
    if (i == kBeforeDevices) load_runtime();
    one_call();
  }
  expect_flat(early, in_use(), calls);
  int all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < kComms; ++i) MPI_Comm_free(&comms[i]);
  for (int i = 1; i < 6; ++i) MPI_Type_free(&types[i]);
  MPI_Type_free(&apart);
  MPI_Type_free(&pair);
  MPI_Op_free(&compose_op);
  if (world_rank == 0 && all == 0) printf("ok %ld calls\n", calls);
  if (world_rank == 0 && all != 0) printf("%d differences\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
