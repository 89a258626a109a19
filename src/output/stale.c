/* Files of an earlier run of the case that this run's outputs would write: they go, like rows of tables, once its first step is finished. */
#define _POSIX_C_SOURCE 200809L
#include "output/field_files_impl.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is rest of the pattern, and not from before a restart? '*' is a step as this program writes it. */
static PetscBool is_stale(RhxOutput o, const char *rest, const char *pattern)
{
  const char *star = strchr(pattern, '*');
  char step[32];
  size_t n;

  if (!RhxOutputFits(rest, pattern)) return PETSC_FALSE;
  if (!star) return (PetscBool)(o->first_step < 0);
  rest += star - pattern;
  n = (size_t)snprintf(step, sizeof step, "%06ld", atol(rest));
  return (PetscBool)(!strncmp(rest, step, n) && strspn(rest, "0123456789") == n && atol(rest) > o->first_step);
}

/* Rank 0: of a file of the folder. */
static PetscBool goes(RhxOutput o, const char *file)
{
  const RhxFieldFormat *format;
  const size_t n = strlen(o->name);
  char pattern[64];

  if (strncmp(file, o->name, n)) return PETSC_FALSE;
  for (PetscInt k = 0; k < o->nheld; k++)
    if (!strcmp(strrchr(o->held[k][1], '/') + 1, file)) return PETSC_FALSE;
  for (PetscInt k = 0; k < o->nresults; k++)
    if (is_stale(o, file + n, o->result[k][0])) return PETSC_TRUE;
  for (int k = 0; RhxFieldFormatAsked(o, k, &format); k++) {
    if (!format) continue;
    snprintf(pattern, sizeof pattern, "_*%s", format->names->file);
    if (is_stale(o, file + n, pattern) || is_stale(o, file + n, format->type->list)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

int RhxOutputDropStale(RhxOutput o, char path[PETSC_MAX_PATH_LEN])
{
  const struct dirent *entry;
  struct stat is;
  DIR *folder = opendir(o->folder);
  int err = folder ? 0 : errno;

  while (!err && (entry = readdir(folder))) {
    if (!goes(o, entry->d_name)) continue;
    snprintf(path, PETSC_MAX_PATH_LEN, "%.3800s/%.255s", o->folder, entry->d_name);
    if (lstat(path, &is) || !S_ISREG(is.st_mode)) continue; /* none of this program's, or gone */
    if (unlink(path) && errno != ENOENT) err = errno;
  }
  if (folder) closedir(folder);
  return err;
}
