/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that processes share cannot be had. NO_MEMORY=made: nobody can make it; taken: odd ranks
   cannot take it. pulled: rank 1 cannot read another's; later: it can the first time.
   domains: ranks share their last cache with every second one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int is(const char* word) {
  const char* wanted = getenv("NO_MEMORY");
  return wanted != NULL && strcmp(wanted, word) == 0;
}

static int rank(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return rank == NULL ? -1 : atoi(rank);
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
  if (!is("taken") || rank() % 2 != 1 || strncmp(path, "/proc/", 6) != 0 ||
      readlink(path, target, sizeof target - 1) < 0 || strstr(target, "memfd:colltree") == NULL)
    return real(path, flags, mode);
  errno = EACCES;
  return -1;
}

ssize_t process_vm_readv(pid_t process, const struct iovec* to, unsigned long tos,
                         const struct iovec* from, unsigned long froms, unsigned long flags) {
  typedef ssize_t Read(pid_t, const struct iovec*, unsigned long, const struct iovec*,
                       unsigned long, unsigned long);
  static int calls;
  Dl_info caller; /* MPI libraries read so, too */
  Read* real = (Read*)dlsym(RTLD_NEXT, "process_vm_readv");
  if (rank() == 1 && dladdr(__builtin_return_address(0), &caller) != 0 &&
      strstr(caller.dli_fname, "libcolltree") != NULL &&
      (is("pulled") || (is("later") && calls++ > 0))) {
    errno = EPERM;
    return -1;
  }
  return real(process, to, tos, from, froms, flags);
}

FILE* fopen(const char* path, const char* mode) {
  FILE* (*real)(const char*, const char*) =
      (FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, "fopen");
  char list[32];
  if (!is("domains") || strstr(path, "index3/shared_cpu_list") == NULL) return real(path, mode);
  snprintf(list, sizeof list, "%d,0-1023\n", rank() % 2);
  FILE* const file = tmpfile();
  fputs(list, file);
  rewind(file);
  return file;
}
