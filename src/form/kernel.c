/* Element and face loops on the host: one SIMD lane an element, the pipeline of stages at one quadrature point at a time
 * (ARCHITECTURE.md, "The weak form as a pipeline of stages"). */
#include "form/kernel.h"
#include "kernels/limits.h"
#include "petsc_compat.h"
#include "plugin/registry.h"
#include <string.h>

#define DIM RHX_DIM
#define NTENS RHX_NTENS
#define LANES RHX_LANES   /* of the tables */
#define NLANES RHX_NLANES /* of a number: the kind that counts sees the first */
#define NAME_(a, b, c, d) a##b##c##d
#define NAME(a, b, c, d) NAME_(a, b, c, d)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define MAX_NODES (1 << DIM)
#define FIRST_MODE (DIM + 1)

/* Workspace of one lane group; the arrays follow the struct. */
typedef struct {
  const RhxPolymericOps *law[RHX_MAX_MODES];
  const RhxStabiliserOps *stab[RHX_MAX_STABILISERS];
  const RhxViscousOps *viscous;
  RhxReal *U, *V, *A, *S, *R; /* [nn][bs] state, rate; [nn][naux]; [nn][bs] source, result */
  RhxReal *aux;               /* [naux] at the point */
  RhxMode *mode;              /* [nmodes] */
  RhxLog *log;                /* [nmodes] exponentials of log c */
} Work;

/* The nodal values of one lane group: arrays of the workspace, or local ones where the number of modes is known to the
 * compiler, which keeps them apart from everything else in memory. */
typedef struct {
  RhxReal *U, *V, *S, *R; /* [nn][bs] state, rate, source, result */
  RhxMode *mode;          /* [nmodes] */
  RhxLog *log;
  PetscInt bs;
  int nmodes;
} Element;

#define ONE_MODE (MAX_NODES * (FIRST_MODE + NTENS))

/* Geometry of the group at one point. */
typedef struct {
  RhxReal dN[MAX_NODES][DIM]; /* gradients in space */
  RhxReal w;                  /* weight times Jacobian */
  RhxReal x[DIM], g[DIM][DIM], ih2;
} Geometry;

ALWAYS_INLINE RhxReal load(const PetscReal *p)
{
  RhxReal v;
#if RHX_KIND == RHX_KIND_LANES
  memcpy(&v, p, sizeof(v));
#else
  v = p[0];
#endif
  return v;
}

ALWAYS_INLINE double largest(RhxReal v)
{
  double m = RHX_LANE(v, 0);
  for (int l = 1; l < NLANES; l++)
    if (!(RHX_LANE(v, l) <= m)) m = RHX_LANE(v, l);
  return m;
}

static const void *ops_of(const RhxPlugin *p)
{
  const int v = RhxVariantIndex(DIM, NTENS, RHX_KIND_LANES);
  return RHX_KIND == RHX_KIND_LANES ? p->variant[v] : p->count[v / 3];
}

static size_t work_bytes(RhxForm form)
{
  size_t bs = form->space->bs, naux = form->naux, n = MAX_NODES;
  return sizeof(Work) + sizeof(RhxReal) * (4 * n * bs + (n + 1) * naux + 8) +
         (sizeof(RhxMode) + sizeof(RhxLog)) * form->nmodes + 9 * 64;
}

static void *carve(char **at, size_t bytes)
{
  char *p = (char *)(((size_t)*at + 63) & ~(size_t)63);
  *at = p + bytes;
  return p;
}

static Work *work_of(RhxForm form)
{
  Work *wk = form->work;
  char *at = (char *)(wk + 1);
  size_t block = sizeof(RhxReal) * MAX_NODES * form->space->bs, naux = form->naux;
  wk->U = carve(&at, block);
  wk->V = carve(&at, block);
  wk->S = carve(&at, block);
  wk->R = carve(&at, block);
  wk->A = carve(&at, sizeof(RhxReal) * MAX_NODES * naux);
  wk->aux = carve(&at, sizeof(RhxReal) * (naux + 1));
  wk->mode = carve(&at, sizeof(RhxMode) * form->nmodes);
  wk->log = carve(&at, sizeof(RhxLog) * form->nmodes);
  wk->viscous = form->viscous ? ops_of(form->viscous) : NULL;
  for (int m = 0; m < form->nmodes; m++) wk->law[m] = ops_of(form->mode[m].law);
  for (int k = 0; k < form->nstabilisers; k++) wk->stab[k] = ops_of(form->stabiliser[k].plugin);
  return wk;
}

