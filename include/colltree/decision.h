/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions at run time from a compact decision file (.cdt, docs/reference/formats/cdt.md), which
 * `colltree emit cdt` writes. Plain C. No function throws, exits or prints. After loading, every
 * function is thread-safe and lock-free, and colltree_decide allocates nothing.
 *
 *   char error[256];
 *   colltree_decision *d = colltree_decision_load("bcast.cdt", error, sizeof error);
 *   int bcast = colltree_decision_collective("bcast");
 *   colltree_instance at = {25, 480, 0, 0};
 *   int method = colltree_decide(d, bcast, &at);
 *   if (method >= 0) puts(colltree_decision_method(d, method).algorithm);
 *   colltree_decision_free(d);
 */
#ifndef COLLTREE_DECISION_H
#define COLLTREE_DECISION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define COLLTREE_NOEXCEPT noexcept
#else
#define COLLTREE_NOEXCEPT
#endif

typedef struct colltree_decision colltree_decision;

/* What a decision is made for. Every value is allowed, 0 and 2^64 - 1 too. */
typedef struct {
  uint64_t communicator_size; /* ranks */
  uint64_t message_size;      /* bytes, by the collective's own convention (docs/glossary.md) */
  uint64_t nodes;             /* 0: not known */
  uint64_t ranks_per_node;    /* 0: not known */
} colltree_instance;

typedef struct {
  const char* algorithm; /* owned by the colltree_decision; NULL: no such method */
  uint64_t segment_size; /* bytes; 0: not segmented */
  int has_segment_size;  /* 0: the library rules it; segment_size is 0 then */
} colltree_chosen_method;

/* Maps the file and checks all of it. NULL when it cannot be read or is damaged, truncated or of a
 * newer version; `error` (if not NULL) then holds one line. A file in use must be replaced by
 * rename, never rewritten in place. */
colltree_decision* colltree_decision_load(const char* path, char* error,
                                          size_t error_size) COLLTREE_NOEXCEPT;

/* The same for bytes in memory, which must stay as they are until colltree_decision_free. */
colltree_decision* colltree_decision_use(const void* bytes, size_t size, char* error,
                                         size_t error_size) COLLTREE_NOEXCEPT;

void colltree_decision_free(colltree_decision* decision) COLLTREE_NOEXCEPT;

/* The number by which this library knows a collective ("bcast"), or -1. */
int colltree_decision_collective(const char* name) COLLTREE_NOEXCEPT;

/* The index of the method to use, or -1 when the file does not decide for this collective. */
int colltree_decide(const colltree_decision* decision, int collective,
                    const colltree_instance* instance) COLLTREE_NOEXCEPT;

size_t colltree_decision_methods(const colltree_decision* decision) COLLTREE_NOEXCEPT;
colltree_chosen_method colltree_decision_method(const colltree_decision* decision,
                                                int method) COLLTREE_NOEXCEPT;

/* Where the decisions come from; texts owned by the colltree_decision, "" where it is not known. */
typedef struct {
  const char* provenance; /* of the times: "simulated", "measured" or "imported" */
  const char* algorithms; /* whose the methods are: "portable" (colltree's own), "openmpi", "mpich".
                             Another's algorithms of the same names are not the same algorithms. */
  const char* mpi;        /* the library that the times were measured under: "openmpi-4.1.4" */
} colltree_origin;

colltree_origin colltree_decision_origin(const colltree_decision* decision) COLLTREE_NOEXCEPT;

/* Whether the methods are colltree's own algorithms, or are not known to be another's. A file
 * without a method but "default" is for everyone. */
int colltree_decision_is_portable(const colltree_decision* decision) COLLTREE_NOEXCEPT;

/* Writes what the file holds as text, like snprintf: returns the length without the final 0. */
size_t colltree_decision_describe(const colltree_decision* decision, char* text,
                                  size_t size) COLLTREE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
