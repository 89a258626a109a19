#include "output/quantity.h"
#include "form/nodal_gradient.h"
#include "form/scalars.h"
#include "kernels/geometry.h"
#include "law/eigenvalue.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/word.h"
#include <math.h>
#include <rheoplex/plugin.h>
#include <string.h>

enum {
  FROM_STATE,
  TOTAL_STRESS,
  STRESS_TRACE,
  NORMAL_STRESS,
  MODE_STRESS,
  MODE_C,
  MODE_TRACE,
  MODE_MIN,
  MODE_LOG,
  VORTICITY,
  SHEAR_RATE,
  VISCOSITY,
  Q_CRITERION,
  WEISSENBERG,
  RANK,
  CFL
};

static const char *const vector_components[] = {"X", "Y", "Z"};
const char *const RhxTensorComponents[6] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};

#define CHUNK 256 /* nodes whose tensors are held at a time */

/* mode < 0: the name stands alone, else it ends in the number of the mode (unless there is but one). */
static RhxQuantity *add(RhxQuantities *all, int source, PetscInt index, const char *name, PetscInt mode,
                        const char *unit, PetscInt components)
{
  RhxQuantity *q = &all->item[all->n++];

  if (mode < 0 || all->form->nmodes == 1)
    snprintf(q->name, sizeof(q->name), "%s", name);
  else
    snprintf(q->name, sizeof(q->name), "%s_%d", name, (int)mode);
  q->unit = unit;
  q->components = components;
  q->component = components == 6 ? RhxTensorComponents : components == 3 ? vector_components : NULL;
  q->common = PETSC_TRUE;
  q->cell = (PetscBool)(source == RANK || source == CFL);
  q->slope = (PetscBool)(source >= VORTICITY && source <= WEISSENBERG);
  q->source = source;
  q->index = index;
  return q;
}

static void add_modes(RhxQuantities *all)
{
  const PetscInt nmodes = all->form->nmodes;

  if (!nmodes) return;
  add(all, TOTAL_STRESS, 0, "stress", -1, "Pa", 6);
  add(all, STRESS_TRACE, 0, "stress_trace", -1, "Pa", 1);
  for (PetscInt k = 0; k < nmodes; k++) {
    if (nmodes > 1) add(all, MODE_STRESS, k, "stress", k, "Pa", 6);
    add(all, MODE_C, k, "conformation", k, "1", 6);
    add(all, MODE_TRACE, k, "conformation_trace", k, "1", 1);
    add(all, MODE_MIN, k, "conformation_min_eigenvalue", k, "1", 1);
  }
}

