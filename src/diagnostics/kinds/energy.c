/* Budget of the kinetic energy, and the energy of the polymer. In 2D all is per m of depth. */
#include "diagnostics/named.h"
#include "diagnostics/traction.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "space/face.h"
#include <string.h>

enum {
  KINETIC,
  ELASTIC,
  KINETIC_RATE,
  REACTION_WORK,
  OPEN_WORK,
  INFLOW,
  BODY_WORK,
  VISCOUS,
  POLYMER,
  RELAXED,
  RESIDUAL,
  NSUMS
};
static const char *const columns[] = {
    "kinetic",        "elastic",   "kinetic_rate",        "wall_work",    "open_work",
    "kinetic_inflow", "body_work", "viscous_dissipation", "polymer_work", "polymer_dissipation",
    "residual"};

/* Owned nodes of all labels, each once. */
static PetscErrorCode list_nodes(RhxSpace space, IS *nodes)
{
  PetscInt n = 0, *list;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < space->nlabels; l++) n += space->faces[l].nnodes;
  PetscCall(PetscMalloc1(n, &list));
  n = 0;
  for (PetscInt l = 0; l < space->nlabels; l++)
    for (PetscInt i = 0; i < space->faces[l].nnodes; i++) list[n++] = space->faces[l].node[i];
  PetscCall(PetscSortRemoveDupsInt(&n, list));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, list, PETSC_COPY_VALUES, nodes));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  IS nodes; /* of all labels, owned */
} Options;

