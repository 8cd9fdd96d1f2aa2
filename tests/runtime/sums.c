/* SPDX-License-Identifier: BSD-3-Clause */
/* sums SEED ROUNDS: sums of random doubles of very different magnitudes, whole and then cut into
 * random pieces: each must have the same bits both times. Ends with "ok N sums, hash H", which is
 * the same for each job of as many ranks whose sums are reproducible. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 6000 };
enum { kAllreduce, kReduce, kReduceScatterBlock, kScan, kExscan, kCollectives };
static const char* const kNames[] = {"allreduce", "reduce", "reduce_scatter_block", "scan",
                                     "exscan"};

static int rank, size;
static uint64_t hash = 14695981039346656037u;

static uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* Of both signs, from 2^-40 to 2^40. */
static double value(uint64_t seed, int of_rank, int element) {
  const uint64_t x = mixed(seed ^ mixed(((uint64_t)of_rank << 32) + (uint64_t)element));
  const double fraction = 1 + (double)(x >> 12) / 4503599627370496.0;
  return ldexp((x & 1) ? -fraction : fraction, (int)(x % 81) - 40);
}

/* Elements first .. first + n - 1, of each block in reduce_scatter_block. */
static void call(int what, const double* in, double* out, int first, int n, int count, int root) {
  static double blocks[8 * kMost];
  switch (what) {
    case kAllreduce:
      MPI_Allreduce(in + first, out + first, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case kReduce:
      MPI_Reduce(in + first, out + first, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      break;
    case kScan:
      MPI_Scan(in + first, out + first, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case kExscan:
      MPI_Exscan(in + first, out + first, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    default:
      for (int r = 0; r < size; ++r)
        memcpy(blocks + r * n, in + r * count + first, (size_t)n * sizeof(double));
      MPI_Reduce_scatter_block(blocks, out + first, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  static double in[8 * kMost], whole[kMost], pieces[kMost];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const uint64_t seed = argc > 2 ? strtoull(argv[1], NULL, 10) : 1;
  const int rounds = argc > 2 ? atoi(argv[2]) : 1;
  long sums = 0, different = 0;
  for (int round = 0; round < rounds; ++round) {
    uint64_t random = mixed(seed * 1000003 + (uint64_t)round);
    for (int what = 0; what < kCollectives; ++what) {
      random = mixed(random);
      const int count = 1 + (int)(random % (round % 3 == 0 ? kMost : 300));
      const int root = (int)((random >> 32) % (uint64_t)size);
      const int all = what == kReduceScatterBlock ? size * count : count;
      for (int i = 0; i < all; ++i) in[i] = value(random, rank, i);
      memset(whole, 0, sizeof whole);
      memset(pieces, 0, sizeof pieces);
      call(what, in, whole, 0, count, count, root);
      uint64_t cut = random;
      for (int first = 0; first < count;) {
        cut = mixed(cut);
        int n = 1 + (int)(cut % (uint64_t)((cut >> 60) < 4 ? 9 : count));
        if (n > count - first) n = count - first;
        call(what, in, pieces, first, n, count, root);
        first += n;
      }
      sums += count;
      const int here = memcmp(whole, pieces, sizeof whole) != 0;
      if (here)
        fprintf(stderr, "rank %d: %s of %d elements: other bits when cut\n", rank, kNames[what],
                count);
      different += here;
      for (int i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, whole + i, sizeof bits);
        hash = mixed(hash ^ bits);
      }
    }
  }
  uint64_t all_hashes = 0;
  long all_different = 0;
  hash = mixed(hash + (uint64_t)rank);
  MPI_Reduce(&hash, &all_hashes, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  MPI_Reduce(&different, &all_different, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s %ld sums, hash %016llx\n", all_different == 0 ? "ok" : "different", sums,
           (unsigned long long)all_hashes);
  }
  MPI_Finalize();
  return 0;
}
