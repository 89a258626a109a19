#include "output/pvd.h"
#include "output/impl.h"
#include "output/text.h"
#include "output/xml.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _p_RhxPvd {
  RhxOutput output;
  char stem[512];
  PetscInt n, capacity; /* rank 0: entries */
  PetscInt *step;
  double *t;
};

PetscErrorCode RhxPvdCreate(RhxOutput output, const char *stem, RhxPvd *pvd)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(pvd));
  (*pvd)->output = output;
  PetscCall(PetscStrncpy((*pvd)->stem, stem, sizeof(*pvd)->stem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPvdDestroy(RhxPvd *pvd)
{
  PetscFunctionBegin;
  if (!*pvd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*pvd)->step));
  PetscCall(PetscFree((*pvd)->t));
  PetscCall(PetscFree(*pvd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPvdGetFile(RhxPvd pvd, PetscInt step, size_t size, char *path)
{
  char suffix[544];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, sizeof suffix, "%s_%06d.vtu", pvd->stem, (int)step));
  PetscCall(RhxOutputGetPath(pvd->output, suffix, size, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode add(RhxPvd pvd, PetscInt step, double t)
{
  PetscFunctionBegin;
  if (pvd->n == pvd->capacity) {
    pvd->capacity = 2 * pvd->capacity + 16;
    PetscCall(PetscRealloc(pvd->capacity * sizeof *pvd->step, &pvd->step));
    PetscCall(PetscRealloc(pvd->capacity * sizeof *pvd->t, &pvd->t));
  }
  pvd->step[pvd->n] = step;
  pvd->t[pvd->n++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0. */
static PetscErrorCode make_text(RhxPvd pvd, RhxText *text)
{
  char name[RHX_XML_LENGTH * (sizeof pvd->output->name + sizeof pvd->stem)],
      plain[sizeof pvd->output->name + sizeof pvd->stem];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(plain, sizeof plain, "%s%s", pvd->output->name, pvd->stem));
  RhxXmlEscape(plain, sizeof name, name);
  PetscCall(
      RhxTextAppend(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"));
  for (PetscInt i = 0; i < pvd->n; i++)
    PetscCall(RhxTextAppend(text, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s_%06d.vtu\"/>\n", pvd->t[i], name,
                            (int)pvd->step[i]));
  PetscCall(RhxTextAppend(text, "</Collection>\n</VTKFile>\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPvdAdd(RhxPvd pvd, PetscInt step, double t, char problem[RHX_MESSAGE])
{
  RhxText text = {0};
  char suffix[544];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(pvd->output->comm, &rank));
  if (!rank) {
    PetscCall(add(pvd, step, t));
    PetscCall(make_text(pvd, &text));
  }
  PetscCall(PetscSNPrintf(suffix, sizeof suffix, "%s.pvd", pvd->stem));
  PetscCall(RhxOutputWriteText(pvd->output, "list of fields", suffix, text.s, text.n, problem));
  PetscCall(PetscFree(text.s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPvdRestart(RhxPvd pvd, PetscInt step, PetscInt *last)
{
  char file[PETSC_MAX_PATH_LEN], suffix[544], line[2 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  FILE *f;

  PetscFunctionBegin;
  *last = -1;
  PetscCallMPI(MPI_Comm_rank(pvd->output->comm, &rank));
  PetscCall(PetscSNPrintf(suffix, sizeof suffix, "%s.pvd", pvd->stem));
  PetscCall(RhxOutputGetPath(pvd->output, suffix, sizeof file, file));
  if (!rank && (f = fopen(file, "r"))) {
    pvd->n = 0;
    while (fgets(line, sizeof line, f)) {
      char *end = strstr(line, ".vtu\""), *at = end;
      double when;
      if (!end || sscanf(line, "<DataSet timestep=\"%lf\"", &when) != 1) continue;
      while (at > line && at[-1] != '_') at--;
      if (atol(at) <= step) PetscCall(add(pvd, (PetscInt)atol(at), when));
    }
    fclose(f);
  }
  if (!rank && pvd->n) *last = pvd->step[pvd->n - 1];
  PetscCallMPI(MPI_Bcast(last, 1, MPIU_INT, 0, pvd->output->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
