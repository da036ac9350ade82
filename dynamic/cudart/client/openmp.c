// OpenMP for host code: what clang's -fopenmp calls (LLVM/OpenMP runtime interface, kmp.h) and the functions of omp.h, on
// threads that each parallel region starts and ends. Inner regions have one thread; tasks run where they are made.
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct ident ident_t;
typedef void (*outlined)(int *, int *, ...);

struct loop {  // of a schedule that hands out chunks
  struct loop *next;
  int64_t number, at, end, step, chunk;
  int users, guided;
};

struct team {
  int size;
  pthread_barrier_t barrier;
  pthread_mutex_t lock;
  int64_t singles;
  struct loop *loops;
};

static __thread struct {
  struct team *team;  // NULL outside of regions
  int number, level, asked;
  int64_t singles, loops;
} self;

static pthread_mutex_t everywhere = PTHREAD_MUTEX_INITIALIZER;
static int wanted, dynamic_threads, nested;

static int team_size(void) { return self.team ? self.team->size : 1; }

int omp_get_num_procs(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
}
int omp_get_max_threads(void) {
  if (!wanted) {
    const char *set = getenv("OMP_NUM_THREADS");
    wanted = set && atoi(set) > 0 ? atoi(set) : omp_get_num_procs();
  }
  return wanted;
}
void omp_set_num_threads(int n) { wanted = n > 0 ? n : 1; }
int omp_get_num_threads(void) { return team_size(); }
int omp_get_thread_num(void) { return self.number; }
int omp_in_parallel(void) { return team_size() > 1; }
void omp_set_dynamic(int on) { dynamic_threads = on; }
int omp_get_dynamic(void) { return dynamic_threads; }
void omp_set_nested(int on) { nested = on; }
int omp_get_nested(void) { return nested; }
int omp_get_level(void) { return self.level; }
int omp_get_thread_limit(void) { return 1024; }
int omp_get_num_devices(void) { return 0; }
double omp_get_wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double omp_get_wtick(void) { return 1e-9; }
void omp_init_lock(void **lock) {
  *lock = malloc(sizeof(pthread_mutex_t));
  pthread_mutex_init(*lock, NULL);
}
void omp_destroy_lock(void **lock) { free(*lock); }
void omp_set_lock(void **lock) { pthread_mutex_lock(*lock); }
void omp_unset_lock(void **lock) { pthread_mutex_unlock(*lock); }
int omp_test_lock(void **lock) { return pthread_mutex_trylock(*lock) == 0; }
void omp_init_nest_lock(void **lock) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  *lock = malloc(sizeof(pthread_mutex_t));
  pthread_mutex_init(*lock, &a);
}
void omp_destroy_nest_lock(void **lock) { free(*lock); }
void omp_set_nest_lock(void **lock) { pthread_mutex_lock(*lock); }
void omp_unset_nest_lock(void **lock) { pthread_mutex_unlock(*lock); }

int __kmpc_global_thread_num(ident_t *at) {
  (void)at;
  return self.number;
}
void __kmpc_push_num_threads(ident_t *at, int me, int n) {
  (void)at, (void)me;
  self.asked = n;
}
void __kmpc_barrier(ident_t *at, int me) {
  (void)at, (void)me;
  if (team_size() > 1) pthread_barrier_wait(&self.team->barrier);
}

struct start {
  outlined body;
  int count, number, level;
  void **arguments;
  struct team *team;
};

static void *work(void *of) {
  struct start *s = of;
  __typeof__(self) before = self;
  memset(&self, 0, sizeof self);
  self.team = s->team, self.number = s->number, self.level = s->level;
  int me = s->number, zero = 0;
  void **a = s->arguments;
  switch (s->count) {
    case 0: s->body(&me, &zero); break;
    case 1: s->body(&me, &zero, a[0]); break;
    case 2: s->body(&me, &zero, a[0], a[1]); break;
    case 3: s->body(&me, &zero, a[0], a[1], a[2]); break;
    case 4: s->body(&me, &zero, a[0], a[1], a[2], a[3]); break;
    default:  // a callee takes no more than it knows of
      s->body(&me, &zero, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19],
              a[20], a[21], a[22], a[23], a[24], a[25], a[26], a[27], a[28], a[29], a[30], a[31]);
  }
  self = before;
  return NULL;
}

void __kmpc_fork_call(ident_t *at, int count, outlined body, ...) {
  (void)at;
  enum { MOST = 32 };
  void *arguments[MOST] = {0};
  va_list list;
  va_start(list, body);
  for (int i = 0; i < count && i < MOST; i++) arguments[i] = va_arg(list, void *);
  va_end(list);
  struct team team = {.size = self.asked > 0 ? self.asked : omp_get_max_threads()};
  self.asked = 0;
  if (self.team && self.team->size > 1) team.size = 1;
  if (team.size > 256) team.size = 256;
  pthread_barrier_init(&team.barrier, NULL, (unsigned)team.size);
  pthread_mutex_init(&team.lock, NULL);
  pthread_t threads[256];
  struct start starts[256];
  for (int i = 0; i < team.size; i++) starts[i] = (struct start){body, count, i, self.level + 1, arguments, &team};
  for (int i = 1; i < team.size; i++)
    if (pthread_create(&threads[i], NULL, work, &starts[i]) != 0) abort();
  work(&starts[0]);
  for (int i = 1; i < team.size; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&team.barrier);
}
void __kmpc_serialized_parallel(ident_t *at, int me) { (void)at, (void)me; }
void __kmpc_end_serialized_parallel(ident_t *at, int me) { (void)at, (void)me; }

