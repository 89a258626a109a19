#define _GNU_SOURCE
#include "output/file_impl.h"
#include "output/lock_impl.h"
#include "output/output.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 40 /* of 50 ms: another run may have made the file and not yet filled it */

struct RhxLock_s {
  char path[PETSC_MAX_PATH_LEN];
  RhxLock next;
};

static RhxLock all; /* of this process */

typedef struct {
  long pid;
  unsigned long long start; /* of the process, clock ticks since the machine came up; 0: unknown */
  char host[256];
} Owner;

/* Start of a process by field 22 of its status; 0: it is not there, or not alive. */
static unsigned long long start_of(long pid)
{
  char path[64], text[1024], *at;
  unsigned long long start = 0;
  char state = 'Z';
  FILE *f;
  size_t n;

  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  if (!(f = fopen(path, "r"))) return 0;
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  if (!(at = strrchr(text, ')'))) return 0; /* the name of a program may hold anything */
  if (sscanf(at + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &state,
             &start) != 2)
    return 0;
  return state == 'Z' ? 0 : start;
}

static void myself(Owner *me)
{
  memset(me, 0, sizeof *me);
  me->pid = (long)getpid();
  me->start = start_of(me->pid);
  if (gethostname(me->host, sizeof me->host - 1)) snprintf(me->host, sizeof me->host, "unknown");
}

/* Of another host nothing can be known: such an owner is taken for alive. */
static int is_alive(const Owner *owner, const Owner *me)
{
  unsigned long long start;

  if (strcmp(owner->host, me->host)) return 1;
  if (kill((pid_t)owner->pid, 0) && errno == ESRCH) return 0;
  start = start_of(owner->pid);
  return me->start ? start && start == owner->start : 1;
}

static int read_owner(int fd, Owner *owner)
{
  char text[512];
  ssize_t n = pread(fd, text, sizeof text - 1, 0);

  memset(owner, 0, sizeof *owner);
  text[n > 0 ? n : 0] = '\0';
  return sscanf(text, "pid %ld start %llu host %255s", &owner->pid, &owner->start, owner->host) == 3;
}

static int is_at(const char *path, int fd)
{
  struct stat a, b;
  return !stat(path, &a) && !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int write_owner(int fd, const Owner *me)
{
  char text[512];
  int n = snprintf(text, sizeof text, "pid %ld\nstart %llu\nhost %s\n", me->pid, me->start, me->host);

  if (ftruncate(fd, 0)) return errno;
  return RhxWriteAt(fd, text, n, 0);
}

/* One try: 1: decided (err, or the owner in the way, or taken), 0: to be tried again. Who judges and who writes does so under
 * flock, and never removes a file that it did not make, so that two runs that find a dead owner cannot both take over. */
static int attempt(const char *path, const Owner *me, int last, Owner *owner, int *held, int *err)
{
  int mine = 1, filled, fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666), decided = 0;

  *err = *held = 0;
  if (fd < 0 && errno == EEXIST) mine = 0, fd = open(path, O_RDWR);
  if (fd < 0) {
    if (errno == ENOENT) return 0;
    *err = errno;
    return 1;
  }
  (void)flock(fd, LOCK_EX); /* where it is not supported, O_EXCL decides */
  if (is_at(path, fd)) {
    filled = read_owner(fd, owner);
    *held = filled && is_alive(owner, me);
    decided = filled || mine || last;
    if (decided && !*held && (*err = write_owner(fd, me))) (void)unlink(path);
  }
  close(fd);
  return decided;
}

PetscErrorCode RhxLockTake(const char *path, RhxLock *lock, size_t size, char *name, int *err)
{
  const struct timespec pause = {0, 50000000};
  int held = 0, decided = 0;
  Owner me, owner;

  PetscFunctionBegin;
  *lock = NULL;
  name[0] = '\0';
  myself(&me);
  for (int k = 0; k < TRIES && !decided; k++) {
    if (k) nanosleep(&pause, NULL);
    decided = attempt(path, &me, k == TRIES - 1, &owner, &held, err);
  }
  if (!decided) *err = EAGAIN;
  if (held) snprintf(name, size, "process %ld on %s", owner.pid, owner.host);
  if (held || *err) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(lock));
  PetscCall(PetscStrncpy((*lock)->path, path, sizeof(*lock)->path));
  (*lock)->next = all;
  all = *lock;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxLockRelease(RhxLock *lock)
{
  PetscFunctionBegin;
  if (!*lock) PetscFunctionReturn(PETSC_SUCCESS);
  for (RhxLock *at = &all; *at; at = &(*at)->next)
    if (*at == *lock) {
      *at = (*lock)->next;
      break;
    }
  (void)unlink((*lock)->path);
  PetscCall(PetscFree(*lock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxOutputReleaseLocks(void)
{
  for (RhxLock lock = all; lock; lock = lock->next) (void)unlink(lock->path);
}
