#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"
#include "space/face.h"

typedef struct {
  double out, in, scale; /* outward and inward parts of u.n, and the speed at the faces' cells over their area */
} Flux;

/* Flow below this part of the scale is rounding: shape functions of inner nodes are not exactly zero on a face. */
#define ROUNDING 1e-12

/* Does no node of the face move? Then nothing flows through it: most faces of walls. */
static PetscBool is_still(RhxSpace space, const RhxFaceGroup *g, PetscInt f, const PetscScalar *x)
{
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);

  for (PetscInt b = 0; b < g->nfn; b++) {
    const PetscScalar *u = x + (size_t)RhxFaceParentNode(g, f, g->fnode[b]) * space->bs + first;
    for (PetscInt d = 0; d < space->dim; d++)
      if (u[d] != 0.0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Adds the faces of a label. */
static void add_flux(RhxSpace space, const RhxFaces *faces, const PetscScalar *x, Flux *flux)
{
  for (PetscInt k = 0; k < faces->ngroups; k++) {
    const RhxFaceGroup *g = faces->group + k;
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt q = 0; !is_still(space, g, f, x) && q < g->nfq; q++) {
        double n[3], un = 0, area = RhxFaceNormal(g, space->dim, f, q, n);
        for (PetscInt a = 0; a < g->nn; a++) {
          const PetscScalar *u = x + (size_t)RhxFaceParentNode(g, f, a) * space->bs;
          for (PetscInt d = 0; d < space->dim; d++) {
            un += g->N[q * g->nn + a] * u[d] * n[d];
            flux->scale += PetscAbsReal(u[d]) * area;
          }
        }
        if (un > 0)
          flux->out += un;
        else
          flux->in -= un;
      }
  }
}

static PetscErrorCode local_state(RhxSpace space, Vec x, PetscScalar **local)
{
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)space->nlocal * space->bs, local));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, *local));
  PetscCall(VecRestoreArrayRead(x, &g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFluxParts(RhxForm form, const char *label, const PetscScalar *x, double *out, double *in)
{
  const RhxFaces *faces;
  Flux sum = {0};

  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  add_flux(form->space, faces, x, &sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 3, MPI_DOUBLE, MPI_SUM, form->comm));
  *out = sum.out;
  *in = sum.in;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxMassErrorOfFluxes(double out, double in, double scale)
{
  return PetscMax(out, in) <= ROUNDING * scale ? 0 : (out - in) / (in > 0 ? in : out);
}

/* Of all labels and ranks. */
static PetscErrorCode add_all(RhxForm form, const PetscScalar *local, Flux *sum)
{
  PetscFunctionBegin;
  *sum = (Flux){0};
  for (PetscInt k = 0; k < form->space->nlabels; k++) add_flux(form->space, form->space->faces + k, local, sum);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFluxes(RhxForm form, Vec x, double *out, double *in, double *scale)
{
  PetscScalar *local;
  Flux sum;

  PetscFunctionBegin;
  PetscCall(local_state(form->space, x, &local));
  PetscCall(add_all(form, local, &sum));
  PetscCall(PetscFree(local));
  *out = sum.out;
  *in = sum.in;
  *scale = sum.scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMassErrorNear(RhxForm form, const PetscScalar *local, double *error)
{
  Flux sum;

  PetscFunctionBegin;
  PetscCall(add_all(form, local, &sum));
  *error = RhxMassErrorOfFluxes(sum.out, sum.in, sum.scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a face at a quadrature point: |u|^2 u.n, with swirl that of u_theta too. */
static double carried(RhxForm form, const RhxFaceGroup *g, PetscInt f, PetscInt q, const PetscScalar *x)
{
  const RhxSpace space = form->space;
  const PetscInt first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  double n[3], u[3] = {0}, un = 0, uu = 0;

  RhxFaceNormal(g, space->dim, f, q, n);
  for (PetscInt a = 0; a < g->nn; a++) {
    const PetscScalar *node = x + (size_t)RhxFaceParentNode(g, f, a) * space->bs;
    for (PetscInt d = 0; d < space->dim; d++) u[d] += g->N[q * g->nn + a] * node[first + d];
    if (form->swirl >= 0) u[2] += g->N[q * g->nn + a] * node[form->first_scalar + form->swirl];
  }
  for (PetscInt d = 0; d < space->dim; d++) un += u[d] * n[d];
  for (int d = 0; d < 3; d++) uu += u[d] * u[d];
  return uu * un;
}

void RhxKineticFlux(RhxForm form, const PetscScalar *x, double *flux)
{
  const RhxSpace space = form->space;

  *flux = 0.0;
  for (const RhxFaces *faces = space->faces; faces < space->faces + space->nlabels; faces++)
    for (const RhxFaceGroup *g = faces->group; g < faces->group + faces->ngroups; g++)
      for (PetscInt f = 0; f < g->n; f++)
        for (PetscInt q = 0; !is_still(space, g, f, x) && q < g->nfq; q++)
          *flux += 0.5 * form->rho * carried(form, g, f, q, x);
}
