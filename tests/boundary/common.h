/* A mesh, form and boundary from a string of options, and checks that count failures. */
#ifndef TEST_BOUNDARY_COMMON_H
#define TEST_BOUNDARY_COMMON_H
#include "../common/laws.h"
#include "boundary/boundary.h"
#include "mesh/impl.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <petscdmplex.h>
#include <stdarg.h>

typedef struct {
  RhxMesh mesh;
  RhxForm form;
  RhxSpace space;
  RhxBoundary bc;
  PetscScalar *x; /* [nlocal][bs] */
} Setup;

static int failures;

__attribute__((format(printf, 2, 3), unused)) static void expect(int ok, const char *format, ...)
{
  va_list args;
  if (ok) return;
  failures++;
  va_start(args, format);
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

__attribute__((unused)) static int near(double got, double want, double tolerance)
{
  return PetscAbsReal(got - want) <= tolerance;
}

static PetscErrorCode test_begin(int *argc, char ***argv)
{
  PetscFunctionBegin;
  PetscCall(PetscInitialize(argc, argv, NULL, NULL));
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(RhxFormRegisterOptions());
  PetscCall(RhxBoundaryRegisterOptions());
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int test_end(void)
{
  int all;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  if (PetscOptionsInsertString(NULL, "-malloc_dump")) return 1; /* a leak's report fails the test in ctest */
  if (RhxPluginsUnload() || PetscFinalize()) return 1;
  return all != 0;
}

/* Moves the mesh's vertices before the space is made. */
typedef void (*move_fn)(PetscInt dim, PetscScalar *x);

static PetscErrorCode move_mesh(RhxMesh mesh, move_fn move)
{
  DM dm;
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(mesh, &dm));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &start, &end));
  for (PetscInt v = 0; v < end - start; v++) move(mesh->dim, mesh->x + v * mesh->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The boundary is created and read, not set up. */
__attribute__((unused)) static PetscErrorCode setup_create(const char *options, move_fn move, Setup *s)
{
  PetscInt dim;
  RhxFields fields;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, TEST_LAW_PARAMETERS));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &s->mesh));
  PetscCall(RhxMeshSetFromOptions(s->mesh));
  PetscCall(RhxMeshSetUp(s->mesh));
  if (move) PetscCall(move_mesh(s->mesh, move));
  PetscCall(RhxFormCreate(PETSC_COMM_WORLD, &s->form));
  PetscCall(RhxFormSetFromOptions(s->form));
  PetscCall(RhxMeshGetDimension(s->mesh, &dim));
  PetscCall(RhxFormCreateFields(s->form, dim, &fields));
  PetscCall(RhxSpaceCreate(s->mesh, &fields, &s->space));
  PetscCall(RhxFormSetUp(s->form, s->space));
  PetscCall(RhxBoundaryCreate(s->form, &s->bc));
  PetscCall(RhxBoundarySetFromOptions(s->bc));
  PetscCall(PetscMalloc1(s->space->nlocal * s->space->bs, &s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

__attribute__((unused)) static PetscErrorCode setup_destroy(Setup *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->x));
  PetscCall(RhxBoundaryDestroy(&s->bc));
  PetscCall(RhxFormDestroy(&s->form));
  PetscCall(RhxSpaceDestroy(&s->space));
  PetscCall(RhxMeshDestroy(&s->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define UNTOUCHED 7.25 /* value of what no condition gives */

/* The state filled with UNTOUCHED, then every condition at time t imposed. */
__attribute__((unused)) static PetscErrorCode impose(Setup *s, double t)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->space->nowned * s->space->bs; i++) s->x[i] = UNTOUCHED;
  PetscCall(RhxBoundarySetTime(s->bc, t));
  PetscCall(RhxBoundaryImpose(s->bc, RHX_BC_ALL, s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

__attribute__((unused)) static PetscErrorCode setup_imposed(const char *options, move_fn move, double t, Setup *s)
{
  PetscFunctionBegin;
  PetscCall(setup_create(options, move, s));
  PetscCall(RhxBoundarySetUp(s->bc));
  PetscCall(impose(s, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
