#include "plugin/doing.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEAST 0.01 /* s between two lines */

static struct {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ends;
  const char *what;
  char now[256];
  double seconds;
  int depth, runs, watches, over;
} doing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double clock_seconds(void)
{
  struct timespec t;

  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* By write: the lock of stdio may be held by who has forked. */
static void tell(double since)
{
  char line[512];
  const int n = snprintf(line, sizeof(line), "%s: %s (%.3g s)\n", doing.what, doing.now, clock_seconds() - since);

  if (doing.now[0] && n > 0) (void)!write(STDOUT_FILENO, line, (size_t)n);
}

static void *watch(void *arg)
{
  const double since = clock_seconds();

  (void)arg;
  pthread_mutex_lock(&doing.lock);
  doing.watches = 1;
  (void)pthread_cond_signal(&doing.ends);
  for (double due = since + doing.seconds; !doing.over; due = clock_seconds() + doing.seconds) {
    const struct timespec until = {.tv_sec = (time_t)due, .tv_nsec = (long)(1e9 * (due - (double)(time_t)due))};

    while (!doing.over && clock_seconds() < due) (void)pthread_cond_timedwait(&doing.ends, &doing.lock, &until);
    if (!doing.over) tell(since);
  }
  pthread_mutex_unlock(&doing.lock);
  return NULL;
}

void RhxDoingBegin(const char *what, double seconds)
{
  pthread_condattr_t monotonic;
  sigset_t all, before;

  if (doing.depth++ || !(seconds > 0)) return;
  (void)pthread_condattr_init(&monotonic);
  (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&doing.ends, &monotonic);
  (void)pthread_condattr_destroy(&monotonic);
  doing.what = what;
  doing.seconds = seconds > LEAST ? seconds : LEAST;
  doing.now[0] = '\0';
  doing.watches = doing.over = 0;
  (void)sigfillset(&all); /* they are the run's */
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  doing.runs = !pthread_create(&doing.thread, NULL, watch, NULL);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!doing.runs) return;
  pthread_mutex_lock(&doing.lock); /* a fork meets no thread that is being made, which may hold the allocator */
  while (!doing.watches) (void)pthread_cond_wait(&doing.ends, &doing.lock);
  pthread_mutex_unlock(&doing.lock);
}

void RhxDoing(const char *format, ...)
{
  va_list args;

  if (!doing.runs) return;
  va_start(args, format);
  pthread_mutex_lock(&doing.lock);
  (void)vsnprintf(doing.now, sizeof(doing.now), format, args);
  pthread_mutex_unlock(&doing.lock);
  va_end(args);
}

void RhxDoingEnd(void)
{
  if (--doing.depth || !doing.runs) return;
  pthread_mutex_lock(&doing.lock);
  doing.over = 1;
  (void)pthread_cond_signal(&doing.ends);
  pthread_mutex_unlock(&doing.lock);
  (void)pthread_join(doing.thread, NULL);
  (void)pthread_cond_destroy(&doing.ends);
  doing.runs = 0;
}
