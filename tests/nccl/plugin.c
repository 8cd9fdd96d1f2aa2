// SPDX-License-Identifier: BSD-3-Clause
// A tuner plugin for NCCL, interface 5, that reads the CSV as NCCL's example plugin is documented
// to: the first line that matches makes its entry of the cost table the cheapest.
// COLLTREE_TEST_SHIFT: bytes that it takes each size to be larger, the fault that
// tests/nccl/prove.py must find.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char collective[16], algorithm[16], protocol[16];
  size_t least, most;
  int nodes, ranks, operations, registered;
} Line;

typedef struct {
  Line lines[64];
  size_t count, ranks, nodes;
} Rules;

static const char* const kCollectives[] = {"broadcast",     "reduce",    "allgather",
                                           "reducescatter", "allreduce", NULL};
static const char* const kAlgorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat", NULL};
static const char* const kProtocols[] = {"ll", "ll128", "simple", NULL};

static int place(const char* word, const char* const* names) {
  for (int i = 0; names[i] != NULL; ++i)
    if (strcmp(word, names[i]) == 0) return i;
  return -1;
}

static int init(void** context, uint64_t id, size_t ranks, size_t nodes, void* logger,
                void* domains, void* constants) {
  (void)id, (void)logger, (void)domains, (void)constants;
  FILE* file = fopen(getenv("NCCL_TUNER_CONFIG_FILE"), "r");
  Rules* rules = calloc(1, sizeof *rules);
  if (file == NULL || rules == NULL) return 2;
  rules->ranks = ranks;
  rules->nodes = nodes;
  char text[256];
  while (rules->count < 64 && fgets(text, sizeof text, file) != NULL) {
    Line* one = &rules->lines[rules->count];
    one->operations = one->registered = -1;
    if (text[0] != '#' &&
        sscanf(text, "%15[^,],%zu,%zu,%15[^,],%15[^,],%*d,%d,%d,%d,%d", one->collective,
               &one->least, &one->most, one->algorithm, one->protocol, &one->nodes, &one->ranks,
               &one->operations, &one->registered) >= 7)
      ++rules->count;
  }
  fclose(file);
  *context = rules;
  return 0;
}

static int ask(void* context, int collective, size_t bytes, int operations, float** costs,
               int algorithms, int protocols, int registered, int* channels) {
  (void)algorithms, (void)channels;
  const Rules* rules = context;
  const char* shift = getenv("COLLTREE_TEST_SHIFT");
  if (shift != NULL) bytes += strtoull(shift, NULL, 10);
  for (const Line* one = rules->lines; one < rules->lines + rules->count; ++one) {
    if (strcmp(one->collective, kCollectives[collective]) != 0 || bytes < one->least ||
        bytes > one->most)
      continue;
    if ((one->ranks != -1 && (size_t)one->ranks != rules->ranks) ||
        (one->nodes != -1 && (size_t)one->nodes != rules->nodes) ||
        (one->operations != -1 && one->operations != operations) ||
        (one->registered != -1 && one->registered != registered))
      continue;
    float* const cost = (float*)costs + place(one->algorithm, kAlgorithms) * protocols +
                        place(one->protocol, kProtocols);
    if (*cost == -1) continue;  // NCCL cannot run it
    *cost = 0;
    return 0;
  }
  return 0;
}

static int end(void* context) {
  free(context);
  return 0;
}

const struct {
  const char* name;
  int (*init)(void**, uint64_t, size_t, size_t, void*, void*, void*);
  int (*ask)(void*, int, size_t, int, float**, int, int, int, int*);
  int (*end)(void*);
} ncclTunerPlugin_v5 = {"the test's plugin", init, ask, end};
