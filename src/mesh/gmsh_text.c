/* Reading a Gmsh file: sections and numbers, each failure one sentence with the place in the file. */
#include "mesh/gmsh_impl.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

PetscErrorCode RhxGmshLoad(RhxGmsh *g, const char *file)
{
  struct stat st;
  FILE *f;
  size_t n;

  PetscFunctionBegin;
  g->file = file;
  PetscCheck(stat(file, &st) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "cannot read the mesh file '%s' (%s): expected a Gmsh or HDF5 file, option -mesh_file", file,
             strerror(errno));
  PetscCheck(S_ISREG(st.st_mode), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "'%s' is not a file: expected a Gmsh or HDF5 file, option -mesh_file", file);
  f = fopen(file, "rb");
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot read the mesh file '%s' (%s), option -mesh_file", file,
             strerror(errno));
  PetscCall(PetscMalloc1(st.st_size + 1, &g->buffer));
  n = fread(g->buffer, 1, (size_t)st.st_size, f);
  (void)fclose(f);
  g->size = n;
  g->buffer[n] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshError(RhxGmsh *g, const char *expected)
{
  const char *p = g->buffer + g->at;

  PetscFunctionBegin;
  while (g->at < g->size && !g->binary && isspace((unsigned char)*p)) p++, g->at++;
  if (g->at >= g->size)
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
            "mesh file '%s' is truncated: it ends in section $%s at byte %zu, expected %s", g->file, g->section,
            g->size, expected);
  if (g->binary)
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
            "mesh file '%s' is damaged at byte %zu in section $%s: expected %s", g->file, g->at, g->section, expected);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
          "mesh file '%s' is damaged at byte %zu in section $%s: got '%.*s', expected %s", g->file, g->at, g->section,
          (int)PetscMin(strcspn(p, " \t\r\n"), 30), p, expected);
}

static void skip_space(RhxGmsh *g)
{
  while (g->at < g->size && isspace((unsigned char)g->buffer[g->at])) g->at++;
}

void RhxGmshEndLine(RhxGmsh *g)
{
  while (g->at < g->size && g->buffer[g->at] != '\n') g->at++;
  if (g->at < g->size) g->at++;
}