static Element element_of(RhxForm form, const Work *wk)
{
  const Element el = {wk->U, wk->V, wk->S, wk->R, wk->mode, wk->log, form->space->bs, (int)form->nmodes};
  return el;
}

/* to[nn][bs], one lane an element, from node blocks */
ALWAYS_INLINE void gather(int nn, PetscInt bs, const PetscInt *conn, const PetscScalar *from, RhxReal *to)
{
  for (int a = 0; a < nn; a++) {
    const PetscScalar *s[NLANES];
    for (int l = 0; l < NLANES; l++) s[l] = from + (size_t)conn[a * LANES + l] * bs;
    for (PetscInt c = 0; c < bs; c++) {
      RhxReal v;
      for (int l = 0; l < NLANES; l++) RHX_LANE(v, l) = s[l][c];
      to[a * bs + c] = v;
    }
  }
}

/* Adds components [first, last); lanes below `lanes` are elements, the rest is padding. Lanes may share nodes. */
ALWAYS_INLINE void scatter(int nn, PetscInt bs, PetscInt first, PetscInt last, const PetscInt *conn, int lanes,
                           const RhxReal *from, PetscScalar *to)
{
  for (int a = 0; a < nn; a++) {
    PetscScalar *d[NLANES];
    for (int l = 0; l < NLANES; l++) d[l] = to + (size_t)conn[a * LANES + l] * bs;
    for (PetscInt c = first; c < last; c++) {
      const RhxReal v = from[a * bs + c];
      if (lanes == NLANES)
        for (int l = 0; l < NLANES; l++) d[l][c] += RHX_LANE(v, l);
      else
        for (int l = 0; l < lanes; l++) d[l][c] += RHX_LANE(v, l);
    }
  }
}

ALWAYS_INLINE RhxReal invert(RhxReal J[DIM][DIM], RhxReal Ji[DIM][DIM])
{
#if RHX_DIM == 2
  RhxReal det = J[0][0] * J[1][1] - J[0][1] * J[1][0], id = 1.0 / det;
  Ji[0][0] = J[1][1] * id;
  Ji[0][1] = -J[0][1] * id;
  Ji[1][0] = -J[1][0] * id;
  Ji[1][1] = J[0][0] * id;
#else
  RhxReal c0 = J[1][1] * J[2][2] - J[1][2] * J[2][1], c1 = J[1][2] * J[2][0] - J[1][0] * J[2][2],
          c2 = J[1][0] * J[2][1] - J[1][1] * J[2][0];
  RhxReal det = J[0][0] * c0 + J[0][1] * c1 + J[0][2] * c2, id = 1.0 / det;
  Ji[0][0] = c0 * id;
  Ji[0][1] = (J[0][2] * J[2][1] - J[0][1] * J[2][2]) * id;
  Ji[0][2] = (J[0][1] * J[1][2] - J[0][2] * J[1][1]) * id;
  Ji[1][0] = c1 * id;
  Ji[1][1] = (J[0][0] * J[2][2] - J[0][2] * J[2][0]) * id;
  Ji[1][2] = (J[0][2] * J[1][0] - J[0][0] * J[1][2]) * id;
  Ji[2][0] = c2 * id;
  Ji[2][1] = (J[0][1] * J[2][0] - J[0][0] * J[2][1]) * id;
  Ji[2][2] = (J[0][0] * J[1][1] - J[0][1] * J[1][0]) * id;
#endif
  return det;
}

/* J_ij = d x_i / d xi_j; Ji = J^-1. */
ALWAYS_INLINE RhxReal jacobian(int nn, const PetscReal *xg, const PetscReal *dNr, RhxReal J[DIM][DIM],
                               RhxReal Ji[DIM][DIM])
{
  for (int i = 0; i < DIM; i++)
    for (int j = 0; j < DIM; j++) {
      RhxReal s = load(xg + i * LANES) * dNr[j];
      for (int a = 1; a < nn; a++) s += load(xg + (a * DIM + i) * LANES) * dNr[a * DIM + j];
      J[i][j] = s;
    }
  return invert(J, Ji);
}

/* g = Ji^T Q Ji; 1/h^2 = tr(g)/(4 dim) */
ALWAYS_INLINE void metric(int affine, const PetscReal *Q, RhxReal Ji[DIM][DIM], Geometry *ge)
{
  RhxReal tr = RHX_ZERO;
  for (int i = 0; i < DIM; i++)
    for (int j = i; j < DIM; j++) {
      RhxReal s = RHX_ZERO;
      for (int k = 0; k < DIM; k++) {
        if (affine)
          for (int m = 0; m < DIM; m++) s += Ji[k][i] * Q[k * DIM + m] * Ji[m][j];
        else
          s += Ji[k][i] * Ji[k][j];
      }
      ge->g[i][j] = ge->g[j][i] = s;
      if (i == j) tr += s;
    }
  ge->ih2 = tr / (4.0 * DIM);
}

