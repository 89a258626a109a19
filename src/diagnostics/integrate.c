/* Integrals over the domain by the elements' quadrature, on the host. */
#include "diagnostics/named.h"
#include "petsc_compat.h"
#include <math.h>
#include <string.h>

/* Element e of its cell type at quadrature point q: the sample, and weight times Jacobian determinant. */
static double sample_at(RhxSpace space, const RhxCells *c, PetscInt e, PetscInt q, const PetscScalar *x, RhxSample *s)
{
  const PetscInt dim = space->dim, lane = e % RHX_LANES, first = (e / RHX_LANES) * c->nn;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscInt p = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE);
  double J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, det = 0;

  memset(s, 0, sizeof(*s));
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) J[i][j] = 0;
  for (PetscInt a = 0; a < c->nn; a++) {
    const PetscScalar *node = x + (size_t)c->conn[(first + a) * RHX_LANES + lane] * space->bs;
    const double N = c->N[q * c->nn + a];
    for (PetscInt d = 0; d < dim; d++) {
      const double xd = c->x[((first + a) * dim + d) * RHX_LANES + lane];
      s->x[d] += N * xd;
      s->u[d] += N * node[u + d];
      for (PetscInt j = 0; j < dim; j++) J[d][j] += xd * c->dN[(q * c->nn + a) * dim + j];
    }
    s->p += N * node[p];
  }
  for (int i = 0; i < 3; i++)
    det += J[0][i] * (J[1][(i + 1) % 3] * J[2][(i + 2) % 3] - J[1][(i + 2) % 3] * J[2][(i + 1) % 3]);
  return c->w[q] * fabs(det);
}

PetscErrorCode RhxDiagnosticIntegrate(RhxDiagnostic *d, PetscInt n, RhxIntegrandFn integrand, void *ctx, double *sum)
{
  RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  const PetscScalar *g;
  PetscScalar *x;
  double *values;
  RhxSample sample;
  Vec state;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetState(d, &state));
  PetscCall(PetscMalloc2((size_t)space->nlocal * space->bs, &x, n, &values));
  PetscCall(VecGetArrayRead(state, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, x));
  PetscCall(VecRestoreArrayRead(state, &g));
  PetscCall(PetscArrayzero(sum, n));
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      for (PetscInt q = 0; q < space->cells[t].nq; q++) {
        const double w = sample_at(space, &space->cells[t], e, q, x, &sample);
        integrand(ctx, &sample, values);
        for (PetscInt k = 0; k < n; k++) sum[k] += w * values[k];
      }
  PetscCall(PetscFree2(x, values));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (PetscMPIInt)n, MPI_DOUBLE, MPI_SUM, RhxDiagnosticGetComm(d)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
