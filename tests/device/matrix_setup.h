/* A form on a box and a state of it, for tests and benchmarks of matrices. */
#ifndef TEST_DEVICE_MATRIX_SETUP_H
#define TEST_DEVICE_MATRIX_SETUP_H
#include "../common/laws.h"
#include "case/mpi_impl.h"
#include "common.h"
#include "form/cuda/matrix.h"
#include "plugin/registry.h"

typedef struct {
  RhxMesh mesh;
  RhxSpace space;
  RhxForm form;
  PetscScalar *x, *xdot, *aux;
} Setup;

static MPI_Comm setup_comm; /* of the setups to come */

static PetscErrorCode setup_begin(int *argc, char ***argv)
{
  PetscFunctionBegin;
  RhxMpiBeforePetsc();
  PetscCall(PetscInitialize(argc, argv, NULL, NULL));
  PetscCall(RhxMpiAfterOptions());
  setup_comm = PETSC_COMM_WORLD;
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(RhxFormRegisterOptions());
  PetscCall(RhxDeviceRegisterOptions());
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int setup_end(void)
{
  if (RhxPluginsUnload() || PetscFinalize()) return 1;
  return failures != 0;
}

static PetscErrorCode setup_create(const char *options, Setup *s)
{
  PetscInt dim;
  RhxFields fields;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, TEST_LAW_PARAMETERS));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RhxMeshCreate(setup_comm, &s->mesh));
  PetscCall(RhxMeshSetFromOptions(s->mesh));
  PetscCall(RhxMeshSetUp(s->mesh));
  PetscCall(RhxFormCreate(setup_comm, &s->form));
  PetscCall(RhxFormSetFromOptions(s->form));
  PetscCall(RhxMeshGetDimension(s->mesh, &dim));
  PetscCall(RhxFormCreateFields(s->form, dim, &fields));
  PetscCall(RhxSpaceCreate(s->mesh, &fields, &s->space));
  PetscCall(RhxFormSetUp(s->form, s->space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup_destroy(Setup *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(s->x, s->xdot, s->aux));
  PetscCall(RhxFormDestroy(&s->form));
  PetscCall(RhxSpaceDestroy(&s->space));
  PetscCall(RhxMeshDestroy(&s->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neither zero nor at rest, conformations positive definite; projections of that state. */
__attribute__((unused)) static PetscErrorCode setup_state(Setup *s, double dt)
{
  const RhxSpace sp = s->space;
  const PetscInt bs = sp->bs;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(sp->nlocal * bs, &s->x, sp->nlocal * bs, &s->xdot, sp->nlocal * PetscMax(1, s->form->naux),
                         &s->aux));
  for (PetscInt i = 0; i < sp->nlocal; i++) {
    double phase = 0.3;
    for (PetscInt d = 0; d < sp->dim; d++) phase += (2.0 + d) * sp->x[i * sp->dim + d];
    for (PetscInt m = 0; m < sp->nmodes; m++)
      PetscCall(RhxFormRest(s->form, m, s->x + i * bs + RhxFieldsGet(sp->fields, RHX_GROUP_MODES, m)->offset));
    for (PetscInt c = 0; c < bs; c++) {
      s->x[i * bs + c] += 0.2 * PetscSinReal(phase * (1.0 + 0.3 * c) + c);
      s->xdot[i * bs + c] = 0.5 * PetscCosReal(phase * (1.0 + 0.2 * c));
    }
  }
  PetscCall(RhxFormProject(s->form, 0.0, dt, s->x, s->aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

__attribute__((unused)) static PetscErrorCode to_device(RhxDevice device, const void *host, size_t n, void **ptr)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceMalloc(device, sizeof(double) * n, "an array of the test", ptr));
  if (n) PetscCall(RhxDeviceCopy(device, *ptr, host, sizeof(double) * n, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
