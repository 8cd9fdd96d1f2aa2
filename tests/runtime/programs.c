/* SPDX-License-Identifier: BSD-3-Clause */
/* programs WORD [ROUNDS]: one legal program a word; each checks itself and ends with "ok". */
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size, wrong;

static void check(int right, const char* what) {
  if (right) return;
  if (wrong++ < 3) printf("rank %d: %s\n", rank, what);
}

/* One of each kind of collective, with results that are checked. */
static void some_collectives(MPI_Comm comm, int count) {
  int me, n;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  int* a = malloc(sizeof(int) * (size_t)(count * n + 1));
  int* b = malloc(sizeof(int) * (size_t)(count * n + 1));
  for (int i = 0; i < count; ++i) a[i] = me == n - 1 ? i : -1;
  MPI_Bcast(a, count, MPI_INT, n - 1, comm);
  for (int i = 0; i < count; ++i) check(a[i] == i, "bcast");
  for (int i = 0; i < count; ++i) a[i] = me + i;
  MPI_Reduce(a, b, count, MPI_INT, MPI_SUM, 0, comm);
  if (me == 0)
    for (int i = 0; i < count; ++i) check(b[i] == n * i + n * (n - 1) / 2, "reduce");
  MPI_Allreduce(a, b, count, MPI_INT, MPI_MAX, comm);
  for (int i = 0; i < count; ++i) check(b[i] == n - 1 + i, "allreduce");
  for (int i = 0; i < count * n; ++i) a[i] = me * 1000 + i / count;
  MPI_Alltoall(a, count, MPI_INT, b, count, MPI_INT, comm);
  for (int i = 0; i < count * n; ++i) check(b[i] == i / count * 1000 + me, "alltoall");
  MPI_Allgather(a, count, MPI_INT, b, count, MPI_INT, comm);
  for (int i = 0; i < count * n; ++i) check(b[i] == i / count * 1000, "allgather");
  MPI_Barrier(comm);
  free(a);
  free(b);
}

/* --- threads: different communicators at once --- */
static void* in_thread(void* comm) {
  MPI_Comm made;
  for (int i = 0; i < 30; ++i) {
    some_collectives(*(MPI_Comm*)comm, 10 + i);
    MPI_Comm_dup(*(MPI_Comm*)comm, &made);
    some_collectives(made, 300);
    MPI_Comm_free(&made);
  }
  return NULL;
}

/* Groups that overlap: what made a communicator by itself here would wait for ever in Open MPI. */
static MPI_Group everyone, first_half;
static void* over_groups(void* tag) {
  MPI_Comm made;
  for (int i = 0; i < 20; ++i) {
    if (rank <= size / 2) {
      MPI_Comm_create_group(MPI_COMM_WORLD, first_half, *(int*)tag, &made);
      some_collectives(made, 20);
      MPI_Comm_free(&made);
    }
    MPI_Comm_create_group(MPI_COMM_WORLD, everyone, *(int*)tag, &made);
    some_collectives(made, 20);
    MPI_Comm_free(&made);
  }
  return NULL;
}

