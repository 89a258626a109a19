/* (grad v, grad f) + (i omega/nu)(v, f) = (v, 1), in P1 and Q1 on the label's faces: real and imaginary parts of each node side by side. */
#include "boundary/pulse_impl.h"
#include "petsc_compat.h"

typedef struct {
  PetscInt n, *unknown; /* [nnodes] number of a node's two rows, -1: at rest */
  PetscReal *share;     /* [nnodes] flux of a unit velocity */
  Mat A;                /* [2 n][2 n] */
  Vec b, f;
  KSP ksp;
} Pulse;

/* ratio: i omega/nu */
static PetscErrorCode assemble(RhxSection s, Pulse *p, double complex ratio)
{
  PetscReal N[4], dN[4][2], area;

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(p->A));
  for (PetscInt f = 0; f < s->nfaces; f++)
    for (PetscInt q = 0; RhxSectionPoint(s, f, q, N, dN, &area); q++) {
      const PetscInt n = RhxSectionCorners(s, f);
      PetscInt row[4];
      PetscScalar K[64];
      for (PetscInt a = 0; a < n; a++) {
        row[a] = p->unknown[s->node[4 * f + a]];
        for (PetscInt b = 0; b < n; b++) {
          const PetscReal mass = area * N[a] * N[b];
          const PetscReal same = area * (dN[a][0] * dN[b][0] + dN[a][1] * dN[b][1]) + mass * creal(ratio);
          K[(2 * a) * 2 * n + 2 * b] = K[(2 * a + 1) * 2 * n + 2 * b + 1] = same;
          K[(2 * a) * 2 * n + 2 * b + 1] = -mass * cimag(ratio);
          K[(2 * a + 1) * 2 * n + 2 * b] = mass * cimag(ratio);
        }
      }
      PetscCall(MatSetValuesBlocked(p->A, n, row, n, row, K, ADD_VALUES));
    }
  PetscCall(MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(RhxSection s, Pulse *p, double complex ratio, double complex *shape,
                            double complex *carried)
{
  const PetscScalar *f;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(assemble(s, p, ratio));
  PetscCall(KSPSetOperators(p->ksp, p->A, p->A));
  PetscCall(KSPSolve(p->ksp, p->b, p->f));
  PetscCall(KSPGetConvergedReason(p->ksp, &reason));
  PetscCheck(reason >= 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no pulsatile flow found over a label of %d nodes",
             (int)s->nnodes);
  PetscCall(VecGetArrayRead(p->f, &f));
  *carried = 0;
  for (PetscInt i = 0; i < s->nnodes; i++) {
    const PetscInt at = p->unknown[i];
    shape[i] = at < 0 ? 0 : PetscRealPart(f[2 * at]) + _Complex_I * PetscRealPart(f[2 * at + 1]);
    *carried += p->share[i] * shape[i];
  }
  PetscCall(VecRestoreArrayRead(p->f, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(RhxSection s, Pulse *p)
{
  PetscScalar *b;
  PetscInt most = 0;
  PC pc;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->nnodes, &p->unknown, s->nnodes, &p->share));
  PetscCall(RhxSectionUnknowns(s, &p->n, p->unknown, p->share, &most));
  PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 2 * p->n, 2 * p->n, most, NULL, &p->A));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 2 * p->n, &p->b));
  PetscCall(VecDuplicate(p->b, &p->f));
  PetscCall(VecGetArray(p->b, &b));
  for (PetscInt i = 0; i < s->nnodes; i++) {
    if (p->unknown[i] < 0) continue;
    b[2 * p->unknown[i]] = p->share[i];
    b[2 * p->unknown[i] + 1] = 0;
  }
  PetscCall(VecRestoreArray(p->b, &b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &p->ksp));
  PetscCall(KSPSetType(p->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(p->ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPulseShapes(RhxSection s, const double complex *nu, PetscInt n, const double *omega,
                              const PetscBool *skip, double complex *shape, double complex *carried)
{
  Pulse p = {0};

  PetscFunctionBegin;
  PetscCall(set_up(s, &p));
  for (PetscInt k = 0; k < n; k++)
    if (!skip[k]) PetscCall(solve(s, &p, omega[k] * _Complex_I / nu[k], shape + k * s->nnodes, &carried[k]));
  PetscCall(PetscFree2(p.unknown, p.share));
  PetscCall(MatDestroy(&p.A));
  PetscCall(VecDestroy(&p.b));
  PetscCall(VecDestroy(&p.f));
  PetscCall(KSPDestroy(&p.ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
