/* Which law gives what is no number, and where: at the quadrature points of a state whose own values are finite. */
#include "diagnostics/diagnostics.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "space/colour.h"
#include <math.h>

#define BEYOND 1e30 /* 1/s, of a conformation's rate: a step has left what its law is for */
#define FAR 1e6     /* a conformation beyond that is of a run that is lost, whatever a law makes of it */

typedef struct {
  RhxForm form;
  const PetscScalar *x;  /* [nlocal][bs] */
  PetscScalar *block;    /* [bs] interpolated */
  double place[3], L[9]; /* m; as the law takes it, [dim][dim] of the law */
  int dim, ntens;        /* of the law */
  const RhxPointLaw *point;
  char text[512];
} Search;

static const char *component_name(int ntens, int k)
{
  static const char *const names[3][6] = {
      {"xx", "yy", "xy"}, {"xx", "yy", "zz", "xy"}, {"xx", "yy", "zz", "yz", "xz", "xy"}};
  return names[ntens == 3 ? 0 : ntens == 4 ? 1 : 2][k];
}

static double shear_rate_of(const Search *se)
{
  double square = 0;
  for (int i = 0; i < se->dim; i++)
    for (int j = 0; j < se->dim; j++) {
      const double D = 0.5 * (se->L[i * se->dim + j] + se->L[j * se->dim + i]);
      square += 2 * D * D;
    }
  return sqrt(square);
}

