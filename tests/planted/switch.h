/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch of the planted bugs (planted.py), inserted at the top of every file that has one:
   PLANTED(n) is true where the environment variable COLLTREE_PLANTED is n. Where
   COLLTREE_PLANTED_REACHED names a file, each process appends to it the numbers of the bugs whose
   places it comes to. */
#ifndef COLLTREE_PLANTED_SWITCH
#define COLLTREE_PLANTED_SWITCH
#ifdef __cplusplus
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#else
/* By hand: a header would settle the feature macros before the file defines its own. These are
 * Linux's values. */
extern char* getenv(const char*);
extern int atoi(const char*);
extern int open(const char*, int, ...);
extern long write(int, const void*, unsigned long);
extern int close(int);
extern int* __errno_location(void);
#define errno (*__errno_location())
#define O_WRONLY 01
#define O_CREAT 0100
#define O_APPEND 02000
#define COLLTREE_PLANTED_OWN_NAMES
#endif

static __attribute__((unused)) void colltree_planted_note(int n) {
  const char* path = getenv("COLLTREE_PLANTED_REACHED");
  const int before = errno;
  char line[3];
  int file;
  if (!path || !*path) return;
  line[0] = (char)('0' + n / 10);
  line[1] = (char)('0' + n % 10);
  line[2] = '\n';
  file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file >= 0) {
    if (write(file, line, sizeof line) < 0) errno = before;
    close(file);
  }
  errno = before;
}

static __attribute__((unused)) int colltree_planted(int n) {
  static char is_noted[100];
  static int active = -1;
  if (active < 0) {
    const char* text = getenv("COLLTREE_PLANTED");
    active = text ? atoi(text) : 0;
  }
  if (!is_noted[n]) {
    is_noted[n] = 1;
    colltree_planted_note(n);
  }
  return active == n;
}
#define PLANTED(n) (colltree_planted(n) != 0)

#ifdef COLLTREE_PLANTED_OWN_NAMES
#undef errno
#undef O_WRONLY
#undef O_CREAT
#undef O_APPEND
#endif
#endif
