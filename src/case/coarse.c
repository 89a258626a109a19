/* A run whose mesh is too coarse for the state that it ends with. */
#include "case/impl.h"
#include "diagnostics/resolution.h"
#include "form/relaxation.h"
#include "petsc_compat.h"

#define COARSE 0.25        /* of the gradient in the mean; a lid-driven cavity of 16 x 16 has 0.28, of 32 x 32 0.17 */
#define COARSE_STRESS 0.07 /* of a stress; what convects past a corner errs by two to four times this (theory.md, 10) */
#define MINOR 0.1          /* of the largest stress of a mode */
#define LITTLE 1e-6        /* of what the case's units make */
#define MANY 1000000       /* nodes of a rank: 1 to 10 s */

/* Is a look at the mesh, on the host, dear on some rank? Who asks for the diagnostic has one all the same. */
static PetscErrorCode is_dear(RhxCase rc, PetscBool *dear)
{
  PetscInt nodes = rc->space->nowned;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPIU_INT, MPI_MAX, rc->comm));
  *dear = (PetscBool)(nodes > MANY && !RhxDiagnosticsAsked(rc->diagnostics, "resolution"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is part k too coarse? Not where there is next to nothing. */
static PetscErrorCode is_coarse(RhxCase rc, const RhxResolution *r, PetscInt k, PetscBool *coarse)
{
  const double rate = rc->option.velocity / rc->option.length, root = PetscSqrtReal(r->volume);
  const RhxResolved *part = &r->part[k];
  double eta = 0.0, most = 0.0;

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, rate, &eta));
  for (PetscInt m = 1; m < r->n; m++) most = PetscMax(most, r->part[m].size);
  if (!k)
    *coarse = (PetscBool) !(part->mean <= COARSE || part->size <= LITTLE * rate * root);
  else
    *coarse = (PetscBool) !(RhxResolvedRelative(part) <= COARSE_STRESS || part->size <= MINOR * most ||
                            part->size <= LITTLE * eta * rate * root);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void describe(RhxCase rc, const RhxResolution *r, PetscInt k, size_t size, char *text)
{
  const RhxResolved *part = &r->part[k];
  char name[48] = "the velocity's gradient", at[96];

  if (k) snprintf(name, sizeof(name), r->n > 2 ? "the stress of mode %d" : "the stress", (int)k - 1);
  snprintf(at, sizeof(at), rc->space->dim == 3 ? "%.4g, %.4g, %.4g" : "%.4g, %.4g", part->at[0], part->at[1],
           part->at[2]);
  snprintf(text, size, "%.0f %% of %s, expected at most %.0f %%, the most at (%s) m",
           100.0 * (k ? RhxResolvedRelative(part) : part->mean), name, 100.0 * (k ? COARSE_STRESS : COARSE), at);
}

static PetscErrorCode say(RhxCase rc, const RhxResolution *r)
{
  char text[256], all[1024] = "";
  PetscBool coarse = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->n; k++) {
    PetscCall(is_coarse(rc, r, k, &coarse));
    if (!coarse) continue;
    describe(rc, r, k, sizeof(text), text);
    if (all[0]) PetscCall(PetscStrlcat(all, "; ", sizeof(all)));
    PetscCall(PetscStrlcat(all, text, sizeof(all)));
  }
  if (all[0])
    PetscCall(PetscFPrintf(
        rc->comm, PETSC_STDERR,
        "rheoplex: warning: the mesh is too coarse for this flow: got estimated errors of %s: do not "
        "trust its gradients and stresses; expected smaller cells there: -dm_refine 1, or a mesh refined by the "
        "elements' errors that -diagnostic_<name>_kind resolution writes\n",
        all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfMesh_Private(RhxCase rc, const RhxStepInfo *info)
{
  const RhxSpace sp = rc->space;
  const PetscScalar *state;
  PetscScalar *x;
  PetscBool dear = PETSC_FALSE;
  RhxResolution r;

  PetscFunctionBegin;
  /* of a flow that has begun just now the layers at walls are still thin; a run that was cut goes on */
  if (rc->cut || !(info->steady || rc->at_rest || info->t * rc->option.velocity >= rc->option.length))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(is_dear(rc, &dear));
  if (dear) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)sp->nlocal * sp->bs, &x));
  PetscCall(VecGetArrayRead(rc->x, &state));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, state, x));
  PetscCall(VecRestoreArrayRead(rc->x, &state));
  PetscCall(RhxResolutionCreate(rc->form, &r));
  PetscCall(RhxResolutionFind(&r, x));
  PetscCall(PetscFree(x));
  PetscCall(say(rc, &r));
  PetscCall(RhxResolutionDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