// A static schedule: one run of iterations for each thread (34), or chunks in turn (33).
#define STATIC_INIT(name, T)                                                                                                 \
  void __kmpc_for_static_init_##name(ident_t *at, int me, int schedule, int *last, T *lower, T *upper, __typeof__((T)0 + 0) *stride, __typeof__((T)0 + 0) step, __typeof__((T)0 + 0) chunk) { \
    (void)at, (void)me;                                                                                                      \
    int64_t n = team_size(), i = self.number, s = (int64_t)step;                                                             \
    int64_t count = s > 0 ? (*upper < *lower ? 0 : (int64_t)((uint64_t)(*upper - *lower) / (uint64_t)s) + 1)                 \
                          : (*lower < *upper ? 0 : (int64_t)((uint64_t)(*lower - *upper) / (uint64_t)-s) + 1);               \
    if (schedule == 33) {                                                                                                    \
      int64_t c = (int64_t)chunk > 0 ? (int64_t)chunk : 1;                                                                   \
      *stride = (T)(n * c * s);                                                                                              \
      *lower = (T)(*lower + (T)(i * c * s));                                                                                 \
      *upper = (T)(*lower + (T)((c - 1) * s));                                                                               \
      if (last) *last = count > 0 && (count - 1) / c % n == i;                                                               \
      return;                                                                                                                \
    }                                                                                                                        \
    int64_t each = count / n, rest = count % n, from = i * each + (i < rest ? i : rest), mine = each + (i < rest);           \
    T first = *lower;                                                                                                        \
    *stride = (T)(count * s);                                                                                                \
    if (last) *last = mine > 0 && from + mine == count;                                                                      \
    if (mine > 0) {                                                                                                          \
      *lower = (T)(first + (T)(from * s));                                                                                   \
      *upper = (T)(first + (T)((from + mine - 1) * s));                                                                      \
    } else {                                                                                                                 \
      *lower = (T)(*upper + (T)s);                                                                                           \
    }                                                                                                                        \
  }
STATIC_INIT(4, int32_t)
STATIC_INIT(4u, uint32_t)
STATIC_INIT(8, int64_t)
STATIC_INIT(8u, uint64_t)
void __kmpc_for_static_fini(ident_t *at, int me) { (void)at, (void)me; }

static struct loop *find_loop(struct team *t, int64_t number) {
  struct loop *l = t->loops;
  while (l && l->number != number) l = l->next;
  return l;
}

static struct team alone = {.size = 1, .lock = PTHREAD_MUTEX_INITIALIZER};
static struct team *my_team(void) { return self.team ? self.team : &alone; }

static void begin_loop(int schedule, int64_t lower, int64_t upper, int64_t step, int64_t chunk) {
  struct team *t = my_team();
  int kind = schedule & 0xffff;
  kind &= ~(1 << 13);  // nonmonotonic, in old versions
  self.loops++;
  pthread_mutex_lock(&t->lock);
  if (!find_loop(t, self.loops)) {
    struct loop *l = calloc(1, sizeof *l);
    int64_t count = step > 0 ? (upper < lower ? 0 : (upper - lower) / step + 1) : (lower < upper ? 0 : (lower - upper) / -step + 1);
    *l = (struct loop){t->loops, self.loops, lower, lower + count * step, step, chunk > 0 ? chunk : 1, 0, kind == 36};
    if ((kind == 34 || kind == 38) && chunk <= 1) l->chunk = (count + t->size - 1) / t->size > 0 ? (count + t->size - 1) / t->size : 1;
    t->loops = l;
  }
  pthread_mutex_unlock(&t->lock);
}

static int next_chunk(int *last, int64_t *lower, int64_t *upper, int64_t *step) {
  struct team *t = my_team();
  pthread_mutex_lock(&t->lock);
  struct loop *l = find_loop(t, self.loops);
  int some = l && l->at != l->end;
  if (some) {
    int64_t left = (l->end - l->at) / l->step, n = l->chunk;
    if (l->guided && left / (2 * t->size) > n) n = left / (2 * t->size);
    if (n > left) n = left;
    *lower = l->at, *upper = l->at + (n - 1) * l->step, *step = l->step;
    l->at += n * l->step;
    if (last) *last = l->at == l->end;
  } else if (l && ++l->users == t->size) {
    struct loop **link = &t->loops;
    while (*link != l) link = &(*link)->next;
    *link = l->next;
    free(l);
  }
  pthread_mutex_unlock(&t->lock);
  return some;
}