/* Simplices (affine): gradients, metric and Jacobian are those of the first point. */
ALWAYS_INLINE void geometry(int nn, int q, const RhxCells *ce, const PetscReal *xg, Geometry *ge, RhxReal *det)
{
  const int affine = nn == DIM + 1;
  if (!affine || q == 0) {
    RhxReal J[DIM][DIM], Ji[DIM][DIM];
    const PetscReal *dNr = ce->dN + (size_t)q * nn * DIM;
    *det = jacobian(nn, xg, dNr, J, Ji);
    for (int a = 0; a < nn; a++)
      for (int i = 0; i < DIM; i++) {
        RhxReal s = dNr[a * DIM] * Ji[0][i];
        for (int k = 1; k < DIM; k++) s += dNr[a * DIM + k] * Ji[k][i];
        ge->dN[a][i] = s;
      }
    metric(affine, ce->metric, Ji, ge);
  }
  ge->w = *det * ce->w[q];
}

ALWAYS_INLINE RhxReal value(int nn, PetscInt bs, const PetscReal *N, const RhxReal *U, PetscInt c)
{
  RhxReal s = N[0] * U[c];
  for (int a = 1; a < nn; a++) s += N[a] * U[a * bs + c];
  return s;
}

ALWAYS_INLINE RhxReal slope(int nn, PetscInt bs, const Geometry *ge, const RhxReal *U, PetscInt c, int i)
{
  RhxReal s = ge->dN[0][i] * U[c];
  for (int a = 1; a < nn; a++) s += ge->dN[a][i] * U[a * bs + c];
  return s;
}

/* Interpolates the flow to the point. */
ALWAYS_INLINE void flow_at(int nn, const RhxPass *pass, Work *wk, const Element *el, const PetscReal *N,
                           const PetscReal *xg, const Geometry *ge, RhxPoint *pt)
{
  const RhxForm form = pass->form;
  const PetscInt bs = el->bs;
  pt->t = pass->t;
  pt->dt = pass->dt;
  pt->rho = form->rho;
  pt->convection = form->convection;
  pt->ih2 = ge->ih2;
  for (int i = 0; i < DIM; i++) {
    RhxReal s = N[0] * load(xg + i * LANES);
    for (int a = 1; a < nn; a++) s += N[a] * load(xg + (a * DIM + i) * LANES);
    pt->x[i] = s;
    for (int j = 0; j < DIM; j++) pt->g[i][j] = ge->g[i][j];
    pt->n[i] = RHX_ZERO;
    pt->u[i] = value(nn, bs, N, el->U, i);
    pt->ut[i] = pass->xdot ? value(nn, bs, N, el->V, i) : RHX_ZERO;
    pt->f[i] = form->source ? value(nn, bs, N, el->S, i) : RHX_ZERO;
    pt->gp[i] = slope(nn, bs, ge, el->U, DIM, i);
    for (int j = 0; j < DIM; j++) pt->gu[i][j] = slope(nn, bs, ge, el->U, i, j);
  }
  pt->p = value(nn, bs, N, el->U, DIM);
  pt->fp = form->source ? value(nn, bs, N, el->S, DIM) : RHX_ZERO;
  rhx_flow_begin(pt);
  pt->aux = wk->aux;
  if (pass->aux)
    for (PetscInt c = 0; c < form->naux; c++) wk->aux[c] = value(nn, form->naux, N, wk->A, c);
}

/* Interpolates mode m to the point. */
ALWAYS_INLINE void mode_at(int nn, const RhxPass *pass, Work *wk, const Element *el, int m, const PetscReal *N,
                           const Geometry *ge, const RhxPoint *pt, RhxMode *md)
{
  const RhxForm form = pass->form;
  const PetscInt bs = el->bs, off = FIRST_MODE + m * NTENS;
  for (int k = 0; k < NTENS; k++) {
    md->s[k] = value(nn, bs, N, el->U, off + k);
    md->st[k] = pass->xdot ? value(nn, bs, N, el->V, off + k) : RHX_ZERO;
    md->src[k] = form->source ? value(nn, bs, N, el->S, off + k) : RHX_ZERO;
    for (int i = 0; i < DIM; i++) md->gs[k][i] = slope(nn, bs, ge, el->U, off + k, i);
  }
  rhx_mode_begin(pt, md);
  md->aux = wk->aux + form->naux_flow + m * form->naux_mode;
}