static PetscBool all_finite(PetscInt n, const double *a)
{
  for (PetscInt k = 0; k < n; k++)
    if (!isfinite(a[k])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Keeps the first. member: of which law's function. */
static void note(Search *se, const char *law, const char *member, double got, const char *where)
{
  char at[96];
  snprintf(at, sizeof(at), se->form->space->dim > 2 ? "%g, %g, %g" : "%g, %g", se->place[0], se->place[1],
           se->place[2]);
  snprintf(
      se->text, sizeof(se->text),
      "the law '%s' itself gives %g for %s at (%s) m, where %sthe shear rate is %.4g 1/s: expected a finite number "
      "(rheoplex check-law %s), which no time step makes of it",
      law, got, member, at, where, shear_rate_of(se), law);
}

static void look_at_viscosity(Search *se)
{
  const RhxForm form = se->form;
  double eta;
  if (!form->viscous) return;
  se->point->viscosity(form->viscous, form->viscous_par, se->L, &eta);
  if (!isfinite(eta)) note(se, form->viscous->name, "the viscosity", eta, "");
}

static void look_at_values(Search *se, const RhxFormMode *fm, const char *function, int n, const char *const *names,
                           const double *v, const double *c)
{
  char member[96], where[64];
  for (int k = 0; k < n && !se->text[0]; k++) {
    if (isfinite(v[k])) continue;
    snprintf(member, sizeof(member), "%s of %s, mode %d,", names ? names[k] : component_name(n, k), function,
             (int)fm->number);
    snprintf(where, sizeof(where), "tr c is %.4g and ", c[0] + c[1] + (se->ntens == 3 ? 1 : c[2]));
    note(se, fm->law->name, member, v[k], where);
  }
}

/* Is it far from rest, or so far that the law, finite nearer to it, has left every scale there? exp(epsilon tr c) overflows at a tr c
 * of thousands. */
static PetscBool is_lost(const Search *se, const RhxFormMode *fm, const double *c)
{
  double near[6], r[6], rest, largest = 0;

  for (int k = 0; k < se->ntens; k++)
    if (!(fabs(c[k]) <= FAR)) return PETSC_TRUE;
  for (double part = 1; part > 1e-6; part /= 2) {
    for (int k = 0; k < se->ntens; k++) {
      rest = k < (se->ntens == 3 ? 2 : 3) ? 1 : 0;
      near[k] = rest + part * (c[k] - rest);
    }
    se->point->rate(fm->law, fm->par, se->L, near, r);
    if (!all_finite(se->ntens, r)) continue;
    for (int k = 0; k < se->ntens; k++) largest = fmax(largest, fabs(r[k]));
    return (PetscBool)(part < 1 && largest > BEYOND);
  }
  return PETSC_FALSE;
}

/* Of a conformation that means something. */
static PetscErrorCode look_at_mode(Search *se, PetscInt m)
{
  static const char *const names[] = {"eta_p", "lambda", "modulus"};
  const RhxFormMode *fm = &se->form->mode[m];
  double c[6], r[6], tau[6], prop[3];

  PetscFunctionBegin;
  PetscCall(RhxFormConformation(se->form, m, 1, se->block, c));
  if (!all_finite(se->ntens, c) || !(RhxMinEigenvalue(se->ntens, c) > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  if (is_lost(se, fm, c)) PetscFunctionReturn(PETSC_SUCCESS);
  se->point->properties(fm->law, fm->par, se->L, c, prop);
  se->point->rate(fm->law, fm->par, se->L, c, r);
  se->point->stress(fm->law, fm->par, se->L, c, tau);
  look_at_values(se, fm, "rate", se->ntens, NULL, r, c);
  look_at_values(se, fm, "stress", se->ntens, NULL, tau, c);
  look_at_values(se, fm, "properties", 3, names, prop, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverse of J[dim][dim]; 0: it has none. */
static double invert(PetscInt dim, const double *J, double *inverse)
{
  double det;
  if (dim == 2) {
    det = J[0] * J[3] - J[1] * J[2];
    inverse[0] = J[3] / det, inverse[1] = -J[1] / det, inverse[2] = -J[2] / det, inverse[3] = J[0] / det;
    return det;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse[3 * i + j] = J[3 * a + c] * J[3 * b + d] - J[3 * a + d] * J[3 * b + c];
    }
  det = J[0] * inverse[0] + J[1] * inverse[3] + J[2] * inverse[6];
  for (int k = 0; k < 9; k++) inverse[k] /= det;
  return det;
}

/* Place, fields and velocity gradient of point q of element e. */
static void interpolate(Search *se, const RhxCells *ce, PetscInt e, PetscInt q)
{
  const RhxSpace sp = se->form->space;
  const PetscInt dim = sp->dim, u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);
  double J[9] = {0}, inverse[9], G[9] = {0};

  for (PetscInt k = 0; k < sp->bs; k++) se->block[k] = 0;
  for (PetscInt d = 0; d < 3; d++) se->place[d] = 0;
  for (PetscInt a = 0; a < ce->nn; a++) {
    const PetscScalar *node = se->x + (size_t)RhxCellsNode(ce, e, a) * sp->bs;
    const PetscReal *at = ce->x + ((size_t)(e / RHX_LANES) * ce->nn + a) * dim * RHX_LANES + e % RHX_LANES;
    const PetscReal N = ce->N[q * ce->nn + a], *dN = ce->dN + (q * ce->nn + a) * dim;
    for (PetscInt k = 0; k < sp->bs; k++) se->block[k] += N * node[k];
    for (PetscInt i = 0; i < dim; i++) {
      se->place[i] += N * at[i * RHX_LANES];
      for (PetscInt j = 0; j < dim; j++) {
        J[i * dim + j] += at[i * RHX_LANES] * dN[j];
        G[i * dim + j] += node[u + i] * dN[j];
      }
    }
  }
  (void)invert(dim, J, inverse);
  for (int k = 0; k < 9; k++) se->L[k] = 0;
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++)
      for (PetscInt k = 0; k < dim; k++) se->L[i * se->dim + j] += G[i * dim + k] * inverse[k * dim + j];
}

static PetscErrorCode search(Search *se)
{
  const RhxSpace sp = se->form->space;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < sp->ntypes; t++) {
    const RhxCells *ce = &sp->cells[t];
    for (PetscInt e = 0; e < ce->n; e++)
      for (PetscInt q = 0; q < ce->nq && !se->text[0]; q++) {
        interpolate(se, ce, e, q);
        if (!all_finite(sp->bs, se->block) || !all_finite(9, se->L)) continue;
        look_at_viscosity(se);
        for (PetscInt m = 0; m < se->form->nmodes && !se->text[0]; m++) PetscCall(look_at_mode(se, m));
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFindLawFault(RhxForm form, Vec x, size_t size, char *text)
{
  const RhxSpace sp = form->space;
  const PetscScalar *owned;
  PetscScalar *local;
  PetscMPIInt rank, first;
  Search *se;

  PetscFunctionBegin;
  PetscCall(PetscNew(&se));
  se->form = form;
  se->ntens = (int)sp->ntens;
  se->dim = sp->ntens == 6 ? 3 : (int)sp->dim;
  se->point = RhxPointLawGet(se->dim, se->ntens, RHX_KIND_DOUBLE);
  PetscCall(PetscMalloc2(sp->bs, &se->block, (size_t)sp->nlocal * sp->bs, &local));
  PetscCall(VecGetArrayRead(x, &owned));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, owned, local));
  PetscCall(VecRestoreArrayRead(x, &owned));
  se->x = local;
  PetscCall(search(se));
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  first = se->text[0] ? rank : PETSC_MPI_INT_MAX;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, form->comm));
  if (first != PETSC_MPI_INT_MAX) PetscCallMPI(MPI_Bcast(se->text, sizeof(se->text), MPI_CHAR, first, form->comm));
  PetscCall(PetscStrncpy(text, se->text, size));
  PetscCall(PetscFree2(se->block, local));
  PetscCall(PetscFree(se));
  PetscFunctionReturn(PETSC_SUCCESS);
}
