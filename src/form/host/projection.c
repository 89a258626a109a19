#include "form/host/projection.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"
#include <math.h>
#include <petscksp.h>

#define TOLERANCE 1e-13 /* of the solve with the consistent mass: beneath that of Newton's method */
#define MOST_ITERATIONS 1000

/* Solves C M C x = C b, M the consistent mass of each component, C the constraint, a projection that is orthogonal in y = root x, of which
 * conjugate gradients take their products. */
struct _RhxProjection {
  Mat mass;
  KSP ksp;
  Vec b, x;
  PetscScalar *in, *out; /* [nlocal][naux] */
  PetscReal *root;       /* [naux] of how often a component stands in a product; NULL: all once */
  RhxConstrainFn constrain;
  void *ctx;
};

static size_t owned(RhxForm form) { return (size_t)form->space->nowned * form->naux; }

static PetscErrorCode fill(Vec v, const PetscScalar *from, size_t n)
{
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &a));
  PetscCall(PetscArraycpy(a, from, n));
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a[n][naux] times the roots, or over them. */
static void weigh(RhxForm form, PetscInt n, PetscBool over, PetscScalar *a)
{
  const PetscReal *root = form->in->projection->root;
  const size_t naux = (size_t)form->naux;
  for (size_t i = 0; root && i < (size_t)n * naux; i++) a[i] = over ? a[i] / root[i % naux] : a[i] * root[i % naux];
}