/* c, properties and stress of a mode from its unknown; adds to the flow's sums. */
ALWAYS_INLINE void law_at(const RhxForm form, Work *wk, const Element *el, int m, const RhxKin *kin, RhxPoint *pt,
                          RhxMode *md)
{
  const void *par = form->mode[m].par;
  const int as = (int)form->representation;
  rhx_mode_conformation(as, &el->log[m], md);
  wk->law[m]->properties(par, kin, md->c, &md->prop);
  if (as == RHX_AS_STRESS)
    rhx_mode_from_stress(md);
  else
    wk->law[m]->stress(par, kin, md->c, md->tau);
  rhx_mode_sum(as, form->has_div_tau, md, pt);
}

ALWAYS_INLINE void transport_at(const RhxForm form, Work *wk, const Element *el, int m, const RhxKin *kin,
                                const RhxPoint *pt, RhxMode *md)
{
  RhxReal r[NTENS];
  wk->law[m]->rate(form->mode[m].par, kin, md->c, r);
  rhx_transport((int)form->representation, form->mode[m].slip, kin, pt, &el->log[m], r, md);
}

/* Kinematics stages, solvent viscosity and the modes' laws. */
ALWAYS_INLINE void laws_at(int nn, const RhxPass *pass, Work *wk, const Element *el, const PetscReal *N,
                           const Geometry *ge, RhxPoint *pt, RhxKin *kin)
{
  const RhxForm form = pass->form;
  for (int k = 0; k < form->nstabilisers; k++)
    if (wk->stab[k]->kinematics) wk->stab[k]->kinematics(form->stabiliser[k].par, &form->stabiliser[k].stage, pt);
  rhx_kinematics(pt, kin);
  if (wk->viscous) wk->viscous->viscosity(form->viscous_par, kin, &pt->eta_s);
  for (int m = 0; m < el->nmodes; m++) {
    mode_at(nn, pass, wk, el, m, N, ge, pt, &el->mode[m]);
    law_at(form, wk, el, m, kin, pt, &el->mode[m]);
  }
}

ALWAYS_INLINE void add_flow(int nn, PetscInt bs, const PetscReal *N, const Geometry *ge, const RhxPoint *pt, RhxReal *R)
{
  for (int a = 0; a < nn; a++) {
    const RhxReal w = N[a] * ge->w;
    RhxReal g[DIM];
    for (int j = 0; j < DIM; j++) g[j] = ge->dN[a][j] * ge->w;
    RhxReal sp = w * pt->f0p;
    for (int i = 0; i < DIM; i++) {
      RhxReal s = w * pt->f0u[i];
      for (int j = 0; j < DIM; j++) s += g[j] * pt->f1u[i][j];
      R[a * bs + i] += s;
      sp += g[i] * pt->f1p[i];
    }
    R[a * bs + DIM] += sp;
  }
}

ALWAYS_INLINE void add_mode(int nn, PetscInt bs, int m, const PetscReal *N, const Geometry *ge, const RhxMode *md,
                            RhxReal *R)
{
  for (int a = 0; a < nn; a++) {
    const RhxReal w = N[a] * ge->w;
    for (int k = 0; k < NTENS; k++) {
      RhxReal f = md->f1[k][0] * ge->dN[a][0];
      for (int j = 1; j < DIM; j++) f += md->f1[k][j] * ge->dN[a][j];
      R[a * bs + FIRST_MODE + m * NTENS + k] += w * md->f0[k] + ge->w * f;
    }
  }
}

/* Running maxima of the point's time scales; the first, third and fifth squared. */
typedef struct {
  RhxReal convective, viscous, elastic, wi, relaxation, growth, waves, tau;
} Maxima;

