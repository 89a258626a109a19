#include "output/file_list_impl.h"
#include "output/impl.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 6 /* form of a character that is escaped */

struct _p_RhxFileList {
  RhxOutput output;
  const RhxFileListFormat *format; /* borrowed, as ending */
  const char *ending;              /* of the list */
  char stem[512];
  PetscInt n, capacity; /* rank 0: entries */
  PetscInt *step;
  double *t;
};

PetscErrorCode RhxFileListCreate(RhxOutput output, const char *stem, const char *ending,
                                 const RhxFileListFormat *format, RhxFileList *list)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(list));
  (*list)->output = output;
  (*list)->format = format;
  (*list)->ending = ending;
  PetscCall(PetscStrncpy((*list)->stem, stem, sizeof(*list)->stem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFileListDestroy(RhxFileList *list)
{
  PetscFunctionBegin;
  if (!*list) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*list)->step));
  PetscCall(PetscFree((*list)->t));
  PetscCall(PetscFree(*list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFileListGetFile(RhxFileList list, PetscInt step, size_t size, char *path)
{
  char suffix[544];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, sizeof suffix, "%s_%06d%s", list->stem, (int)step, list->format->file));
  PetscCall(RhxOutputGetPath(list->output, suffix, size, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode add(RhxFileList list, PetscInt step, double t)
{
  PetscFunctionBegin;
  if (list->n == list->capacity) {
    list->capacity = 2 * list->capacity + 16;
    PetscCall(PetscRealloc(list->capacity * sizeof *list->step, &list->step));
    PetscCall(PetscRealloc(list->capacity * sizeof *list->t, &list->t));
  }
  list->step[list->n] = step;
  list->t[list->n++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode make_text(RhxFileList list, RhxText *text)
{
  const RhxFileListFormat *format = list->format;
  char name[LONGEST * (sizeof list->output->name + sizeof list->stem)],
      plain[sizeof list->output->name + sizeof list->stem];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(plain, sizeof plain, "%s%s", list->output->name, list->stem));
  format->escape(plain, sizeof name, name);
  PetscCall(RhxTextAppend(text, "%s", format->head));
  for (PetscInt i = 0; i < list->n; i++) {
    if (i) PetscCall(RhxTextAppend(text, "%s", format->between));
    PetscCall(format->entry(text, name, (int)list->step[i], list->t[i]));
  }
  PetscCall(RhxTextAppend(text, "%s", format->tail));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_suffix(RhxFileList list, size_t size, char *suffix)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, size, "%s%s", list->stem, list->ending));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFileListAdd(RhxFileList list, PetscInt step, double t, char problem[RHX_MESSAGE])
{
  RhxText text = {0};
  char suffix[544];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(list->output->comm, &rank));
  if (!rank) {
    PetscCall(add(list, step, t));
    PetscCall(make_text(list, &text));
  }
  PetscCall(list_suffix(list, sizeof suffix, suffix));
  PetscCall(RhxOutputWriteText(list->output, "list of fields", suffix, text.s, text.n, problem));
  PetscCall(PetscFree(text.s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: the entry of a line, if it is one up to this step. */
static PetscErrorCode take_line(RhxFileList list, const char *line, PetscInt step)
{
  const char *end = strstr(line, list->format->file), *at, *when = strstr(line, list->format->time);
  double t;

  PetscFunctionBegin;
  while (end && end[strlen(list->format->file)] != '"') end = strstr(end + 1, list->format->file);
  if (!end || !when || sscanf(when + strlen(list->format->time), "%lf", &t) != 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (at = end; at > line && at[-1] != '_';) at--;
  if (atol(at) <= step) PetscCall(add(list, (PetscInt)atol(at), t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFileListRestart(RhxFileList list, PetscInt step, PetscInt *last)
{
  char file[PETSC_MAX_PATH_LEN], suffix[544], line[2 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  FILE *f;

  PetscFunctionBegin;
  *last = -1;
  PetscCallMPI(MPI_Comm_rank(list->output->comm, &rank));
  PetscCall(list_suffix(list, sizeof suffix, suffix));
  PetscCall(RhxOutputGetPath(list->output, suffix, sizeof file, file));
  if (!rank && (f = fopen(file, "r"))) {
    list->n = 0;
    while (fgets(line, sizeof line, f)) PetscCall(take_line(list, line, step));
    fclose(f);
  }
  if (!rank && list->n) *last = list->step[list->n - 1];
  PetscCallMPI(MPI_Bcast(last, 1, MPIU_INT, 0, list->output->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
