/* SIGTERM, SIGINT and SIGUSR1 ask a run to finish its step and to save; a second signal has its usual effect. */
#define _POSIX_C_SOURCE 200809L
#include "case/impl.h"
#include <signal.h>
#include <string.h>
#include <time.h>

static const int caught[] = {SIGTERM, SIGINT, SIGUSR1};
static struct sigaction before[3];
static volatile sig_atomic_t received = 0, seen[3];
static struct timespec came; /* before `received` is set */

static void on_signal(int number)
{
  for (int i = 0; i < 3; i++) {
    if (caught[i] != number) continue;
    if (seen[i]) {
      RhxOutputReleaseLocks();
      signal(number, SIG_DFL);
      raise(number); /* when this handler has returned */
    }
    seen[i] = 1;
  }
  if (!received) clock_gettime(CLOCK_MONOTONIC, &came);
  received = number;
}

void RhxSignalsInstall(void)
{
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  received = 0;
  for (int i = 0; i < 3; i++) {
    seen[i] = 0;
    sigaction(caught[i], &action, &before[i]);
  }
}

void RhxSignalsRestore(void)
{
  for (int i = 0; i < 3; i++) sigaction(caught[i], &before[i], NULL);
}

double RhxSignalWaited(void)
{
  struct timespec now;

  if (!received) return -1.0;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - came.tv_sec) + 1e-9 * (double)(now.tv_nsec - came.tv_nsec);
}

int RhxSignalReceived(void) { return (int)received; }
