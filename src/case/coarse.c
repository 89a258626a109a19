/* A run whose mesh is too coarse for the state that it ends with. */
#include "case/impl.h"
#include "diagnostics/resolution.h"
#include "form/relaxation.h"
#include "petsc_compat.h"

#define MINOR 0.1    /* of the largest stress of a mode */
#define LITTLE 1e-6  /* of what the case's units make */
#define LESS 0.01    /* of the range of what is given of a scalar field, in the root mean square: as good as uniform */
#define MANY 1000000 /* nodes of a rank: 1 to 10 s */

/* Is a look at the mesh, on the host, dear on some rank? Who asks for the diagnostic has one all the same. */
static PetscErrorCode is_dear(RhxCase rc, PetscBool *dear)
{
  PetscInt nodes = rc->space->nowned;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPIU_INT, MPI_MAX, rc->comm));
  *dear = (PetscBool)(nodes > MANY && !RhxDiagnosticsAsked(rc->diagnostics, "resolution"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { FINE, FAIR, COARSE } Grade;

/* Estimated errors from where on the mesh is fair and coarse: of the velocity's gradient, in the mean (a lid-driven cavity of 16 x 16 has 0.28, of
 * 32 x 32 0.17); of a stress, of which what convects past a corner errs by two to four times this; of a scalar field, whose flux at a wall errs by twice
 * this. theory.md, 10. */
static const double limits[3][2] = {{0.10, 0.25}, {0.03, 0.07}, {0.04, 0.10}};

static int kind_of(const RhxResolution *r, PetscInt k) { return !k ? 0 : k <= r->form->nmodes ? 1 : 2; }

static double error_of(const RhxResolution *r, PetscInt k)
{
  return k ? RhxResolvedRelative(&r->part[k]) : r->part[k].mean;
}

/* From where on a part is more than next to nothing, as its size in the root mean square. */
static PetscErrorCode find_little(RhxCase rc, const RhxResolution *r, PetscInt k, double *little)
{
  const double rate = rc->option.velocity / rc->option.length, root = PetscSqrtReal(r->volume);
  double eta = 0.0, most = 0.0, change = 0.0;

  PetscFunctionBegin;
  if (kind_of(r, k) == 1) {
    PetscCall(RhxFormViscosityAt(rc->form, rate, &eta));
    for (PetscInt m = 1; m <= r->form->nmodes; m++) most = PetscMax(most, r->part[m].size / root);
    *little = PetscMax(MINOR * most, LITTLE * eta * rate);
  } else if (kind_of(r, k) == 2) {
    PetscCall(RhxCaseScalarRange_Private(rc, RhxResolutionScalar(r->form, k), &change));
    *little = LESS * change;
  } else
    *little = LITTLE * rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is no number is coarse. */
static PetscErrorCode grade(RhxCase rc, const RhxResolution *r, PetscInt k, Grade *is)
{
  const double *limit = limits[kind_of(r, k)], error = error_of(r, k), size = r->part[k].size;
  double little = 0.0;

  PetscFunctionBegin;
  PetscCall(find_little(rc, r, k, &little));
  *is = FINE;
  if (size <= little * PetscSqrtReal(r->volume)) PetscFunctionReturn(PETSC_SUCCESS);
  *is = error <= limit[0] ? FINE : error <= limit[1] ? FAIR : COARSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void describe(RhxCase rc, const RhxResolution *r, PetscInt k, Grade is, size_t size, char *text)
{
  const RhxResolved *part = &r->part[k];
  const int kind = kind_of(r, k);
  char name[96] = "the velocity's gradient", at[96], limit[48] = "";

  if (kind == 1) snprintf(name, sizeof(name), r->form->nmodes > 1 ? "the stress of mode %d" : "the stress", (int)k - 1);
  if (kind == 2)
    snprintf(name, sizeof(name), "what '%s' differs by from its mean",
             r->form->scalar[RhxResolutionScalar(r->form, k)].row->name);
  snprintf(at, sizeof(at), rc->space->dim == 3 ? "%.4g, %.4g, %.4g" : "%.4g, %.4g", part->at[0], part->at[1],
           part->at[2]);
  if (is == COARSE) snprintf(limit, sizeof(limit), ", expected at most %.0f %%", 100.0 * limits[kind][1]);
  /* what is beyond the limit by little reads as more than it */
  snprintf(text, size, "%.*f %% of %s%s, the most at (%s) m",
           is == COARSE && error_of(r, k) < limits[kind][1] + 0.01 ? 2 : 0, 100.0 * error_of(r, k), name, limit, at);
}

/* Of all parts of this grade. A stress errs by more where it is carried past a corner, which its estimate does not see. */
static PetscErrorCode list(RhxCase rc, const RhxResolution *r, Grade which, size_t size, char *all)
{
  PetscBool stress = PETSC_FALSE;
  char text[320];
  Grade is = FINE;

  PetscFunctionBegin;
  all[0] = '\0';
  for (PetscInt k = 0; k < r->n; k++) {
    PetscCall(grade(rc, r, k, &is));
    if (is != which) continue;
    stress = (PetscBool)(stress || kind_of(r, k) == 1);
    describe(rc, r, k, is, sizeof(text), text);
    if (all[0]) PetscCall(PetscStrlcat(all, "; ", size));
    PetscCall(PetscStrlcat(all, text, size));
  }
  if (stress)
    PetscCall(PetscStrlcat(all, "; what a stress carries along from a corner errs by two to four times that", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode say(RhxCase rc, const RhxResolution *r)
{
  char all[2048];

  PetscFunctionBegin;
  PetscCall(list(rc, r, COARSE, sizeof(all), all));
  if (all[0]) {
    PetscCall(PetscFPrintf(
        rc->comm, PETSC_STDERR,
        "rheoplex: warning: the mesh is too coarse for this flow: got estimated errors of %s: do not "
        "trust its gradients and stresses; expected smaller cells there: -dm_refine 1, or a mesh refined by the "
        "elements' errors that -diagnostic_<name>_kind resolution writes\n",
        all));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(list(rc, r, FAIR, sizeof(all), all));
  if (all[0])
    PetscCall(PetscFPrintf(rc->comm, PETSC_STDERR,
                           "rheoplex: note: by this mesh the estimated errors are %s; what is read off gradients, such "
                           "as fluxes at walls, errs by as much, drags and pressure drops mostly by less: compare with "
                           "-dm_refine 1 before you rely on them\n",
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
