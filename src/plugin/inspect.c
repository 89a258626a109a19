/* Files of plugins before they are opened: see inspect_impl.h. */
#define _GNU_SOURCE
#include "plugin/inspect_impl.h"
#include "plugin/needs.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOADED 42   /* exit code of load-plugin */
#define PATIENCE 10 /* s, for a child that does not end */

extern char **environ;

/* ---- Size ---- */

/* Bytes that the header and the tables that it names need; 0: no ELF header, ULLONG_MAX: the tables are cut off. */
static unsigned long long bytes_needed(FILE *f, unsigned long long size)
{
  ElfW(Ehdr) head;
  ElfW(Phdr) segment;
  unsigned long long need;
  if (fread(&head, sizeof(head), 1, f) != 1) return size >= SELFMAG ? ULLONG_MAX : 0;
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phentsize != sizeof(segment)) return 0;
  need = head.e_shoff ? head.e_shoff + (unsigned long long)head.e_shnum * head.e_shentsize : sizeof(head);
  if (fseek(f, (long)head.e_phoff, SEEK_SET)) return ULLONG_MAX;
  for (int k = 0; k < head.e_phnum; k++) {
    if (fread(&segment, sizeof(segment), 1, f) != 1) return ULLONG_MAX;
    if (segment.p_offset + segment.p_filesz > need) need = segment.p_offset + segment.p_filesz;
  }
  return need;
}

static void check_size(const char *file, size_t size, char *message)
{
  struct stat info;
  unsigned long long need, have;
  FILE *f = fopen(file, "rb");
  if (!f || fstat(fileno(f), &info) || !S_ISREG(info.st_mode)) {
    snprintf(message, size, "Plugin %.1000s cannot be opened: got no readable file, expected a shared object", file);
    if (f) fclose(f);
    return;
  }
  have = (unsigned long long)info.st_size;
  need = bytes_needed(f, have);
  fclose(f);
  if (!need)
    snprintf(message, size,
             "Plugin %.1000s cannot be opened: got %llu bytes without an ELF header, expected a shared object", file,
             have);
  else if (need == ULLONG_MAX)
    snprintf(message, size, "Plugin %.1000s is cut short: got %llu bytes, expected the tables of its ELF header", file,
             have);
  else if (have < need)
    snprintf(message, size, "Plugin %.1000s is cut short: got %llu bytes, expected %llu by its ELF header", file, have,
             need);
}

/* ---- A child that opens it ---- */

/* <folder of the library>/<place>, as the file system has it; 0 or -1. */
static int beside_library(const char *place, char path[PATH_MAX])
{
  char name[2 * PATH_MAX];
  Dl_info info;
  const char *slash;
  if (!dladdr((void *)(size_t)RhxPluginInspect, &info) || !info.dli_fname) return -1;
  slash = strrchr(info.dli_fname, '/');
  snprintf(name, sizeof(name), "%.*s/%s", slash ? (int)(slash - info.dli_fname) : 1, slash ? info.dli_fname : ".",
           place);
  return realpath(name, path) ? 0 : -1;
}

static int is_own(const char *file)
{
  static const char *const place[] = {"rheoplex/plugins", "../lib/rheoplex/plugins"};
  char folder[PATH_MAX];
  for (int k = 0; k < 2; k++)
    if (!beside_library(place[k], folder)) {
      const size_t n = strlen(folder);
      return !strncmp(file, folder, n) && file[n] == '/';
    }
  return 0;
}

/* Status of the child when it has ended, -1 after PATIENCE seconds. */
static int wait_for(pid_t child)
{
  const struct timespec pause = {0, 200000};
  int status;
  for (long k = 0; k < PATIENCE * 5000L; k++) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    nanosleep(&pause, NULL);
  }
  kill(child, SIGKILL);
  (void)waitpid(child, &status, 0);
  return -1;
}

static void check_in_child(const char *file, size_t size, char *message)
{
  char program[PATH_MAX];
  char *arguments[] = {program, (char *)file, NULL};
  posix_spawn_file_actions_t quiet;
  pid_t child;
  int status, failed;
  if (beside_library("rheoplex/load-plugin", program) && beside_library("../lib/rheoplex/load-plugin", program)) return;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  failed = posix_spawn(&child, program, &quiet, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (failed) return; /* the process itself will see */
  status = wait_for(child);
  if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == LOADED) return;
  if (status < 0)
    snprintf(message, size,
             "Plugin %.1000s cannot be used: got no answer in %d s when it was loaded, expected rhx_plugin()", file,
             PATIENCE);
  else if (WIFSIGNALED(status))
    snprintf(message, size,
             "Plugin %.1000s cannot be used: got signal %d (%s) when it was loaded, expected rhx_plugin()", file,
             WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    snprintf(message, size,
             "Plugin %.1000s cannot be used: got an exit (code %d) when it was loaded, expected rhx_plugin()", file,
             WEXITSTATUS(status));
}

void RhxPluginInspect(const char *file, size_t size, char *message)
{
  message[0] = 0;
  check_size(file, size, message);
  if (!message[0] && !is_own(file)) check_in_child(file, size, message);
}

/* ---- Parameters ---- */

void RhxPluginCheckRows(const char *file, const RhxPlugin *p, size_t size, char *message)
{
  const char *core = p->kind == RHX_POLYMERIC ? "modes" : p->kind == RHX_STABILISER ? "parts" : "";
  const char *kind = p->kind == RHX_STABILISER ? "stabiliser" : "physics";
  for (int r = 0; r < p->nrows; r++) {
    const RhxRow *row = &p->rows[r];
    int first = 0;
    if (!row->name || !row->name[0]) {
      snprintf(message, size, "Plugin %.1000s cannot be used: its parameter %d has no name", file, r);
      return;
    }
    while (strcmp(p->rows[first].name, row->name)) first++;
    if (!strcmp(row->name, core) || first < r) {
      snprintf(message, size,
               "Plugin %.1000s cannot be used: got a parameter '%.100s', whose option -%s_%.100s_%.100s %s, expected "
               "another name",
               file, row->name, kind, p->name, row->name, first < r ? "is there twice" : "is core's own");
      return;
    }
    if (row->offset + RhxRowSize(row) > p->param_size) {
      snprintf(message, size,
               "Plugin %.1000s cannot be used: the slot of its parameter '%.100s' ends at byte %lu, expected at most "
               "%lu (param_size)",
               file, row->name, row->offset + RhxRowSize(row), p->param_size);
      return;
    }
  }
}
