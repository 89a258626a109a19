/* device_fetch <copies> [-options of a case with an outlet `right`]: what a device sends of listed nodes. Every third local node, ghosts too,
 * has the values of the whole state; a condition with a state costs the steps so many copies of its label's nodes and no byte more,
 * and the list travels once. Exit code 77: no device. */
#include "case/case.h"
#include "common.h"
#include "space/face.h"
#include <math.h>
#include <rheoplex/extension.h>
#include <rheoplex/rheoplex.h>

#define STEPS 4
#define TOLERANCE 1e-14 /* a pressure of the step's end is added up in two places */

const RhxExtension *rhx_extension(void); /* outside_windkessel.c */

typedef struct {
  RhxCase rc;
  TS ts;
  RhxForm form;
  double to_host; /* bytes of the run */
} Run;

static PetscErrorCode run_case(PetscInt steps, Run *run)
{
  char text[64];
  RhxCopyCount device, before, after;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "-device cuda -stop_steps %" PetscInt_FMT, steps));
  PetscCall(PetscOptionsInsertString(NULL, text));
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &run->rc));
  PetscCall(RhxCaseSetFromOptions(run->rc));
  PetscCall(RhxCaseSetUp(run->rc));
  PetscCall(RhxCaseGetForm(run->rc, &run->form));
  PetscCall(RhxCaseGetTS(run->rc, &run->ts));
  PetscCall(RhxDeviceCopyCount(&device, &before));
  PetscCall(RhxCaseRun(run->rc));
  PetscCall(RhxDeviceCopyCount(&device, &after));
  run->to_host = after.bytes - before.bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of the listed nodes' values from those of the whole state, over the field's largest value. */
static PetscErrorCode compare(const Run *run, PetscInt n, const PetscInt *node, const PetscScalar *x)
{
  const RhxSpace sp = run->form->space;
  const PetscScalar *g;
  PetscScalar *all;
  Vec state;
  PetscFunctionBegin;
  PetscCall(RhxSchemeStoreState(run->ts));
  PetscCall(TSGetSolution(run->ts, &state));
  PetscCall(PetscMalloc1(sp->nlocal * sp->bs, &all));
  PetscCall(VecGetArrayRead(state, &g));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, g, all));
  PetscCall(VecRestoreArrayRead(state, &g));
  for (PetscInt f = 0; f < sp->nfields; f++) {
    const RhxField *row = sp->field + f;
    double worst = 0.0, size = 0.0;
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt c = row->offset; c < row->offset + row->components; c++) {
        const double d = fabs(x[i * sp->bs + c] - all[node[i] * sp->bs + c]);
        if (!(d <= worst)) worst = d;
        size = fmax(size, fabs(all[node[i] * sp->bs + c]));
      }
    expect(size > 1e-3, "field '%s' is %g everywhere, expected a flow", row->name, size);
    expect(worst <= TOLERANCE * size, "field '%s' of listed nodes: got a difference of %g, expected at most %g of %g",
           row->name, worst, TOLERANCE, size);
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_values(const Run *run)
{
  const RhxSpace sp = run->form->space;
  const PetscInt n = (sp->nlocal + 2) / 3;
  RhxCopyCount to_device[3], to_host[3];
  const PetscInt *node;
  PetscScalar *x;
  IS nodes;
  PetscFunctionBegin;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, (sp->nlocal - 1) % 3, 3, &nodes));
  PetscCall(PetscMalloc1(n * sp->bs, &x));
  for (int k = 0; k < 3; k++) {
    PetscCall(RhxSchemeFetchState(run->ts, nodes, x));
    PetscCall(RhxDeviceCopyCount(&to_device[k], &to_host[k]));
  }
  expect(to_device[2].bytes == to_device[1].bytes, "%g bytes to the device for a list that it has",
         to_device[2].bytes - to_device[1].bytes);
  PetscCall(ISGetIndices(nodes, &node));
  PetscCall(compare(run, n, node, x));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(x));
  PetscCall(ISDestroy(&nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that the nodes of this rank's faces of the label are. */
static PetscErrorCode bytes_of_label(const Run *run, const char *label, double *bytes)
{
  const RhxFaces *faces;
  PetscInt n, *at;
  IS nodes;
  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(run->form->space, label, &faces));
  PetscCall(RhxFacesCreateNodes(faces, &nodes, &at));
  PetscCall(ISGetLocalSize(nodes, &n));
  *bytes = (double)(n * run->form->space->bs) * sizeof(PetscScalar);
  PetscCall(PetscFree(at));
  PetscCall(ISDestroy(&nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(int copies)
{
  Run few = {0}, many = {0};
  double bytes = 0.0, own;
  PetscMPIInt size;
  PetscFunctionBegin;
  PetscCall(run_case(STEPS, &few));
  PetscCall(RhxCaseDestroy(&few.rc));
  PetscCall(run_case(2 * STEPS, &many));
  PetscCall(check_values(&many));
  PetscCall(bytes_of_label(&many, "right", &bytes));
  own = (many.to_host - few.to_host) / STEPS;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) own -= sizeof(RhxFormStats); /* which ranks share */
  expect(own == copies * bytes, "got %g bytes to the host a step, expected %d times the label's %g", own, copies,
         bytes);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%g bytes to the host a step\n", own));
  PetscCall(RhxCaseDestroy(&many.rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  const int copies = atoi(args[1]);
  RhxDeviceState state;
  args[1] = args[0];
  argc--;
  args++;
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability != RHX_DEVICE_READY) {
    PetscCall(RhxFinalize());
    return SKIP;
  }
  PetscCall(rhx_extension()->add());
  PetscCall(check(copies));
  PetscCall(RhxFinalize());
  return failures ? 1 : 0;
}