ALWAYS_INLINE void limits_at(int nn, const RhxForm form, const Work *wk, const Element *el, const RhxKin *kin,
                             const RhxPoint *pt, Maxima *mx)
{
  RhxDiffusion df = {RHX_ZERO, RHX_ZERO, RHX_ZERO};
  RhxLimits li;
  rhx_limits_begin(&li);
  for (int m = 0; m < el->nmodes; m++) {
    const void *par = form->mode[m].par;
    RhxReal c[NTENS], r[NTENS], rs[NTENS];
    rhx_limits_stretched(&el->mode[m], c);
    wk->law[m]->rate(par, kin, el->mode[m].c, r);
    wk->law[m]->rate(par, kin, c, rs);
    rhx_limits_mode((int)form->representation, pt, &el->log[m], &el->mode[m], r, rs, &li);
  }
  for (int k = 0; k < form->nstabilisers; k++)
    if (wk->stab[k]->diffusion) wk->stab[k]->diffusion(form->stabiliser[k].par, &form->stabiliser[k].stage, pt, &df);
  rhx_limits_end(nn != DIM + 1, (form->provides & RHX_PROVIDES_TENSOR) != 0, el->nmodes, pt, &df, &li);
  mx->convective = RHX_MAX(mx->convective, rhx_ugu(pt));
  mx->viscous = RHX_MAX(mx->viscous, li.viscous);
  mx->elastic = RHX_MAX(mx->elastic, li.wave);
  mx->relaxation = RHX_MAX(mx->relaxation, li.relaxation);
  mx->growth = RHX_MAX(mx->growth, li.growth);
  mx->waves = RHX_MAX(mx->waves, li.elastic);
}

/* Time of the pressure stabilisation at u = 0, its bound; last, because it overwrites u. */
ALWAYS_INLINE void tau_at(const RhxForm form, const Work *wk, RhxPoint *pt, Maxima *mx)
{
  for (int i = 0; i < DIM; i++) pt->u[i] = RHX_ZERO;
  for (int k = 0; k < form->nstabilisers; k++) {
    RhxReal tau;
    if (!wk->stab[k]->pressure_tau) continue;
    wk->stab[k]->pressure_tau(form->stabiliser[k].par, &form->stabiliser[k].stage, pt, &tau);
    mx->tau = RHX_MAX(mx->tau, tau);
  }
}

ALWAYS_INLINE void gather_all(int nn, const RhxPass *pass, const PetscInt *conn, Work *wk, const Element *el)
{
  const RhxForm form = pass->form;
  const PetscInt bs = el->bs;
  gather(nn, bs, conn, pass->x, el->U);
  if (pass->xdot) gather(nn, bs, conn, pass->xdot, el->V);
  if (pass->aux) gather(nn, form->naux, conn, pass->aux, wk->A);
  if (form->source) gather(nn, bs, conn, form->source, el->S);
}

ALWAYS_INLINE void residual_point(int nn, const RhxPass *pass, Work *wk, const Element *el, const PetscReal *N,
                                  const PetscReal *xg, const Geometry *ge, int limits, Maxima *mx)
{
  const RhxForm form = pass->form;
  const PetscInt bs = el->bs;
  RhxPoint pt;
  RhxKin kin;
  flow_at(nn, pass, wk, el, N, xg, ge, &pt);
  laws_at(nn, pass, wk, el, N, ge, &pt, &kin);
  rhx_galerkin(&pt);
  if (pass->rows & RHX_ROWS_FLOW) {
    for (int k = 0; k < form->nstabilisers; k++)
      if (wk->stab[k]->add_flow) wk->stab[k]->add_flow(form->stabiliser[k].par, &form->stabiliser[k].stage, &pt);
    add_flow(nn, bs, N, ge, &pt, el->R);
  }
  if (pass->rows & RHX_ROWS_MODES)
    for (int m = 0; m < el->nmodes; m++) {
      transport_at(form, wk, el, m, &kin, &pt, &el->mode[m]);
      for (int k = 0; k < form->nstabilisers; k++)
        if (wk->stab[k]->add_mode)
          wk->stab[k]->add_mode(form->stabiliser[k].par, &form->stabiliser[k].stage, &pt, &el->mode[m]);
      add_mode(nn, bs, m, N, ge, &el->mode[m], el->R);
    }
  if (pass->stats) {
    for (int m = 0; m < el->nmodes; m++) mx->wi = RHX_MAX(mx->wi, el->mode[m].prop.lambda * kin.shear_rate);
    if (limits) limits_at(nn, form, wk, el, &kin, &pt, mx);
    tau_at(form, wk, &pt, mx);
  }
}

ALWAYS_INLINE int lanes_of(PetscInt n, PetscInt group)
{
  return n - group * LANES < LANES ? (int)(n - group * LANES) : LANES;
}

