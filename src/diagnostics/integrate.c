/* Integrals over the domain by the elements' quadrature, on the host. */
#include "diagnostics/near_impl.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <string.h>

/* Element e of its cell type at quadrature point q: the sample, and weight times Jacobian determinant. */
static double sample_at(RhxSpace space, const RhxCells *c, PetscInt e, PetscInt q, const PetscScalar *x, RhxSample *s)
{
  const PetscInt dim = space->dim, lane = e % RHX_LANES, first = (e / RHX_LANES) * c->nn;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscInt p = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE);
  double dN[8][3];

  memset(s, 0, sizeof(*s));
  for (PetscInt a = 0; a < c->nn; a++) {
    const PetscScalar *node = x + (size_t)c->conn[(first + a) * RHX_LANES + lane] * space->bs;
    const double N = c->N[q * c->nn + a];
    for (PetscInt d = 0; d < dim; d++) {
      s->x[d] += N * c->x[((first + a) * dim + d) * RHX_LANES + lane];
      s->u[d] += N * node[u + d];
    }
    s->p += N * node[p];
  }
  return RhxCellsGradients(c, dim, e, q, dN);
}

PetscErrorCode RhxDiagnosticIntegrate(RhxDiagnostic *d, PetscInt n, RhxIntegrandFn integrand, void *ctx, double *sum)
{
  RhxSpace space = RhxDiagnosticGetRun(d)->form->space;
  PetscScalar *x;
  double *values;
  RhxSample sample;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetLocalPart(d, 0, RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE) + 1, &x));
  PetscCall(PetscMalloc1(n, &values));
  PetscCall(PetscArrayzero(sum, n));
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      for (PetscInt q = 0; q < space->cells[t].nq; q++) {
        const double w = sample_at(space, &space->cells[t], e, q, x, &sample);
        integrand(ctx, &sample, values);
        for (PetscInt k = 0; k < n; k++) sum[k] += w * values[k];
      }
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(values));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (PetscMPIInt)n, MPI_DOUBLE, MPI_SUM, RhxDiagnosticGetComm(d)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
