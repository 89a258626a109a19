/* diagnostics_patch <label> ... -options: runs the case; forces on each label and the reactions of its nodes by passes over the elements
 * about it are those by passes over all, twice in turn. */
#include "form/patch.h"
#include "../common/largest.h"
#include "case/case.h"
#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"
#include <math.h>
#include <rheoplex/rheoplex.h>

#define TOLERANCE 1e-13 /* of the largest, by orders of sums */

static int failures;

/* r[n][bs]: reactions of the label's nodes; force on it. */
static PetscErrorCode measure(TS ts, RhxForm form, RhxBoundary bc, const RhxFaces *faces, IS about, PetscScalar *r,
                              double force[3])
{
  double torque[3];
  RhxLabelForce on;

  PetscFunctionBegin;
  PetscCall(RhxSchemeFindReactions(ts, about));
  PetscCall(RhxSchemeFetchReactions(ts, faces->nodes, r));
  PetscCall(RhxLabelForceCreate(form, bc, faces->label, (double[3]){0, 0, 0}, PETSC_FALSE, &on));
  PetscCall(RhxLabelForceEvaluate(on, ts, force, torque));
  PetscCall(RhxLabelForceDestroy(&on));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the rows of the velocity, over all ranks. */
static PetscErrorCode differ(RhxSpace sp, PetscInt n, const PetscScalar *a, const PetscScalar *b, double out[2])
{
  PetscFunctionBegin;
  out[0] = out[1] = 0.0;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt c = 0; c < sp->dim; c++) {
      out[0] = larger(out[0], fabs(a[i * sp->bs + c] - b[i * sp->bs + c]));
      out[1] = larger(out[1], fabs(b[i * sp->bs + c]));
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_DOUBLE, MPI_MAX, sp->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(TS ts, RhxForm form, RhxBoundary bc, const char *label)
{
  const RhxSpace sp = form->space;
  const RhxFaces *faces;
  PetscScalar *all, *some;
  PetscInt n;
  IS about;

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(sp, label, &faces));
  PetscCall(RhxListBeside(sp, 1, &label, 1, &about));
  PetscCall(ISGetLocalSize(faces->nodes, &n));
  PetscCall(PetscMalloc2(n * sp->bs, &all, n * sp->bs, &some));
  for (int turn = 0; turn < 2; turn++) {
    double whole[3], part[3], d[2], worst = 0.0, size = 0.0;
    PetscCall(measure(ts, form, bc, faces, NULL, all, whole));
    PetscCall(measure(ts, form, bc, faces, about, some, part));
    PetscCall(differ(sp, n, some, all, d));
    for (int k = 0; k < 3; k++) {
      worst = larger(worst, fabs(part[k] - whole[k]));
      size = larger(size, fabs(whole[k]));
    }
    if (!(d[1] > 1e-6) || !(d[0] <= TOLERANCE * d[1]) || !(size > 1e-6) || !(worst <= TOLERANCE * size)) failures++;
    PetscCall(PetscPrintf(sp->comm, "%s: force %.12g %.12g %.12g, differs by %.2g; reactions to %.3g differ by %.2g\n",
                          label, whole[0], whole[1], whole[2], worst, d[1], d[0]));
  }
  PetscCall(PetscFree2(all, some));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements of the patch of a label are fewer than all. */
static PetscErrorCode count(RhxForm form, const char *label)
{
  const RhxFaces *faces;
  RhxPatch patch;
  PetscInt n[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  PetscCall(RhxPatchCreate(form, faces->nodes, &patch));
  for (PetscInt k = 0; k < form->space->ntypes; k++) {
    n[0] += patch->residual[k].n;
    n[1] += patch->project ? patch->project[k].n : form->space->cells[k].n;
    n[2] += form->space->cells[k].n;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 3, MPIU_INT, MPI_SUM, form->comm));
  if (!(n[0] > 0 && n[0] < n[1] && n[1] <= n[2] && (!patch->project || n[1] < n[2]))) failures++;
  PetscCall(
      PetscPrintf(form->comm, "%s: %d elements, projections of %d, of %d\n", label, (int)n[0], (int)n[1], (int)n[2]));
  PetscCall(RhxPatchDestroy(&patch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode act(int nlabels, char **label)
{
  RhxCase rc;
  RhxForm form;
  RhxBoundary bc;
  TS ts;

  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseSetUp(rc));
  PetscCall(RhxCaseRun(rc));
  PetscCall(RhxCaseGetForm(rc, &form));
  PetscCall(RhxCaseGetBoundary(rc, &bc));
  PetscCall(RhxCaseGetTS(rc, &ts));
  for (int i = 0; i < nlabels; i++) PetscCall(count(form, label[i]));
  for (int i = 0; i < nlabels; i++) PetscCall(check(ts, form, bc, label[i]));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  char *label[8];
  int n = 0;
  for (; n < 8 && args[n + 1] && args[n + 1][0] != '-'; n++) label[n] = args[n + 1];
  args[n] = args[0];
  argc -= n;
  args += n;
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(act(n, label));
  PetscCall(RhxFinalize());
  return failures ? 1 : 0;
}