/* A reader takes the first of two arrays of one name. */
static PetscErrorCode check_names(const RhxQuantities *all)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++)
    for (PetscInt k = 0; k < i; k++)
      PetscCheck(strcmp(all->item[i].name, all->item[k].name), all->form->comm, PETSC_ERR_ARG_INCOMP,
                 "-physics: got a scalar field '%s', which is the name of what files of fields have too "
                 "(-output_fields), expected another one",
                 all->item[i].name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxQuantitiesCreate(RhxForm form, RhxQuantities **out)
{
  const RhxSpace space = form->space;
  const PetscInt nmodes = form->nmodes;
  RhxQuantities *all;
  PetscInt common;

  PetscFunctionBegin;
  PetscCall(PetscNew(&all));
  all->form = form;
  PetscCall(PetscCalloc1(space->nfields + 5 * nmodes + 10, &all->item));
  for (PetscInt f = 0; f < space->nfields; f++)
    if (space->field[f].output[0])
      add(all, FROM_STATE, f, space->field[f].output, -1, space->field[f].unit,
          space->field[f].kind == RHX_VECTOR ? 3 : 1);
  add_modes(all);
  add(all, RANK, 0, "rank", -1, "1", 1);
  common = all->n;
  if (nmodes) add(all, NORMAL_STRESS, 0, "n1", -1, "Pa", 1);
  for (PetscInt k = 0; k < nmodes; k++) add(all, MODE_LOG, k, "log_conformation", k, "1", 6);
  add(all, VORTICITY, 0, "vorticity", -1, "1/s", space->dim == 3 || form->swirl >= 0 ? 3 : 1);
  add(all, SHEAR_RATE, 0, "shear_rate", -1, "1/s", 1);
  add(all, VISCOSITY, 0, "viscosity", -1, "Pa s", 1);
  add(all, Q_CRITERION, 0, "q_criterion", -1, "1/s^2", 1);
  if (nmodes) add(all, WEISSENBERG, 0, "wi", -1, "1", 1);
  add(all, CFL, 0, "cfl", -1, "1", 1);
  for (PetscInt k = common; k < all->n; k++) all->item[k].common = PETSC_FALSE;
  PetscCall(check_names(all));
  *out = all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxQuantitiesDestroy(RhxQuantities **all)
{
  PetscFunctionBegin;
  if (!*all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*all)->item));
  PetscCall(PetscFree(*all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- By name ---- */

static PetscErrorCode refuse(const RhxQuantities *all, const char *option, const char *name)
{
  const char *known[128], *near;
  char list[2048] = "";
  PetscInt n = PetscMin(all->n, 128);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    known[k] = all->item[k].name;
    PetscCall(PetscStrlcat(list, k ? ", " : "", sizeof(list)));
    PetscCall(PetscStrlcat(list, known[k], sizeof(list)));
  }
  near = RhxNearest(name, n, known);
  SETERRQ(all->form->comm, PETSC_ERR_USER_INPUT,
          "%s: got the field '%s', which a state of these laws does not have%s%s%s; expected some of default, all, %s",
          option, name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

PetscErrorCode RhxQuantitiesSelect(const RhxQuantities *all, const char *option, const char *text, PetscInt *n,
                                   PetscInt **which)
{
  PetscBool *in, found;
  char **word;
  int nwords;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(all->n, &in));
  PetscCall(PetscMalloc1(all->n, which));
  PetscCall(PetscStrToArray(text, ',', &nwords, &word));
  *n = 0;
  for (int i = 0; i < nwords; i++) {
    const char *name = RhxWord(word[i]);
    found = PETSC_FALSE;
    for (PetscInt k = 0; k < all->n; k++) {
      const RhxQuantity *q = &all->item[k];
      if (strcmp(name, q->name) && strcmp(name, "all") && (strcmp(name, "default") || !q->common)) continue;
      found = PETSC_TRUE;
      if (!in[k]) (*which)[(*n)++] = k;
      in[k] = PETSC_TRUE;
    }
    if (!found) PetscCall(refuse(all, option, name));
  }
  PetscCall(PetscStrToArrayDestroy(nwords, word));
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxQuantityExtend(const RhxQuantities *all, PetscInt k, PetscInt *first, PetscInt *end)
{
  const RhxSpace space = all->form->space;
  const RhxQuantity *q = &all->item[k];
  const RhxField *f = &space->field[q->index];
  const PetscBool flow = (PetscBool)(q->slope || q->source == CFL);
  const PetscBool modes = (PetscBool)(q->source == VISCOSITY || q->source == WEISSENBERG ||
                                      (q->source >= TOTAL_STRESS && q->source <= MODE_LOG));

  if (q->source == RANK) return;
  if (q->source == FROM_STATE) {
    *first = PetscMin(*first, f->offset);
    *end = PetscMax(*end, f->offset + f->components);
  }
  if (all->form->swirl >= 0 && (flow || (q->source == FROM_STATE && f->group == RHX_GROUP_VELOCITY)))
    *end = PetscMax(*end, all->form->first_scalar + all->form->swirl + 1);
  if ((q->source == VISCOSITY || q->source == WEISSENBERG) && all->form->coupled)
    *end = PetscMax(*end, all->form->first_scalar + all->form->nscalars);
  if (flow) {
    *first = PetscMin(*first, RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY));
    *end = PetscMax(*end, RhxFieldsEnd(space->fields, RHX_GROUP_VELOCITY));
  }
  if (modes && all->form->nmodes) {
    *first = PetscMin(*first, RhxFieldsStart(space->fields, RHX_GROUP_MODES));
    *end = PetscMax(*end, RhxFieldsEnd(space->fields, RHX_GROUP_MODES));
  }
}

PetscBool RhxQuantityIsState(const RhxQuantities *all, PetscInt k, PetscInt *offset)
{
  const RhxQuantity *q = &all->item[k];

  if (q->source != FROM_STATE) return PETSC_FALSE;
  *offset = all->form->space->field[q->index].offset;
  return PETSC_TRUE;
}

/* ---- At nodes ---- */

void RhxTensorToParaView(PetscInt ntens, double zz, const PetscScalar *a, double out[6])
{
  out[0] = a[0];
  out[1] = a[1];
  out[2] = ntens == 3 ? zz : a[2];
  out[3] = a[ntens - 1];
  out[4] = ntens == 6 ? a[3] : 0;
  out[5] = ntens == 6 ? a[4] : 0;
}

static double trace_of(const double a[6]) { return a[0] + a[1] + a[2]; }

/* Sum of the modes' stresses at n <= CHUNK nodes, ParaView's order. */
static PetscErrorCode total_stress(RhxForm form, PetscInt n, const PetscScalar *x, double (*out)[6])
{
  PetscScalar tau[CHUNK * 6];
  double one[6];

  PetscFunctionBegin;
  memset(out, 0, n * sizeof(*out));
  for (PetscInt m = 0; m < form->nmodes; m++) {
    PetscCall(RhxFormPolymerStress(form, m, n, x, tau));
    for (PetscInt i = 0; i < n; i++) {
      RhxTensorToParaView(form->space->ntens, 0, tau + i * form->space->ntens, one);
      for (int k = 0; k < 6; k++) out[i][k] += one[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* log c; NaN where c has none. */
static PetscErrorCode logarithm(RhxForm form, const PetscScalar *c, double out[6])
{
  const PetscInt ntens = form->space->ntens;
  double s[6];

  PetscFunctionBegin;
  if (RhxMinEigenvalue(ntens, c) > 0)
    PetscCall(RhxFormLogarithm(form, c, s));
  else
    for (int k = 0; k < 6; k++) s[k] = NAN;
  RhxTensorToParaView(ntens, 0, s, out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode of_mode(RhxForm form, const RhxQuantity *q, PetscInt n, const PetscScalar *x, double *out)
{
  const PetscInt ntens = form->space->ntens;
  PetscScalar c[CHUNK * 6];
  double full[6];

  PetscFunctionBegin;
  if (q->source == MODE_STRESS)
    PetscCall(RhxFormPolymerStress(form, q->index, n, x, c));
  else
    PetscCall(RhxFormConformation(form, q->index, n, x, c));
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar *a = c + i * ntens;
    RhxTensorToParaView(ntens, q->source == MODE_STRESS ? 0 : 1, a, full);
    if (q->source == MODE_TRACE)
      out[i] = trace_of(full);
    else if (q->source == MODE_MIN)
      out[i] = RhxMinEigenvalue(ntens, a);
    else if (q->source == MODE_LOG)
      PetscCall(logarithm(form, a, out + 6 * i));
    else
      memcpy(out + 6 * i, full, sizeof(full));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shear rate sqrt(2 D:D), and (W:W - D:D)/2 with W the antisymmetric part. */
static void invariants(PetscInt m, const PetscScalar *L, double *rate, double *q)
{
  double dd = 0, ww = 0;

  for (PetscInt i = 0; i < m; i++)
    for (PetscInt j = 0; j < m; j++) {
      const double d = 0.5 * (L[i * m + j] + L[j * m + i]), w = 0.5 * (L[i * m + j] - L[j * m + i]);
      dd += d * d;
      ww += w * w;
    }
  *rate = sqrt(2 * dd);
  *q = 0.5 * (ww - dd);
}

/* Viscosity of solvent and modes, and the largest relaxation time times shear rate; in axisymmetric flow of the laws in space. */
static PetscErrorCode properties(RhxForm form, const PetscScalar *x, const PetscScalar *L, double *eta, double *wi)
{
  const RhxSpace space = form->space;
  const PetscInt m = RhxGradientSize(space);
  const RhxPointLaw *law = RhxPointLawGet((int)m, m > space->dim ? 6 : (int)space->ntens, RHX_KIND_DOUBLE);
  double c[6], prop[3], asked[9], factor[2], rate, q;

  PetscFunctionBegin;
  *eta = *wi = 0;
  invariants(m, L, &rate, &q);
  PetscCall(RhxFormShift(form, x + form->first_scalar, factor));
  for (PetscInt k = 0; k < m * m; k++) asked[k] = factor[0] * L[k];
  if (form->viscous) law->viscosity(form->viscous, form->viscous_par, asked, eta);
  *eta *= factor[0] * factor[1];
  for (PetscInt k = 0; k < form->nmodes; k++) {
    PetscCall(RhxFormConformation(form, k, 1, x, c));
    if (m > space->dim && space->ntens == 4) c[5] = c[3], c[3] = c[4] = 0;
    law->properties(form->mode[k].law, form->mode[k].par, asked, c, prop);
    *eta += factor[0] * prop[0];
    *wi = fmax(*wi, factor[0] * prop[1] * rate);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode of_slope(RhxForm form, const RhxQuantity *q, const PetscScalar *x, const PetscScalar *L,
                               double *out)
{
  const PetscInt m = RhxGradientSize(form->space);
  double first, second; /* of two that are found together */

  PetscFunctionBegin;
  if (q->source == VORTICITY && q->components == 1) {
    out[0] = L[m] - L[1];
  } else if (q->source == VORTICITY) {
    for (int i = 0; i < 3; i++) out[i] = L[(i + 2) % 3 * 3 + (i + 1) % 3] - L[(i + 1) % 3 * 3 + (i + 2) % 3];
  } else if (q->source == SHEAR_RATE || q->source == Q_CRITERION) {
    invariants(m, L, &first, &second);
    out[0] = q->source == SHEAR_RATE ? first : second;
  } else {
    PetscCall(properties(form, x, L, &first, &second));
    out[0] = q->source == VISCOSITY ? first : second;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The velocity has u_theta as its third component. */
static PetscBool is_swirling(RhxForm form, const RhxField *f)
{
  return (PetscBool)(form->swirl >= 0 && f->group == RHX_GROUP_VELOCITY);
}

static PetscErrorCode evaluate(const RhxQuantities *all, const RhxQuantity *q, PetscInt n, const PetscScalar *x,
                               const PetscScalar *L, double *out)
{
  const RhxForm form = all->form;
  const RhxSpace space = form->space;
  const PetscInt nL = PetscSqr(RhxGradientSize(space));
  double stress[CHUNK][6];

  PetscFunctionBegin;
  if (q->source >= TOTAL_STRESS && q->source <= NORMAL_STRESS) PetscCall(total_stress(form, n, x, stress));
  if (q->source >= MODE_STRESS && q->source <= MODE_LOG) PetscCall(of_mode(form, q, n, x, out));
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar *node = x + (size_t)i * space->bs;
    double *to = out + i * q->components;
    const RhxField *f = &space->field[q->index];

    if (q->source == FROM_STATE)
      for (PetscInt d = 0; d < q->components; d++)
        to[d] = d < f->components                            ? node[f->offset + d]
                : d == f->components && is_swirling(form, f) ? node[form->first_scalar + form->swirl]
                                                             : 0;
    else if (q->source == TOTAL_STRESS)
      memcpy(to, stress[i], sizeof(*stress));
    else if (q->source == STRESS_TRACE)
      *to = trace_of(stress[i]);
    else if (q->source == NORMAL_STRESS)
      *to = stress[i][0] - stress[i][1];
    else if (q->slope)
      PetscCall(of_slope(form, q, node, L + (size_t)i * nL, to));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxQuantityEvaluate(const RhxQuantities *all, PetscInt k, PetscInt n, const PetscScalar *x,
                                   const PetscScalar *L, double *out)
{
  const RhxSpace space = all->form->space;
  const RhxQuantity *q = &all->item[k];
  const PetscInt nL = PetscSqr(RhxGradientSize(space));

  PetscFunctionBegin;
  for (PetscInt start = 0; start < n; start += CHUNK) {
    const PetscInt some = PetscMin(CHUNK, n - start);
    PetscCall(evaluate(all, q, some, x + (size_t)start * space->bs, q->slope ? L + (size_t)start * nL : NULL,
                       out + start * q->components));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxGradientSize(RhxSpace space) { return space->axisymmetric ? 3 : space->dim; }

#define ON_AXIS 1e-10 /* of the largest radius: a node so near has r = 0 */

static PetscErrorCode find_axis(RhxSpace space, PetscReal *least)
{
  PetscReal far = 0;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < space->nowned; a++) far = PetscMax(far, space->x[2 * a + 1]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPIU_REAL, MPIU_MAX, space->comm));
  *least = ON_AXIS * far;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L_hoop = u_r/r, on the axis du_r/dr, at the nodes of this rank; L[nowned][3][3]. */
static PetscErrorCode add_hoop(RhxSpace space, const PetscScalar *x, PetscScalar *L)
{
  const PetscInt radial = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY) + 1;
  PetscReal least;

  PetscFunctionBegin;
  PetscCall(find_axis(space, &least));
  for (PetscInt a = 0; a < space->nowned; a++) {
    const PetscReal r = space->x[2 * a + 1];
    L[9 * a + 8] = r > least ? x[(size_t)a * space->bs + radial] / r : L[9 * a + 4];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L_theta,. of u_theta, and L_r,theta = -u_theta/r, on the axis -d u_theta/dr. */
static PetscErrorCode add_swirl(RhxForm form, const PetscScalar *x, PetscScalar *L)
{
  const RhxSpace space = form->space;
  const PetscInt at = form->first_scalar + form->swirl, n = space->nlocal;
  PetscScalar *w, *slope;
  PetscReal least;

  PetscFunctionBegin;
  PetscCall(find_axis(space, &least));
  PetscCall(PetscMalloc2(n, &w, n * 2, &slope));
  for (PetscInt a = 0; a < n; a++) w[a] = x[(size_t)a * space->bs + at];
  PetscCall(RhxFormNodalGradient(form, w, slope));
  for (PetscInt a = 0; a < space->nowned; a++) {
    const PetscReal r = space->x[2 * a + 1];
    for (PetscInt j = 0; j < 2; j++) L[9 * a + 6 + j] = slope[2 * a + j] / space->mass[a];
    L[9 * a + 5] = r > least ? -w[a] / r : -L[9 * a + 7];
  }
  PetscCall(PetscFree2(w, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxVelocityGradient(RhxForm form, const PetscScalar *x, PetscScalar *L)
{
  const RhxSpace space = form->space;
  const PetscInt dim = space->dim, m = RhxGradientSize(space), n = space->nlocal,
                 first = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  PetscScalar *u, *slope;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &u, n * dim, &slope));
  PetscCall(PetscArrayzero(L, (size_t)n * m * m));
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt a = 0; a < n; a++) u[a] = x[(size_t)a * space->bs + first + i];
    PetscCall(RhxFormNodalGradient(form, u, slope));
    for (PetscInt a = 0; a < space->nowned; a++)
      for (PetscInt j = 0; j < dim; j++) L[(a * m + i) * m + j] = slope[a * dim + j] / space->mass[a];
  }
  if (space->axisymmetric) PetscCall(add_hoop(space, x, L));
  if (form->swirl >= 0) PetscCall(add_swirl(form, x, L));
  PetscCall(RhxSpaceGlobalToLocal(space, m * m, L, L));
  PetscCall(PetscFree2(u, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- In elements ---- */

/* sqrt(u.g.u)/2 of element e at its first quadrature point: with it the scheme bounds dt. 1/s */
static double convective_rate(RhxSpace space, const RhxCells *c, PetscInt e, const PetscScalar *x)
{
  const PetscInt dim = space->dim, lane = e % RHX_LANES, first = (e / RHX_LANES) * c->nn;
  double J[3][3] = {{0}}, Ji[3][3], g[3][3], u[3] = {0}, s = 0;

  for (PetscInt a = 0; a < c->nn; a++) {
    const PetscScalar *node = x + (size_t)c->conn[(first + a) * RHX_LANES + lane] * space->bs;
    for (PetscInt i = 0; i < dim; i++) {
      u[i] += c->N[a] * node[RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY) + i];
      for (PetscInt j = 0; j < dim; j++)
        J[i][j] += c->x[((first + a) * dim + i) * RHX_LANES + lane] * c->dN[a * dim + j];
    }
  }
  (void)rhx_invert((int)dim, J, Ji);
  (void)rhx_metric((int)dim, c->nn == dim + 1, Ji, c->metric, 1.0, g);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) s += u[i] * g[i][j] * u[j];
  return 0.5 * sqrt(s);
}

PetscErrorCode RhxQuantityEvaluateCells(const RhxQuantities *all, PetscInt k, const PetscScalar *x, double dt,
                                        double *out)
{
  const RhxSpace space = all->form->space;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(space->comm, &rank));
  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      *out++ = all->item[k].source == RANK ? rank : dt * convective_rate(space, &space->cells[t], e, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}
