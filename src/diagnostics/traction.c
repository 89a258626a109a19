#include "diagnostics/traction_impl.h"
#include "form/scalars.h"
#include "kernels/geometry.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <string.h>

/* A quadrature point of a face. */
typedef struct {
  double x[3], u[3], p;          /* with swirl u_theta is the third component, and so of what follows */
  double area, n[3];             /* n: outward normal times area; area: its length with the weight, m^2 (2D: m) */
  double pressure[3];            /* -p n, */
  double solvent[3], polymer[3]; /* 2 eta_s D n, tau n: traction on the fluid times area, N (2D: N/m) */
} Sample;

/* A face with what its quadrature points have in common. */
typedef struct {
  RhxForm form;
  const RhxFaceGroup *g;
  PetscInt f, u, p; /* face; offsets of velocity and pressure in a block */
  const PetscScalar *x;
  double tau[8][6]; /* polymer stress at the parent's nodes */
  double slope[9];  /* of the velocity at the last point; in a simplex at all of them */
} Face;

static PetscErrorCode polymer_stress(Face *face)
{
  const RhxForm form = face->form;
  const PetscInt ntens = form->space->ntens;
  double tau[6];

  PetscFunctionBegin;
  memset(face->tau, 0, sizeof(face->tau));
  for (PetscInt a = 0; a < face->g->nn; a++)
    for (PetscInt m = 0; m < form->nmodes; m++) {
      const size_t node = RhxFaceParentNode(face->g, face->f, a);
      PetscCall(RhxFormPolymerStress(form, m, 1, face->x + node * form->space->bs, tau));
      for (PetscInt k = 0; k < ntens; k++) face->tau[a][k] += tau[k];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L[n][dim]: gradient of n components of a block, from `at` on, of the parent at point q of the face. */
static void slope_of(const Face *face, PetscInt q, PetscInt at, PetscInt n, double *L)
{
  const RhxFaceGroup *g = face->g;
  const PetscInt dim = face->form->space->dim, lane = face->f % RHX_LANES, first = (face->f / RHX_LANES) * g->nn;
  double J[3][3] = {{0}}, Ji[3][3], dN[3];

  for (PetscInt a = 0; a < g->nn; a++)
    for (PetscInt i = 0; i < dim; i++)
      for (PetscInt j = 0; j < dim; j++)
        J[i][j] += g->x[((first + a) * dim + i) * RHX_LANES + lane] * g->dN[(q * g->nn + a) * dim + j];
  (void)rhx_invert((int)dim, J, Ji);
  memset(L, 0, (size_t)(n * dim) * sizeof(*L));
  for (PetscInt a = 0; a < g->nn; a++) {
    const PetscScalar *u = face->x + (size_t)RhxFaceParentNode(g, face->f, a) * face->form->space->bs + at;
    rhx_to_space((int)dim, Ji, g->dN + (q * g->nn + a) * dim, dN);
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < dim; j++) L[i * dim + j] += u[i] * dN[j];
  }
}

/* The gradient of axisymmetric flow at a point: L of the half plane with u_r/r, and u_theta with swirl. */
static void whole_gradient(const Face *face, const Sample *s, PetscInt q, const double *L, double *whole)
{
  const RhxForm form = face->form;
  const double r = s->x[1], plane[9] = {L[0], L[1], 0, L[2], L[3], 0, 0, 0, r > 0 ? s->u[1] / r : L[3]};
  double slope[3];

  memcpy(whole, plane, sizeof(plane));
  if (form->swirl < 0) return;
  slope_of(face, q, form->first_scalar + form->swirl, 1, slope);
  whole[6] = slope[0];
  whole[7] = slope[1];
  whole[5] = r > 0 ? -s->u[2] / r : -slope[1];
}

static PetscErrorCode sample_at(Face *face, PetscInt q, Sample *s)
{
  const RhxForm form = face->form;
  const RhxSpace space = form->space;
  const RhxFaceGroup *g = face->g;
  const PetscInt dim = space->dim, lane = face->f % RHX_LANES, first = (face->f / RHX_LANES) * g->nn;
  const PetscInt swirl = form->swirl < 0 ? -1 : form->first_scalar + form->swirl, n = dim + (swirl >= 0);
  const PetscInt m = space->axisymmetric ? 3 : dim; /* L[m][m] */
  double L[9], tau[6] = {0}, fields[RHX_MAX_SCALARS] = {0}, factor[2], asked[9], eta = 0;

  PetscFunctionBegin;
  memset(s, 0, sizeof(*s));
  s->area = RhxFaceNormal(g, dim, face->f, q, s->n);
  for (PetscInt a = 0; a < g->nn; a++) {
    const PetscScalar *node = face->x + (size_t)RhxFaceParentNode(g, face->f, a) * space->bs;
    const double N = g->N[q * g->nn + a];
    for (PetscInt i = 0; i < dim; i++) {
      s->x[i] += N * g->x[((first + a) * dim + i) * RHX_LANES + lane];
      s->u[i] += N * node[face->u + i];
    }
    if (swirl >= 0) s->u[2] += N * node[swirl];
    s->p += N * node[face->p];
    for (PetscInt k = 0; k < space->ntens; k++) tau[k] += N * face->tau[a][k];
    for (PetscInt k = 0; k < form->nscalars; k++) fields[k] += N * node[form->first_scalar + k];
  }
  if (!q || g->nn != dim + 1) slope_of(face, q, face->u, dim, face->slope);
  if (space->axisymmetric)
    whole_gradient(face, s, q, face->slope, L);
  else
    PetscCall(PetscArraycpy(L, face->slope, dim * dim));
  PetscCall(RhxFormShift(form, fields, factor));
  for (PetscInt k = 0; k < m * m; k++) asked[k] = factor[0] * L[k];
  if (form->viscous)
    RhxPointLawGet((int)m, m > dim ? 6 : (int)space->ntens, RHX_KIND_DOUBLE)
        ->viscosity(form->viscous, form->viscous_par, asked, &eta);
  eta *= factor[0] * factor[1];
  for (PetscInt i = 0; i < n; i++) {
    s->pressure[i] = -s->p * s->n[i];
    for (PetscInt j = 0; j < dim; j++) {
      s->solvent[i] += eta * (L[i * m + j] + L[j * m + i]) * s->n[j];
      s->polymer[i] += tau[rhx_tensor_index((int)n, (int)space->ntens, (int)i, (int)j)] * s->n[j];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RhxSurfaceForce sum;
  const double *centre;
  PetscBool swirl;
} ForceSum;

/* The force on the wall is the opposite of that on the fluid. */
static void add_force(const Sample *s, ForceSum *to)
{
  double t[3], r[3];

  to->sum.twist[0] -= s->x[1] * s->solvent[2];
  to->sum.twist[1] -= s->x[1] * s->polymer[2];
  for (int i = 0; i < 3; i++) {
    to->sum.pressure[i] -= s->pressure[i];
    to->sum.solvent[i] -= s->solvent[i];
    to->sum.polymer[i] -= s->polymer[i];
    t[i] = -(s->pressure[i] + s->solvent[i] + s->polymer[i]);
    r[i] = s->x[i] - to->centre[i];
  }
  if (to->swirl) return;
  for (int i = 0; i < 3; i++) to->sum.torque[i] += r[(i + 1) % 3] * t[(i + 2) % 3] - r[(i + 2) % 3] * t[(i + 1) % 3];
}

/* Gradients are those of the parent element: of first order in its size. */
static PetscErrorCode visit_faces(RhxForm form, const char *label, const PetscScalar *x, ForceSum *sum)
{
  const RhxFaces *faces;
  Sample sample;
  Face face = {.form = form, .x = x};

  PetscFunctionBegin;
  face.u = RhxFieldsStart(form->space->fields, RHX_GROUP_VELOCITY);
  face.p = RhxFieldsStart(form->space->fields, RHX_GROUP_PRESSURE);
  PetscCall(RhxSpaceGetFaces(form->space, label, &faces));
  for (PetscInt k = 0; k < faces->ngroups; k++)
    for (PetscInt f = 0; f < faces->group[k].n; f++) {
      face.g = &faces->group[k];
      face.f = f;
      PetscCall(polymer_stress(&face));
      for (PetscInt q = 0; q < face.g->nfq; q++) {
        PetscCall(sample_at(&face, q, &sample));
        add_force(&sample, sum);
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxIntegrateForce(RhxForm form, const char *label, const PetscScalar *x, const double centre[3],
                                 RhxSurfaceForce *force)
{
  ForceSum sum = {.centre = centre, .swirl = (PetscBool)(form->swirl >= 0)};

  PetscFunctionBegin;
  PetscCall(visit_faces(form, label, x, &sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum.sum, 14, MPI_DOUBLE, MPI_SUM, form->comm));
  *force = sum.sum;
  if (sum.swirl) force->torque[2] = force->twist[0] + force->twist[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