static PetscErrorCode multiply(Mat A, Vec x, Vec y)
{
  RhxForm form;
  RhxProjection p;
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &form));
  p = form->in->projection;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(RhxSpaceGlobalToLocal(form->space, form->naux, a, p->in));
  PetscCall(VecRestoreArrayRead(x, &a));
  weigh(form, form->space->nlocal, PETSC_TRUE, p->in);
  PetscCall(RhxFormMassProduct(form, form->naux, p->in, p->out));
  PetscCall(p->constrain(p->ctx, p->out));
  weigh(form, form->space->nowned, PETSC_FALSE, p->out);
  PetscCall(fill(y, p->out, owned(form)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of the lumped mass preconditions. */
static PetscErrorCode diagonal(Mat A, Vec d)
{
  RhxForm form;
  PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(A, &form));
  PetscCall(VecGetArray(d, &a));
  for (size_t i = 0; i < owned(form); i++) a[i] = form->space->mass[i / form->naux];
  PetscCall(VecRestoreArray(d, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_solver(RhxForm form, RhxProjection p)
{
  const PetscInt n = form->space->nowned * form->naux;
  PC pc;
  PetscFunctionBegin;
  PetscCall(RhxFormNeedMass(form));
  PetscCall(MatCreateShell(form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, form, &p->mass));
  PetscCall(MatShellSetOperation(p->mass, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(p->mass, MATOP_GET_DIAGONAL, (void (*)(void))diagonal));
  PetscCall(MatCreateVecs(p->mass, &p->x, &p->b));
  PetscCall(KSPCreate(form->comm, &p->ksp));
  PetscCall(KSPSetOptionsPrefix(p->ksp, "projection_"));
  PetscCall(KSPSetType(p->ksp, KSPCG));
  PetscCall(KSPSetOperators(p->ksp, p->mass, p->mass));
  PetscCall(KSPSetTolerances(p->ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, MOST_ITERATIONS));
  PetscCall(KSPGetPC(p->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxFormIsConsistent(RhxForm form) { return (PetscBool)(form->in->projection != NULL); }

PetscErrorCode RhxFormSetConsistent(RhxForm form, RhxConstrainFn fn, void *ctx)
{
  RhxProjection p;
  PetscFunctionBegin;
  PetscCheck(!form->corrections, form->comm, PETSC_ERR_ARG_INCOMP,
             "got %" PetscInt_FMT
             " corrections of projections by the consistent mass beside projections that solve with "
             "it, expected lumped projections, or no corrections (-stabiliser_<name>_projection_corrections)",
             form->corrections);
  if (!form->naux || form->in->projection) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&p));
  form->in->projection = p;
  p->constrain = fn;
  p->ctx = ctx;
  PetscCall(PetscCalloc1((size_t)form->space->nlocal * form->naux, &p->in));
  PetscCall(PetscCalloc1((size_t)form->space->nlocal * form->naux, &p->out));
  PetscCall(create_solver(form, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormWeighTensors(RhxForm form)
{
  const PetscInt naux = form->naux, ntens = form->space->ntens, shear = ntens == 3 ? 2 : 3;
  const RhxProjection p = form->in->projection;
  PetscFunctionBegin;
  if (!p || p->root) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(naux, &p->root));
  for (PetscInt c = 0; c < naux; c++) p->root[c] = 1.0;
  for (PetscInt s = 0; s < form->nstabilisers; s++)
    for (PetscInt r = 0; r < form->stabiliser[s].plugin->naux; r++) {
      const RhxAuxRow *row = &form->stabiliser[s].plugin->aux[r];
      const PetscInt off = form->stabiliser[s].stage.off[r];
      for (PetscInt k = 0; row->shape == RHX_AUX_TENSOR && off >= 0 && k < RhxFormAuxCount(form, row->of); k++)
        for (PetscInt c = shear; c < ntens; c++)
          p->root[RhxFormAuxStart(form, row->of, k) + off + c] = PetscSqrtReal(2.0);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve_consistent(RhxForm form, double tolerance, PetscScalar *aux)
{
  const RhxProjection p = form->in->projection;
  KSPConvergedReason reason;
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(p->constrain(p->ctx, aux));
  weigh(form, form->space->nowned, PETSC_FALSE, aux);
  PetscCall(fill(p->b, aux, owned(form)));
  PetscCall(KSPSetTolerances(p->ksp, tolerance, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSolve(p->ksp, p->b, p->x));
  PetscCall(KSPGetConvergedReason(p->ksp, &reason));
  PetscCheck(
      reason > 0 || reason == KSP_DIVERGED_NANORINF, form->comm, PETSC_ERR_NOT_CONVERGED,
      "the projections of the stabilisers cannot be solved for (%s) in %d iterations: are there degenerate elements?",
      KSPConvergedReasons[reason], MOST_ITERATIONS);
  if (reason < 0) { /* of a state that is not finite: nor are they, and who asked for them sees that */
    for (size_t i = 0; i < owned(form); i++) aux[i] = NAN;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(p->x, &a));
  PetscCall(PetscArraycpy(aux, a, owned(form)));
  PetscCall(VecRestoreArrayRead(p->x, &a));
  weigh(form, form->space->nowned, PETSC_TRUE, aux);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProjectionSolve(RhxForm form, double tolerance, PetscScalar *aux)
{
  const RhxSpace sp = form->space;
  const PetscInt naux = form->naux;
  PetscFunctionBegin;
  if (form->in->projection)
    PetscCall(solve_consistent(form, tolerance > 0.0 ? tolerance : TOLERANCE, aux));
  else
    for (PetscInt n = 0; n < sp->nowned; n++) {
      const double im = 1.0 / sp->mass[n];
      for (PetscInt c = 0; c < naux; c++) aux[(size_t)n * naux + c] *= im;
    }
  PetscCall(RhxSpaceGlobalToLocal(sp, naux, aux, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProjectionDestroy(RhxProjection *p)
{
  PetscFunctionBegin;
  if (!*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPDestroy(&(*p)->ksp));
  PetscCall(MatDestroy(&(*p)->mass));
  PetscCall(VecDestroy(&(*p)->b));
  PetscCall(VecDestroy(&(*p)->x));
  PetscCall(PetscFree((*p)->in));
  PetscCall(PetscFree((*p)->out));
  PetscCall(PetscFree((*p)->root));
  PetscCall(PetscFree(*p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