/* nm: number of modes if the compiler is to know it, else -1. */
ALWAYS_INLINE void residual_loop(int nn, int nq, int nm, const RhxPass *pass, const RhxCells *ce)
{
  Work *wk = work_of(pass->form);
  RhxReal U[ONE_MODE], R[ONE_MODE];
  RhxMode mode;
  const Element here = {U, wk->V, wk->S, R, &mode, wk->log, FIRST_MODE + nm * NTENS, nm},
                general = element_of(pass->form, wk);
  const Element *el = nm < 0 ? &general : &here;
  const PetscInt bs = el->bs;
  const PetscInt first = pass->rows & RHX_ROWS_FLOW ? 0 : FIRST_MODE,
                 last = pass->rows & RHX_ROWS_MODES ? bs : FIRST_MODE;
  Maxima mx = {RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO, RHX_ZERO};
  for (PetscInt e = 0; e < ce->ngroups; e++) {
    const PetscInt *conn = ce->conn + (size_t)e * nn * LANES;
    const PetscReal *xg = ce->x + (size_t)e * nn * DIM * LANES;
    Geometry ge;
    RhxReal det = RHX_ZERO;
    gather_all(nn, pass, conn, wk, el);
    for (PetscInt c = 0; c < nn * bs; c++) el->R[c] = RHX_ZERO;
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, ce, xg, &ge, &det);
      residual_point(nn, pass, wk, el, ce->N + q * nn, xg, &ge, q == 0, &mx);
    }
    scatter(nn, bs, first, last, conn, lanes_of(ce->n, e), el->R, pass->out);
  }
  if (pass->stats) {
    RhxFormStats *s = pass->stats;
    s->convective = PetscMax(s->convective, 0.5 * PetscSqrtReal(largest(mx.convective)));
    s->viscous = PetscMax(s->viscous, largest(mx.viscous));
    s->elastic = PetscMax(s->elastic, PetscSqrtReal(largest(mx.elastic)));
    s->wi = PetscMax(s->wi, largest(mx.wi));
    s->tau = PetscMax(s->tau, largest(mx.tau));
    s->relaxation = PetscMax(s->relaxation, PetscSqrtReal(largest(mx.relaxation)));
    s->growth = PetscMax(s->growth, largest(mx.growth));
    s->waves = PetscMax(s->waves, largest(mx.waves));
  }
}

/* The law is evaluated only if a stabiliser says that its projections read it. */
ALWAYS_INLINE void project_point(int nn, const RhxPass *pass, Work *wk, const Element *el, int law, const PetscReal *N,
                                 const PetscReal *xg, const Geometry *ge)
{
  const RhxForm form = pass->form;
  RhxPoint pt;
  RhxKin kin;
  flow_at(nn, pass, wk, el, N, xg, ge, &pt);
  if (law)
    laws_at(nn, pass, wk, el, N, ge, &pt, &kin);
  else if (form->naux_mode)
    for (int m = 0; m < el->nmodes; m++) mode_at(nn, pass, wk, el, m, N, ge, &pt, &el->mode[m]);
  for (int k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    for (int row = 0; row < st->plugin->naux; row++) {
      if (!(st->aux_needed & (1u << row))) continue;
      const int per_mode = st->plugin->aux[row].per_mode;
      const int off = st->stage.off[row];
      for (int m = 0; m < (per_mode ? el->nmodes : 1); m++) {
        const PetscInt at = per_mode ? form->naux_flow + m * form->naux_mode + off : off;
        if (per_mode)
          wk->stab[k]->project_mode(st->par, &st->stage, row, &pt, &el->mode[m], wk->aux + at);
        else
          wk->stab[k]->project(st->par, &st->stage, row, &pt, wk->aux + at);
      }
    }
  }
  const PetscInt naux = form->naux;
  for (int a = 0; a < nn; a++) {
    const RhxReal w = N[a] * ge->w;
    RhxReal *A = wk->A + a * naux;
    for (PetscInt c = 0; c < naux; c++) A[c] += w * wk->aux[c];
  }
}

ALWAYS_INLINE void project_loop(int nn, int nq, int nm, const RhxPass *pass, const RhxCells *ce)
{
  const RhxForm form = pass->form;
  Work *wk = work_of(form);
  RhxReal U[ONE_MODE];
  RhxMode mode;
  const Element here = {U, wk->V, wk->S, NULL, &mode, wk->log, FIRST_MODE + nm * NTENS, nm},
                general = element_of(form, wk);
  const Element *el = nm < 0 ? &general : &here;
  int law = 0;
  for (int k = 0; k < form->nstabilisers; k++) law |= (form->stabiliser[k].plugin->flags & RHX_PROJECTS_LAW) != 0;
  for (PetscInt e = 0; e < ce->ngroups; e++) {
    const PetscInt *conn = ce->conn + (size_t)e * nn * LANES;
    const PetscReal *xg = ce->x + (size_t)e * nn * DIM * LANES;
    Geometry ge;
    RhxReal det = RHX_ZERO;
    gather_all(nn, pass, conn, wk, el);
    memset(wk->A, 0, sizeof(RhxReal) * nn * form->naux);
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, ce, xg, &ge, &det);
      project_point(nn, pass, wk, el, law, ce->N + q * nn, xg, &ge);
    }
    scatter(nn, form->naux, 0, form->naux, conn, lanes_of(ce->n, e), wk->A, pass->out);
  }
}