static void threads(void) {
  enum { kThreads = 3 };
  MPI_Comm comms[kThreads];
  pthread_t all[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, in_thread, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
  int tags[kThreads], range[1][3] = {{0, size / 2, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  MPI_Group_range_incl(everyone, 1, range, &first_half);
  for (int i = 0; i < kThreads; ++i) tags[i] = i;
  for (int i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, over_groups, &tags[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  MPI_Group_free(&first_half);
  MPI_Group_free(&everyone);
}

/* --- intercommunicator --- */
static void intercommunicator(void) {
  MPI_Comm half, both;
  const int low = rank < (size + 1) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? (size + 1) / 2 : 0, 7, &both);
  int value = low && rank == 0 ? 42 : -1;
  MPI_Bcast(&value, 1, MPI_INT, low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, both);
  check(low ? value == (rank == 0 ? 42 : -1) : value == 42, "bcast");
  int sum = 0, mine = low ? 1 : 100;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, both);
  check(sum == (low ? 100 * (size / 2) : (size + 1) / 2), "allreduce");
  MPI_Barrier(both);
  MPI_Comm merged;
  MPI_Intercomm_merge(both, low, &merged);
  some_collectives(merged, 50);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

/* --- errors: by the communicator's own handler, once --- */
static int handled, handled_class;
static int returns_errors; /* MPICH 5.0.2 does not, after a handler */
static MPI_Comm handled_on;
static void handler(MPI_Comm* comm, int* code, ...) {
  ++handled;
  handled_on = *comm;
  MPI_Error_class(*code, &handled_class);
}

static void expect_error(int rc, int class, MPI_Comm comm, const char* what) {
  check(rc != MPI_SUCCESS || !returns_errors, what);
  check(handled == 1 && handled_on == comm, what);
  check(class < 0 || handled_class == class, what);
  handled = handled_class = 0;
}

static void errors(void) {
  MPI_Comm comm;
  MPI_Errhandler own;
  int a[64] = {0}, b[64] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(comm, own);
  some_collectives(comm, 20);
  check(handled == 0, "handler called without an error");
  returns_errors = PMPI_Bcast(a, 4, MPI_INT, size, comm) != MPI_SUCCESS;
  handled = 0;
  expect_error(MPI_Bcast(a, 4, MPI_INT, size, comm), MPI_ERR_ROOT, comm, "root");
  expect_error(MPI_Bcast(a, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, comm, "count");
  expect_error(MPI_Bcast(a, 4, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, comm, "type");
  expect_error(MPI_Reduce(a, b, 4, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP, comm, "operation");
  expect_error(MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_BXOR, comm), MPI_ERR_OP, comm,
               "operation on a type");
  some_collectives(comm, 20);
  MPI_Errhandler now;
  MPI_Comm_get_errhandler(comm, &now);
  check(now == own, "the handler is another one");
  MPI_Errhandler_free(&now);
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
}

/* An error that only the messages show; everything ends after it. */
static void truncation(int root_receives) {
  static int a[2000];
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  const int rc = MPI_Bcast(a, rank == 0 ? 100 : 10, MPI_INT, 0, MPI_COMM_WORLD);
  const int seen = root_receives && rc != MPI_SUCCESS;
  if (rank == 0)
    check((rc == MPI_SUCCESS || seen) && handled == seen, "root");
  else
    expect_error(rc, MPI_ERR_TRUNCATE, MPI_COMM_WORLD, "truncation");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&own);
}

/* --- communicators come and go; attributes are the user's own business --- */
static int copied, deleted;
static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in;
  *flag = 1;
  ++copied;
  return MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void communicators(int rounds) {
  int key;
  long flat = 0;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm made;
    if (i % 2)
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
    else
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
    int value = rank;
    MPI_Bcast(&value, 1, MPI_INT, 0, made);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, made);
    MPI_Comm_free(&made);
    if (i == rounds / 2) flat = (long)mallinfo2().uordblks;
  }
  check(copied == rounds / 2 && deleted == copied, "attribute callbacks");
  const long grown = (long)mallinfo2().uordblks - flat;
  const long most = 20000 + 80 * (long)rounds; /* 160 bytes a communicator */
  if (grown > most) printf("%ld bytes more in use after %d communicators\n", grown, rounds / 2);
  check(grown < most, "memory grows");
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  some_collectives(MPI_COMM_SELF, 5);
}

/* --- more than 2^31 bytes --- */
static void large(void) {
  MPI_Datatype chunk;
  const int chunk_bytes = 1 << 20, chunks = 2049;
  const size_t bytes = (size_t)chunk_bytes * (size_t)chunks;
  unsigned char* data = malloc(bytes);
  check(data != NULL, "memory");
  memset(data, rank == 0 ? 7 : 1, bytes);
  data[bytes - 1] = (unsigned char)(rank == 0 ? 9 : 1);
  MPI_Type_contiguous(chunk_bytes, MPI_BYTE, &chunk);
  MPI_Type_commit(&chunk);
  MPI_Bcast(data, chunks, chunk, 0, MPI_COMM_WORLD);
  check(data[0] == 7 && data[bytes / 2] == 7 && data[(size_t)1 << 31] == 7 && data[bytes - 1] == 9,
        "bcast");
  MPI_Type_free(&chunk);
  free(data);
}

/* --- spawned processes, and those that started them --- */
static void spawn(const char* self) {
  MPI_Comm parent, both, merged;
  char* arguments[] = {"spawn", NULL};
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
                   MPI_ERRCODES_IGNORE);
  else
    both = parent;
  some_collectives(MPI_COMM_WORLD, 30);
  MPI_Intercomm_merge(both, parent != MPI_COMM_NULL, &merged);
  some_collectives(merged, 30);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&both);
}

/* --- a rank that waits in a collective receives what others wait to have sent --- */
static void unreceived(void) {
  const int bytes = 8 << 20;
  char* data = calloc((size_t)bytes, 1);
  for (int kind = 0; kind < 4; ++kind) {
    MPI_Request request = MPI_REQUEST_NULL;
    int a = rank, b = 0;
    if (rank == size - 1) MPI_Irecv(data, bytes, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &request);
    if (rank == 0) memset(data, kind + 1, (size_t)bytes);
    if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, size - 1, 5, MPI_COMM_WORLD);
    if (kind == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (kind == 1) MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (kind == 2) MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (kind == 3) MPI_Reduce(&a, &b, 1, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == size - 1) check(data[0] == kind + 1 && data[bytes - 1] == kind + 1, "message");
  }
  free(data);
}

/* --- child processes, which have nothing of ours --- */
static void forks(void) {
  enum { kEndsAtOnce, kExecutes, kEndsLate, kRunsExitHandlers, kChildren };
  pid_t children[kChildren];
  for (int i = 0; i < kChildren; ++i) {
    some_collectives(MPI_COMM_WORLD, 10);
    children[i] = fork();
    if (children[i] != 0) continue;
    if (i == kExecutes) execl("/bin/true", "true", (char*)NULL);
    if (i == kEndsLate) usleep(300000);
    if (i == kRunsExitHandlers) exit(0);
    _exit(0);
  }
  some_collectives(MPI_COMM_WORLD, 3000);
  for (int i = 0; i < kChildren; ++i) {
    int status = -1;
    check(waitpid(children[i], &status, 0) == children[i] && status == 0, "child");
  }
  some_collectives(MPI_COMM_WORLD, 10);
}

/* --- ends that are no MPI_Finalize, behind this many rounds; the others go on --- */
static void ends_early(const char* how, int rounds) {
  for (int i = 0; i < 1000000; ++i) {
    const int is_time = i == rounds && rank == size - 1;
    if (is_time && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (is_time && strcmp(how, "killed") == 0) raise(SIGKILL);
    some_collectives(MPI_COMM_WORLD, 1 + i % 40);
  }
}

int main(int argc, char** argv) {
  const char* word = argc > 1 ? argv[1] : "";
  int provided = 0;
  if (strcmp(word, "threads") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(word, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) threads();
  if (strcmp(word, "intercommunicator") == 0 && size > 1) intercommunicator();
  if (strcmp(word, "errors") == 0) errors();
  if (strcmp(word, "truncation") == 0) truncation(argc > 2);
  if (strcmp(word, "communicators") == 0) communicators(argc > 2 ? atoi(argv[2]) : 300);
  if (strcmp(word, "large") == 0) large();
  if (strcmp(word, "unreceived") == 0 && size > 1) unreceived();
  if (strcmp(word, "forks") == 0) forks();
  if (strcmp(word, "spawn") == 0) spawn(argv[0]);
  if (strcmp(word, "abort") == 0 || strcmp(word, "killed") == 0)
    ends_early(word, argc > 2 ? atoi(argv[2]) : 1);
  if (strcmp(word, "plain") == 0) some_collectives(MPI_COMM_WORLD, 100);
  int all = 0;
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (rank == 0 && all == 0 && parent == MPI_COMM_NULL) printf("ok\n");
  MPI_Finalize();
  return wrong != 0;
}