static PetscErrorCode setup(RhxDiagnostic *d)
{
  const PetscBool plane = (PetscBool)(RhxDiagnosticGetDimension(d) == 2);

  PetscFunctionBegin;
  PetscCheck(!RhxDiagnosticGetRun(d)->form->axisymmetric, RhxDiagnosticGetComm(d), PETSC_ERR_SUP,
             "-diagnostic_%s_kind: got energy in axisymmetric flow (-form_axisymmetric), expected a plane or space",
             d->name);
  for (int k = 0; k < NSUMS; k++)
    PetscCall(
        RhxDiagnosticAddColumnUnit(d, columns[k], k < KINETIC_RATE ? (plane ? "J/m" : "J") : (plane ? "W/m" : "W")));
  PetscCall(list_nodes(RhxDiagnosticGetRun(d)->form->space, &((Options *)d->own)->nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The flow at a quadrature point. */
typedef struct {
  double u[3], f[3], L[9], c[RHX_MAX_MODES][6];
} Point;

static double contract(PetscInt dim, PetscInt ntens, const double *tau, const double *L)
{
  double s = 0;

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++)
      s += tau[rhx_tensor_index((int)dim, (int)ntens, (int)i, (int)j)] * L[i * dim + j];
  return s;
}

/* The stored energy is tr tau / 2, that of linear springs, and what relaxes of it G tr r / 2, r the law's rate. */
static void add_mode(RhxForm form, PetscInt m, const Point *pt, double w, double *sum)
{
  const RhxSpace space = form->space;
  const PetscInt dim = space->dim, ntens = space->ntens, ndiag = ntens == 3 ? 2 : 3;
  const RhxPointLaw *law = RhxPointLawGet((int)dim, (int)ntens, RHX_KIND_DOUBLE);
  const RhxFormMode *mode = &form->mode[m];
  double tau[6], rate[6], prop[3];

  law->stress(mode->law, mode->par, pt->L, pt->c[m], tau);
  law->rate(mode->law, mode->par, pt->L, pt->c[m], rate);
  law->properties(mode->law, mode->par, pt->L, pt->c[m], prop);
  sum[POLYMER] += w * contract(dim, ntens, tau, pt->L);
  for (PetscInt k = 0; k < ndiag; k++) {
    sum[ELASTIC] += 0.5 * w * tau[k];
    sum[RELAXED] += 0.5 * w * prop[2] * rate[k];
  }
}

static void add_point(RhxForm form, const Point *pt, double w, double *sum)
{
  const RhxSpace space = form->space;
  const PetscInt dim = space->dim;
  double eta = 0;

  if (form->viscous)
    RhxPointLawGet((int)dim, (int)space->ntens, RHX_KIND_DOUBLE)
        ->viscosity(form->viscous, form->viscous_par, pt->L, &eta);
  for (PetscInt i = 0; i < dim; i++) {
    sum[KINETIC] += 0.5 * form->rho * w * pt->u[i] * pt->u[i];
    sum[BODY_WORK] += w * pt->f[i] * pt->u[i];
    for (PetscInt j = 0; j < dim; j++)
      sum[VISCOUS] += w * eta * (pt->L[i * dim + j] + pt->L[j * dim + i]) * pt->L[i * dim + j];
  }
  for (PetscInt m = 0; m < form->nmodes; m++) add_mode(form, m, pt, w, sum);
}

/* c[nmodes][nlocal][ntens]: nodal conformations. */
static void add_elements(RhxForm form, const PetscScalar *x, const double *c, double *sum)
{
  const RhxSpace space = form->space;
  const PetscInt dim = space->dim, ntens = space->ntens, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  double dN[8][3];
  Point pt;

  for (PetscInt t = 0; t < space->ntypes; t++)
    for (PetscInt e = 0; e < space->cells[t].n; e++)
      for (PetscInt q = 0; q < space->cells[t].nq; q++) {
        const RhxCells *cells = &space->cells[t];
        const double w = RhxCellsGradients(cells, dim, e, q, dN);
        memset(&pt, 0, sizeof(pt));
        for (PetscInt a = 0; a < cells->nn; a++) {
          const size_t node = cells->conn[((e / RHX_LANES) * cells->nn + a) * RHX_LANES + e % RHX_LANES];
          const double N = cells->N[q * cells->nn + a];
          for (PetscInt i = 0; i < dim; i++) {
            pt.u[i] += N * x[node * space->bs + u + i];
            if (form->source) pt.f[i] += N * form->source[node * space->bs + u + i];
            for (PetscInt j = 0; j < dim; j++) pt.L[i * dim + j] += x[node * space->bs + u + i] * dN[a][j];
          }
          for (PetscInt m = 0; m < form->nmodes; m++)
            for (PetscInt k = 0; k < ntens; k++) pt.c[m][k] += N * c[((size_t)m * space->nlocal + node) * ntens + k];
        }
        add_point(form, &pt, w, sum);
      }
}

/* Power of the reactions: where the velocity is given and on walls with slip, at other nodes they vanish. */
static PetscErrorCode add_reactions(RhxDiagnostic *d, const PetscScalar *x, double *sum)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  const PetscInt bs = space->bs, u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), *node;
  const IS nodes = ((Options *)d->own)->nodes;
  PetscScalar *r;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(nodes, &n));
  PetscCall(PetscMalloc1((size_t)n * bs + 1, &r));
  PetscCall(RhxSchemeFindReactions(run->ts));
  PetscCall(RhxWallReactions(run->ts, space, run->bc, NULL, nodes, r));
  PetscCall(ISGetIndices(nodes, &node));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = u; k < u + space->dim; k++) sum[REACTION_WORK] += r[i * bs + k] * x[(size_t)node[i] * bs + k];
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the lumped mass, which multiplies the rate in the scheme's balance. */
static PetscErrorCode add_rate(RhxDiagnostic *d, const PetscScalar *x, double *sum)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  const PetscInt u = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  const PetscScalar *rate;
  Vec v;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetRate(run->ts, &v));
  PetscCall(VecGetArrayRead(v, &rate));
  for (PetscInt a = 0; a < space->nowned; a++)
    for (PetscInt i = u; i < u + space->dim; i++) {
      const size_t at = (size_t)a * space->bs + i;
      sum[KINETIC_RATE] += run->form->rho * space->mass[a] * rate[at] * x[at];
    }
  PetscCall(VecRestoreArrayRead(v, &rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  double rho, *sum;
  PetscBool given; /* the velocity is: its work is that of the reactions */
} Outside;

static void add_face(void *ctx, const RhxFaceSample *s)
{
  const Outside *outside = ctx;
  double un = 0, uu = 0;

  for (int i = 0; i < 3; i++) {
    un += s->u[i] * s->n[i];
    uu += s->u[i] * s->u[i];
    if (!outside->given) outside->sum[OPEN_WORK] += (s->pressure[i] + s->solvent[i] + s->polymer[i]) * s->u[i];
  }
  outside->sum[INFLOW] -= 0.5 * outside->rho * uu * un;
}

static PetscErrorCode add_boundary(RhxDiagnostic *d, const PetscScalar *x, double *sum)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  const RhxSpace space = run->form->space;
  Outside outside = {run->form->rho * run->form->convection, sum, PETSC_FALSE};
  const PetscInt *node;
  PetscInt n;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < space->nlabels; l++) {
    PetscCall(RhxBoundaryGetVelocityNodes(run->bc, space->faces[l].label, &n, &node));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_MAX, space->comm));
    outside.given = (PetscBool)(n > 0);
    PetscCall(RhxVisitFaces(run->form, space->faces[l].label, x, add_face, &outside));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *sum)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  const size_t n = (size_t)form->space->nlocal * form->space->ntens;
  PetscScalar *x, *c;

  PetscFunctionBegin;
  (void)step;
  PetscCall(PetscArrayzero(sum, NSUMS));
  PetscCall(RhxDiagnosticGetLocalState(d, &x));
  PetscCall(PetscMalloc1(n * form->nmodes + 1, &c));
  for (PetscInt m = 0; m < form->nmodes; m++)
    PetscCall(RhxFormConformation(form, m, form->space->nlocal, x, c + m * n));
  add_elements(form, x, c, sum);
  PetscCall(add_reactions(d, x, sum));
  PetscCall(add_rate(d, x, sum));
  PetscCall(add_boundary(d, x, sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, NSUMS, MPI_DOUBLE, MPI_SUM, form->comm));
  sum[RESIDUAL] = sum[REACTION_WORK] + sum[OPEN_WORK] + sum[INFLOW] + sum[BODY_WORK] - sum[VISCOUS] - sum[POLYMER] -
                  sum[KINETIC_RATE];
  PetscCall(PetscFree(c));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(ISDestroy(&((Options *)d->own)->nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_energy = {
    .entry = {sizeof(RhxDiagnosticType), "energy",
              "budget of the kinetic energy: work of boundaries and body forces, dissipation, work on the polymer, and "
              "what does not close; energy and dissipation of the polymer"},
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .destroy = destroy};