ALWAYS_INLINE void residual_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  if (pass->form->nmodes == 0)
    residual_loop(nn, nq, 0, pass, ce);
  else if (pass->form->nmodes == 1)
    residual_loop(nn, nq, 1, pass, ce);
  else
    residual_loop(nn, nq, -1, pass, ce);
}

ALWAYS_INLINE void project_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  if (pass->form->nmodes == 0)
    project_loop(nn, nq, 0, pass, ce);
  else if (pass->form->nmodes == 1)
    project_loop(nn, nq, 1, pass, ce);
  else
    project_loop(nn, nq, -1, pass, ce);
}

ALWAYS_INLINE void divergence_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  RhxReal U[MAX_NODES * DIM], R[MAX_NODES];
  for (PetscInt e = 0; e < ce->ngroups; e++) {
    const PetscInt *conn = ce->conn + (size_t)e * nn * LANES;
    Geometry ge;
    RhxReal det = RHX_ZERO;
    gather(nn, DIM, conn, pass->x, U);
    for (int a = 0; a < nn; a++) R[a] = RHX_ZERO;
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, ce, ce->x + (size_t)e * nn * DIM * LANES, &ge, &det);
      RhxReal d = RHX_ZERO;
      for (int i = 0; i < DIM; i++) d += slope(nn, DIM, &ge, U, i, i);
      for (int a = 0; a < nn; a++) R[a] += ce->N[q * nn + a] * ge.w * d;
    }
    scatter(nn, 1, 0, 1, conn, lanes_of(ce->n, e), R, pass->out);
  }
}

ALWAYS_INLINE void gradient_cells(int nn, int nq, const RhxPass *pass, const RhxCells *ce)
{
  RhxReal P[MAX_NODES], R[MAX_NODES * DIM];
  for (PetscInt e = 0; e < ce->ngroups; e++) {
    const PetscInt *conn = ce->conn + (size_t)e * nn * LANES;
    Geometry ge;
    RhxReal det = RHX_ZERO;
    gather(nn, 1, conn, pass->x, P);
    for (int a = 0; a < nn * DIM; a++) R[a] = RHX_ZERO;
    for (int q = 0; q < nq; q++) {
      geometry(nn, q, ce, ce->x + (size_t)e * nn * DIM * LANES, &ge, &det);
      for (int i = 0; i < DIM; i++) {
        RhxReal g = slope(nn, 1, &ge, P, 0, i) * ge.w;
        for (int a = 0; a < nn; a++) R[a * DIM + i] += ce->N[q * nn + a] * g;
      }
    }
    scatter(nn, DIM, 0, DIM, conn, lanes_of(ce->n, e), R, pass->out);
  }
}

/* Outward normal times area from the face's tangents; returns the area element. */
ALWAYS_INLINE RhxReal face_normal(RhxReal J[DIM][DIM], const PetscReal *tangent, RhxReal n[DIM])
{
  RhxReal a[DIM], area = RHX_ZERO;
#if RHX_DIM == 2
  for (int i = 0; i < DIM; i++) a[i] = J[i][0] * tangent[0] + J[i][1] * tangent[1];
  n[0] = a[1];
  n[1] = -a[0];
#else
  RhxReal b[DIM];
  for (int i = 0; i < DIM; i++) {
    a[i] = J[i][0] * tangent[0] + J[i][1] * tangent[1] + J[i][2] * tangent[2];
    b[i] = J[i][0] * tangent[3] + J[i][1] * tangent[4] + J[i][2] * tangent[5];
  }
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
#endif
  for (int i = 0; i < DIM; i++) area += n[i] * n[i];
  area = RHX_SQRT(area);
  for (int i = 0; i < DIM; i++) n[i] = n[i] / area;
  return area;
}

