// SPDX-License-Identifier: BSD-3-Clause
// A library to preload that makes one fault at a chosen place, for tests/faults. Calls of the
// program FAULT_PROGRAM that change a file whose path holds FAULT_PATH are counted: open with
// O_CREAT, write, pwrite, ftruncate, fsync, fdatasync, unlink. Call FAULT_CALL fails with
// FAULT_ERROR:
//   ENOSPC, EDQUOT  this and all later writes; the first writes half of its bytes before
//   EROFS           this and all later calls
//   EIO             this call alone; EIO_FOREVER: all later ones too
//   KILL, TORN      the process is killed instead of the call, or after half of a write
// FAULT_COUNT: a file that gets the number of calls. Besides:
//   FAULT_CLOCK_BACK_S  the calendar's clock goes back by this many seconds at every hundredth look
//   FAULT_HURRY         after the first counted call the steady clock runs faster by this factor
//   FAULT_HOST          the host's name
//   FAULT_MPI           what the MPI library says of itself; FAULT_SIMGRID: its minor number
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum Kind { kOpen, kWrite, kTruncate, kSync, kUnlink };

static atomic_int calls;

static int here(void) {
  const char* program = getenv("FAULT_PROGRAM");
  return program != NULL && strcmp(program_invocation_short_name, program) == 0;
}

static int concerns(const char* path) {
  const char* part = getenv("FAULT_PATH");
  return part != NULL && here() && strstr(path, part) != NULL;
}

static int concerns_file(int fd) {
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return concerns(path);
}

static int is_error(const char* name) {
  const char* error = getenv("FAULT_ERROR");
  return error != NULL && strcmp(error, name) == 0;
}

static void count_at_end(void) {
  const char* file = getenv("FAULT_COUNT");
  if (file == NULL || atomic_load(&calls) == 0) return;
  FILE* out = fopen(file, "w");
  if (out == NULL) return;
  fprintf(out, "%d\n", atomic_load(&calls));
  fclose(out);
}

// 0: the call shall work; -1: the process shall die; else the error. `half`: a write may be cut.
static int fault_of(enum Kind kind, int* half) {
  const int call = atomic_fetch_add(&calls, 1) + 1;
  if (call == 1) atexit(count_at_end);
  const char* wanted = getenv("FAULT_CALL");
  const int first = wanted == NULL ? 0 : atoi(wanted);
  *half = 0;
  if (first == 0 || call < first) return 0;
  if (is_error("ENOSPC") || is_error("EDQUOT")) {
    if (kind == kSync || kind == kUnlink || kind == kTruncate) return 0;
    *half = call == first && kind == kWrite;
    return is_error("ENOSPC") ? ENOSPC : EDQUOT;
  }
  if (is_error("EROFS")) return EROFS;
  if (is_error("EIO_FOREVER")) return EIO;
  if (call != first) return 0;
  if (is_error("EIO")) return EIO;
  *half = is_error("TORN");
  return -1;
}

static int fails(enum Kind kind) {
  int half = 0;
  const int fault = fault_of(kind, &half);
  if (fault < 0) kill(getpid(), SIGKILL);
  if (fault > 0) errno = fault;
  return fault != 0;
}

// How many of `size` bytes shall be written; -1: an error.
static ssize_t bytes_to_write(size_t size, int* dies) {
  int half = 0;
  const int fault = fault_of(kWrite, &half);
  *dies = fault < 0;
  if (fault == 0 || (half && size > 1)) return (ssize_t)(fault == 0 ? size : size / 2);
  if (fault < 0) kill(getpid(), SIGKILL);
  errno = fault;
  return -1;
}

ssize_t write(int fd, const void* data, size_t size) {
  int dies = 0;
  const ssize_t bytes = concerns_file(fd) ? bytes_to_write(size, &dies) : (ssize_t)size;
  const ssize_t written = bytes < 0 ? -1 : REAL(write)(fd, data, (size_t)bytes);
  if (dies) kill(getpid(), SIGKILL);
  return written;
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  int dies = 0;
  const ssize_t bytes = concerns_file(fd) ? bytes_to_write(size, &dies) : (ssize_t)size;
  const ssize_t written = bytes < 0 ? -1 : REAL(pwrite64)(fd, data, (size_t)bytes, at);
  if (dies) kill(getpid(), SIGKILL);
  return written;
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  return pwrite64(fd, data, size, at);
}

int fsync(int fd) { return concerns_file(fd) && fails(kSync) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return concerns_file(fd) && fails(kSync) ? -1 : REAL(fdatasync)(fd); }
int ftruncate64(int fd, off64_t size) {
  return concerns_file(fd) && fails(kTruncate) ? -1 : REAL(ftruncate64)(fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int unlink(const char* path) { return concerns(path) && fails(kUnlink) ? -1 : REAL(unlink)(path); }

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  if (flags & O_CREAT && concerns(path) && fails(kOpen)) return -1;
  return REAL(open64)(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  return open64(path, flags, mode);
}

static long seconds_back(void) {
  static atomic_int looks;
  const char* back_s = getenv("FAULT_CLOCK_BACK_S");
  return back_s == NULL ? 0 : atol(back_s) * (1 + atomic_fetch_add(&looks, 1) / 100);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static __typeof__(&clock_gettime) real;
  if (real == NULL) real = REAL(clock_gettime);
  const int code = real(clock, now);
  const char* hurry = getenv("FAULT_HURRY");
  if (clock == CLOCK_REALTIME) now->tv_sec -= seconds_back();
  if (clock == CLOCK_MONOTONIC && hurry != NULL && atomic_load(&calls) > 0) {
    const long long ns = (now->tv_sec * 1000000000LL + now->tv_nsec) * atoi(hurry);
    now->tv_sec = ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
  }
  return code;
}
int gettimeofday(struct timeval* now, void* zone) {
  const int code = REAL(gettimeofday)(now, zone);
  now->tv_sec -= seconds_back();
  return code;
}
time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}

int gethostname(char* name, size_t size) {
  const char* host = getenv("FAULT_HOST");
  if (host == NULL || !here()) return REAL(gethostname)(name, size);
  snprintf(name, size, "%s", host);
  return 0;
}

int MPI_Get_library_version(char* text, int* length) {
  const char* version = getenv("FAULT_MPI");
  if (version == NULL)
    return ((int (*)(char*, int*))dlsym(RTLD_NEXT, "MPI_Get_library_version"))(text, length);
  *length = sprintf(text, "%s", version);
  return 0;
}

void sg_version_get(int* major, int* minor, int* patch) {
  ((void (*)(int*, int*, int*))dlsym(RTLD_NEXT, "sg_version_get"))(major, minor, patch);
  if (getenv("FAULT_SIMGRID") != NULL) *minor = atoi(getenv("FAULT_SIMGRID"));
}
