/* <folder>/<name>_effective.yaml: every option of this run with its value; `rheoplex run` takes it as it stands. */
#define _POSIX_C_SOURCE 200809L
#include "case/impl.h"
#include <errno.h>
#include <rheoplex/config.h>

/* A value in single quotes, as YAML keeps any text. */
static void write_quoted(FILE *f, const char *value)
{
  fputc('\'', f);
  for (const char *c = value; *c; c++) {
    if (*c == '\'') fputc('\'', f);
    fputc(*c == '\n' ? ' ' : *c, f);
  }
  fputs("'\n", f);
}

static PetscErrorCode write_tables(FILE *f)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const char *name, *value;
    PetscBool set;

    PetscCall(RhxOptionsReadGet(i, &name, &value, &set));
    if (!set && (!value[0] || !strncmp(name, "bc_", 3))) continue; /* a condition takes the options of its type alone */
    fprintf(f, "%s: ", name);
    write_quoted(f, value);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode in_tables(const char *name, PetscBool *known)
{
  PetscInt n;

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  PetscCall(RhxOptionsReadCount(&n));
  for (PetscInt i = 0; i < n && !*known; i++) {
    const char *other, *value;
    PetscBool set;

    PetscCall(RhxOptionsReadGet(i, &other, &value, &set));
    PetscCall(PetscStrcasecmp(name, other, known));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own options that the user set, such as those of a linear solver. */
static PetscErrorCode write_petsc(FILE *f)
{
  PetscViewer viewer;
  FILE *memory;
  char *text = NULL, *line, *next;
  size_t size = 0;

  PetscFunctionBegin;
  memory = open_memstream(&text, &size);
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory to list the options");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, memory, &viewer));
  PetscCall(PetscOptionsView(NULL, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(memory);
  for (line = text; line && *line; line = next) {
    char *name = line + 1, *value, *source;
    PetscBool known;

    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    if (line[0] != '-') continue;
    source = strstr(line, " # (source:");
    if (source) *source = '\0';
    value = strchr(name, ' ');
    if (value) *value++ = '\0';
    PetscCall(in_tables(name, &known));
    if (known) continue;
    fprintf(f, "%s: ", name);
    write_quoted(f, value ? value : "");
  }
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWriteEffective(RhxCase rc)
{
  char file[PETSC_MAX_PATH_LEN];
  int failed = 0;

  PetscFunctionBegin;
  PetscCall(RhxCasePath_Private(rc, "_effective.yaml", sizeof(file), file));
  if (rc->rank == 0) {
    FILE *f = fopen(file, "w");

    if (!f)
      failed = errno;
    else {
      fprintf(f, "# Options of the run '%s' by Rheoplex %s: what was set and every default that was used.\n",
              rc->option.name, RHX_VERSION);
      PetscCall(write_tables(f));
      PetscCall(write_petsc(f));
      if (ferror(f) | fclose(f)) failed = EIO;
    }
  }
  PetscCallMPI(MPI_Bcast(&failed, 1, MPI_INT, 0, rc->comm));
  PetscCheck(!failed, rc->comm, PETSC_ERR_FILE_WRITE, "cannot write %s: %s (-output_folder)", file, strerror(failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