#define DISPATCH(name, T, S)                                                                                       \
  void __kmpc_dispatch_init_##name(ident_t *at, int me, int schedule, T lower, T upper, S step, S chunk) {    \
    (void)at, (void)me;                                                                                            \
    begin_loop(schedule, (int64_t)lower, (int64_t)upper, (int64_t)step, (int64_t)chunk);                           \
  }                                                                                                                \
  int __kmpc_dispatch_next_##name(ident_t *at, int me, int *last, T *lower, T *upper, S *step) {              \
    (void)at, (void)me;                                                                                            \
    int64_t l, u, s;                                                                                               \
    if (!next_chunk(last, &l, &u, &s)) return 0;                                                                   \
    *lower = (T)l, *upper = (T)u, *step = (S)s;                                                                    \
    return 1;                                                                                                      \
  }                                                                                                                \
  void __kmpc_dispatch_fini_##name(ident_t *at, int me) { (void)at, (void)me; }
DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)
void __kmpc_dispatch_deinit(ident_t *at, int me) { (void)at, (void)me; }

// Critical sections of all names share one lock; a thread may not be in two at once, but for reductions in one.
void __kmpc_critical(ident_t *at, int me, void *name) {
  (void)at, (void)me, (void)name;
  pthread_mutex_lock(&everywhere);
}
void __kmpc_critical_with_hint(ident_t *at, int me, void *name, uint32_t hint) {
  (void)hint;
  __kmpc_critical(at, me, name);
}
void __kmpc_end_critical(ident_t *at, int me, void *name) {
  (void)at, (void)me, (void)name;
  pthread_mutex_unlock(&everywhere);
}
static pthread_mutex_t reducing = PTHREAD_MUTEX_INITIALIZER;
int __kmpc_reduce_nowait(ident_t *at, int me, int count, size_t size, void *data, void (*combine)(void *, void *), void *lock) {
  (void)at, (void)me, (void)count, (void)size, (void)data, (void)combine, (void)lock;
  pthread_mutex_lock(&reducing);
  return 1;  // each thread adds its own
}
void __kmpc_end_reduce_nowait(ident_t *at, int me, void *lock) {
  (void)at, (void)me, (void)lock;
  pthread_mutex_unlock(&reducing);
}
int __kmpc_reduce(ident_t *at, int me, int count, size_t size, void *data, void (*combine)(void *, void *), void *lock) {
  return __kmpc_reduce_nowait(at, me, count, size, data, combine, lock);
}
void __kmpc_end_reduce(ident_t *at, int me, void *lock) {
  __kmpc_end_reduce_nowait(at, me, lock);
  __kmpc_barrier(at, me);
}

int __kmpc_single(ident_t *at, int me) {
  (void)at, (void)me;
  if (team_size() == 1) return 1;
  int64_t mine = self.singles++;
  return __sync_bool_compare_and_swap(&self.team->singles, mine, mine + 1);
}
void __kmpc_end_single(ident_t *at, int me) { (void)at, (void)me; }
int __kmpc_master(ident_t *at, int me) {
  (void)at, (void)me;
  return self.number == 0;
}
void __kmpc_end_master(ident_t *at, int me) { (void)at, (void)me; }
int __kmpc_masked(ident_t *at, int me, int which) {
  (void)at, (void)me;
  return self.number == which;
}
void __kmpc_end_masked(ident_t *at, int me) { (void)at, (void)me; }
void __kmpc_flush(ident_t *at) {
  (void)at;
  __sync_synchronize();
}

// Tasks run at once.
struct task_head {
  void *shared;
  int (*entry)(int, void *);
};
void *__kmpc_omp_task_alloc(ident_t *at, int me, int flags, size_t size, size_t shared, int (*entry)(int, void *)) {
  (void)at, (void)me, (void)flags;
  size_t begin = (size + 15) & ~(size_t)15;
  struct task_head *t = calloc(1, begin + shared);
  t->shared = shared ? (char *)t + begin : NULL, t->entry = entry;
  return t;
}
int __kmpc_omp_task(ident_t *at, int me, void *task) {
  (void)at;
  ((struct task_head *)task)->entry(me, task);
  free(task);
  return 0;
}
int __kmpc_omp_task_with_deps(ident_t *at, int me, void *task, int n, void *deps, int m, void *more) {
  (void)n, (void)deps, (void)m, (void)more;
  return __kmpc_omp_task(at, me, task);
}
void __kmpc_omp_task_begin_if0(ident_t *at, int me, void *task) { (void)at, (void)me, (void)task; }
void __kmpc_omp_task_complete_if0(ident_t *at, int me, void *task) { (void)at, (void)me, (void)task; }
int __kmpc_omp_taskwait(ident_t *at, int me) {
  (void)at, (void)me;
  return 0;
}
int __kmpc_omp_taskyield(ident_t *at, int me, int end) {
  (void)at, (void)me, (void)end;
  return 0;
}
void __kmpc_taskgroup(ident_t *at, int me) { (void)at, (void)me; }
void __kmpc_end_taskgroup(ident_t *at, int me) { (void)at, (void)me; }