PetscErrorCode RhxGmshNextSection(RhxGmsh *g, PetscBool *found)
{
  size_t n;

  PetscFunctionBegin;
  skip_space(g);
  *found = (PetscBool)(g->at < g->size);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  n = strcspn(g->buffer + g->at, " \t\r\n");
  PetscCheck(g->buffer[g->at] == '$' && n > 1 && n < sizeof(g->section), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged at byte %zu: got '%.*s', expected the name of a section such as $Nodes",
             g->file, g->at, (int)PetscMin(n, 30), g->buffer + g->at);
  PetscCall(PetscStrncpy(g->section, g->buffer + g->at + 1, n));
  g->at += n;
  RhxGmshEndLine(g);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshEndSection(RhxGmsh *g)
{
  char end[80];
  size_t n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(end, sizeof(end), "$End%s", g->section));
  n = strlen(end);
  skip_space(g);
  if (strncmp(g->buffer + g->at, end, n)) {
    if (g->size - g->at < n && !strncmp(g->buffer + g->at, end, g->size - g->at)) g->at = g->size;
    PetscCall(RhxGmshError(g, end));
  }
  g->at += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshSkipSection(RhxGmsh *g)
{
  char end[80];
  size_t n;
  const char *p;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(end, sizeof(end), "$End%s", g->section));
  n = strlen(end);
  for (p = g->buffer + g->at; p; p++) {
    p = memchr(p, '$', g->size - (size_t)(p - g->buffer));
    if (!p || !strncmp(p, end, n)) break;
  }
  g->at = p ? (size_t)(p - g->buffer) : g->size;
  PetscCall(RhxGmshEndSection(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode to_petsc_int(RhxGmsh *g, const char *what, long long v, PetscInt *out)
{
  PetscFunctionBegin;
  if (v > PETSC_MAX_INT || v < -(long long)PETSC_MAX_INT) PetscCall(RhxGmshError(g, what));
  *out = (PetscInt)v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshTextInt(RhxGmsh *g, const char *what, PetscInt *v)
{
  char *end;
  long long w;

  PetscFunctionBegin;
  skip_space(g);
  w = strtoll(g->buffer + g->at, &end, 10);
  if (end == g->buffer + g->at || !(isspace((unsigned char)*end) || !*end)) PetscCall(RhxGmshError(g, what));
  PetscCall(to_petsc_int(g, what, w, v));
  g->at = (size_t)(end - g->buffer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshTextReal(RhxGmsh *g, const char *what, PetscReal *v)
{
  char *end;

  PetscFunctionBegin;
  skip_space(g);
  *v = strtod(g->buffer + g->at, &end);
  if (end == g->buffer + g->at || !(isspace((unsigned char)*end) || !*end) || PetscIsInfOrNanReal(*v))
    PetscCall(RhxGmshError(g, what));
  g->at = (size_t)(end - g->buffer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode take(RhxGmsh *g, const char *what, size_t n, void *v)
{
  PetscFunctionBegin;
  if (g->size - g->at < n) {
    g->at = g->size;
    PetscCall(RhxGmshError(g, what));
  }
  memcpy(v, g->buffer + g->at, n);
  g->at += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshInt(RhxGmsh *g, const char *what, PetscInt *v)
{
  int w = 0;

  PetscFunctionBegin;
  if (g->binary) {
    PetscCall(take(g, what, sizeof(w), &w));
    PetscCall(to_petsc_int(g, what, w, v));
  } else
    PetscCall(RhxGmshTextInt(g, what, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshSize(RhxGmsh *g, const char *what, PetscInt *v)
{
  unsigned long long w = 0;

  PetscFunctionBegin;
  if (g->binary) {
    PetscCall(take(g, what, sizeof(w), &w));
    PetscCall(to_petsc_int(g, what, w > PETSC_MAX_INT ? (long long)PETSC_MAX_INT + 1 : (long long)w, v));
  } else
    PetscCall(RhxGmshTextInt(g, what, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshReal(RhxGmsh *g, const char *what, PetscReal *v)
{
  PetscFunctionBegin;
  if (g->binary) {
    PetscCall(take(g, what, sizeof(*v), v));
    if (PetscIsInfOrNanReal(*v)) PetscCall(RhxGmshError(g, what));
  } else
    PetscCall(RhxGmshTextReal(g, what, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshCheckCount(RhxGmsh *g, const char *what, PetscInt n, size_t bytes)
{
  PetscFunctionBegin;
  PetscCheck(n >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: section $%s says %" PetscInt_FMT " %s", g->file, g->section, n, what);
  PetscCheck((size_t)n <= (g->size - g->at) / bytes, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is truncated: section $%s says %" PetscInt_FMT
             " %s, but only %zu bytes follow, expected at least %zu",
             g->file, g->section, n, what, g->size - g->at, (size_t)n * bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxGmshNode(RhxGmsh *g, PetscInt tag, PetscInt *k)
{
  const PetscInt64 guess = g->nnodes ? (PetscInt64)tag - g->tag[0] : 0;

  PetscFunctionBegin;
  if (guess >= 0 && guess < g->nnodes && g->tag[guess] == tag)
    *k = (PetscInt)guess;
  else
    PetscCall(PetscFindInt(tag, g->nnodes, g->tag, k));
  PetscCheck(*k >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "mesh file '%s' is damaged: section $%s uses node %" PetscInt_FMT ", which is not in $Nodes", g->file,
             g->section, tag);
  if (g->position) *k = g->position[*k];
  PetscFunctionReturn(PETSC_SUCCESS);
}
