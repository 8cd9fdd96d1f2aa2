/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that processes share cannot be had. NO_MEMORY=made: nobody can make it; taken: rank 1
   cannot take it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char* word) {
  const char* wanted = getenv("NO_MEMORY");
  return wanted != NULL && strcmp(wanted, word) == 0;
}

static int is_rank_1(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return rank != NULL && strcmp(rank, "1") == 0;
}

int memfd_create(const char* name, unsigned flags) {
  int (*real)(const char*, unsigned) =
      (int (*)(const char*, unsigned))dlsym(RTLD_NEXT, "memfd_create");
  if (!is("made")) return real(name, flags);
  errno = ENOSYS;
  return -1;
}

int open(const char* path, int flags, ...) {
  int (*real)(const char*, int, int) = (int (*)(const char*, int, int))dlsym(RTLD_NEXT, "open");
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  char target[64] = "";
  if (!is("taken") || !is_rank_1() || strncmp(path, "/proc/", 6) != 0 ||
      readlink(path, target, sizeof target - 1) < 0 || strstr(target, "memfd:colltree") == NULL)
    return real(path, flags, mode);
  errno = EACCES;
  return -1;
}