/* Face terms: f0u = -eta_s (grad u)^T n (gradient form) - prescribed traction. */
ALWAYS_INLINE void face_groups(int nn, const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term,
                               const PetscReal *traction)
{
  const RhxForm form = pass->form;
  Work *wk = work_of(form);
  const Element general = element_of(form, wk), *el = &general;
  const PetscInt bs = el->bs;
  for (PetscInt e = 0; e < fg->ngroups; e++) {
    const PetscInt *conn = fg->conn + (size_t)e * nn * LANES;
    const PetscReal *xg = fg->x + (size_t)e * nn * DIM * LANES;
    gather_all(nn, pass, conn, wk, el);
    memset(el->R, 0, sizeof(RhxReal) * nn * bs);
    for (int q = 0; q < fg->nfq; q++) {
      RhxReal J[DIM][DIM], Ji[DIM][DIM];
      const PetscReal *N = fg->N + q * nn, *dNr = fg->dN + (size_t)q * nn * DIM;
      Geometry ge;
      RhxPoint pt;
      RhxKin kin;
      jacobian(nn, xg, dNr, J, Ji);
      for (int a = 0; a < nn; a++)
        for (int i = 0; i < DIM; i++) {
          ge.dN[a][i] = dNr[a * DIM] * Ji[0][i];
          for (int k = 1; k < DIM; k++) ge.dN[a][i] += dNr[a * DIM + k] * Ji[k][i];
        }
      metric(nn == DIM + 1, fg->metric, Ji, &ge);
      flow_at(nn, pass, wk, el, N, xg, &ge, &pt);
      ge.w = face_normal(J, fg->tangent, pt.n) * fg->w[q];
      laws_at(nn, pass, wk, el, N, &ge, &pt, &kin);
      for (int i = 0; i < DIM; i++) {
        RhxReal f = RHX_ZERO;
        if (term->gradient_form) {
          f += pt.eta_s * pt.rc * pt.n[i];
          for (int j = 0; j < DIM; j++) f -= pt.eta_s * pt.gu[j][i] * pt.n[j];
        }
        if (traction) f -= load(traction + ((size_t)(e * fg->nfq + q) * DIM + i) * LANES);
        for (int a = 0; a < nn; a++) el->R[a * bs + i] += (N[a] * ge.w) * f;
      }
    }
    scatter(nn, bs, 0, DIM, conn, lanes_of(fg->n, e), el->R, pass->out);
  }
}

/* The loops compiled for each cell type of the dimension. */
#if RHX_DIM == 2
#define BY_TYPE(loop, type, ...)                                                                                   \
  switch (type) {                                                                                                  \
  case DM_POLYTOPE_TRIANGLE:                                                                                       \
    loop(3, 3, __VA_ARGS__);                                                                                       \
    break;                                                                                                         \
  case DM_POLYTOPE_QUADRILATERAL:                                                                                  \
    loop(4, 4, __VA_ARGS__);                                                                                       \
    break;                                                                                                         \
  default:                                                                                                         \
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "No element loops for cells of type %s in 2D", DMPolytopeTypes[type]); \
  }
#else
#define BY_TYPE(loop, type, ...)                                                                                   \
  switch (type) {                                                                                                  \
  case DM_POLYTOPE_TETRAHEDRON:                                                                                    \
    loop(4, 4, __VA_ARGS__);                                                                                       \
    break;                                                                                                         \
  case DM_POLYTOPE_HEXAHEDRON:                                                                                     \
    loop(8, 8, __VA_ARGS__);                                                                                       \
    break;                                                                                                         \
  default:                                                                                                         \
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "No element loops for cells of type %s in 3D", DMPolytopeTypes[type]); \
  }
#endif
#define FACE_LOOP(nn, nq, ...) face_groups(nn, __VA_ARGS__)

static PetscErrorCode kernel_residual(const RhxPass *pass, const RhxCells *ce)
{
  PetscFunctionBegin;
  BY_TYPE(residual_cells, ce->type, pass, ce);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_project(const RhxPass *pass, const RhxCells *ce)
{
  PetscFunctionBegin;
  BY_TYPE(project_cells, ce->type, pass, ce);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_faces(const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term, PetscInt group)
{
  PetscFunctionBegin;
  BY_TYPE(FACE_LOOP, fg->type, pass, fg, term, term->traction ? term->traction[group] : NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_divergence(const RhxPass *pass, const RhxCells *ce)
{
  PetscFunctionBegin;
  BY_TYPE(divergence_cells, ce->type, pass, ce);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode kernel_gradient(const RhxPass *pass, const RhxCells *ce)
{
  PetscFunctionBegin;
  BY_TYPE(gradient_cells, ce->type, pass, ce);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if RHX_KIND == RHX_KIND_LANES
#define KERNEL rhx_kernel_d
#else
#define KERNEL rhx_count_d
#endif
const RhxKernel NAME(KERNEL, RHX_DIM, t, RHX_NTENS) = {
    .work = work_bytes,
    .residual = kernel_residual,
    .project = kernel_project,
    .faces = kernel_faces,
    .divergence = kernel_divergence,
    .gradient = kernel_gradient,
};
