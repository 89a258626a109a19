/* Element and face loops on the host: one SIMD lane an element, one quadrature point at a time (kernels/compose.h). */
#include "form/host/kernel.h"
#include "form/inside_impl.h"
#include "kernels/limits.h"
#include "kernels/pass.h"
#include "petsc_compat.h"
#include "plugin/registry.h"
#include <string.h>
#if RHX_KIND == RHX_KIND_DUAL_LANES
#define RHX_LENGTH RhxLanes
#else
#define RHX_LENGTH RhxReal
#endif
#define RHX_AXES RHX_DIM
#include "kernels/geometry.h"

#define DIM RHX_DIM
#define NTENS RHX_NTENS
#define LANES RHX_LANES   /* of the tables */
#define NLANES RHX_NLANES /* of a number: the kind that counts sees the first */
#define NAME_(a, b, c, d) a##b##c##d
#define NAME(a, b, c, d) NAME_(a, b, c, d)
#define MAX_NODES (1 << DIM)
#define SHARE (1.0 / (DIM + 1)) /* of a node of a simplex in its centroid */
#define VELOCITY RHX_CORE_VELOCITY
#define PRESSURE RHX_CORE_PRESSURE(DIM)
#define FIRST_MODE RHX_CORE_MODES(DIM)
#define TANGENT (RHX_KIND == RHX_KIND_COMPLEX || RHX_KIND == RHX_KIND_DUAL_LANES)

/* A number of value v that changes by d; what is taken of one into a result, and a lane of a result: values, or derivatives, which
 * are LANE_CHANGE / UNIT. A lane of a length. */
#if RHX_KIND == RHX_KIND_DUAL_LANES
typedef RhxLanes Result;
#define SEEDED(v, d) RhxReal((v), (double)(d) - (RhxLanes){0})
#define TAKEN(x) ((x).d)
#define LANE_CHANGE(x, l) ((x)[l])
#define UNIT 1.0
#define RESULT(x, l) ((x)[l])
#define LENGTH_LANE(x, l) ((x)[l])
#elif RHX_KIND == RHX_KIND_COMPLEX
typedef RhxReal Result;
#define SEEDED(v, d) __builtin_complex((double)(v), RHX_STEP *(d))
#define TAKEN(x) (x)
#define LANE_CHANGE(x, l) __imag__(x)
#define UNIT RHX_STEP
#define RESULT(x, l) (__imag__(x) / RHX_STEP)
#define LENGTH_LANE(x, l) rhx_value(x)
#else
typedef RhxReal Result;
#define SEEDED(v, d) (v)
#define TAKEN(x) (x)
#define RESULT(x, l) RHX_LANE(x, l)
#endif

/* An auxiliary row that is needed. */
typedef struct {
  const RhxStabiliserOps *ops;
  const RhxFormStabiliser *of;
  int row, offset;
} Projection;

/* Workspace of one lane group; the arrays follow the struct. */
typedef struct {
  const RhxPolymericOps *law[RHX_MAX_MODES];
  const RhxStabiliserOps *stab[RHX_MAX_STABILISERS];
  const RhxScalarOps *owner[RHX_MAX_SCALARS];
  const RhxViscousOps *viscous;
  RhxReal *U, *V, *A, *S;                                /* [nn][bs] state, rate; [nn][naux]; [nn][bs] source */
  Result *R, *Q;                                         /* [nn][bs] residual; [nn][naux] integrals for projections */
  RhxReal *P, *B;                                        /* [3][bs] state, rate, source; [naux] of a point: matrices */
  RhxReal *G;                                            /* [bs][DIM] gradients in a simplex */
  RhxReal *aux;                                          /* [naux] at the point */
  Projection project[RHX_MAX_STABILISERS * RHX_MAX_AUX]; /* rows of the flow, of every mode, every scalar */
  int nflow, nmode, nrows;                               /* of the flow; and of a mode; and of a scalar */
  RhxMode *mode;                                         /* [nmodes] */
  RhxLog *log;                                           /* [nmodes] exponentials of log c */
  RhxScalar *scalar;                                     /* [nscalars] */
} Work;

/* The nodal values of one lane group: arrays of the workspace, or local ones where the number of modes is known to the
 * compiler, which keeps them apart from everything else in memory. */
typedef struct {
  RhxReal *U, *V, *S; /* [nn][bs] state, rate, source */
  Result *R;          /* [nn][bs] */
  RhxReal *G;         /* [bs][DIM] gradients in a simplex, of residuals and projections */
  RhxMode *mode;      /* [nmodes] */
  RhxLog *log;
  PetscInt bs, naux;
  int nmodes, nscalars; /* no scalars where the number of modes is known */
} Element;

#define ONE_MODE (MAX_NODES * (FIRST_MODE + NTENS))
#define ONE_MODE_SLOPES (DIM * (FIRST_MODE + NTENS))

RHX_INLINED RhxLength load(const PetscReal *p)
{
  RhxLength v;
#if RHX_NLANES > 1
  memcpy(&v, p, sizeof(v));
#else
  v = p[0];
#endif
  return v;
}

static const void *ops_of(const RhxPlugin *p)
{
  const int first = RhxVariantIndex(DIM, NTENS, 0);
  return RHX_KIND == RHX_KIND_COUNT        ? p->count[first / 3]
         : RHX_KIND == RHX_KIND_DUAL_LANES ? p->dual[first / 3]
                                           : p->variant[first + RHX_KIND % 3];
}

static size_t work_bytes(RhxForm form)
{
  size_t bs = form->space->bs, naux = form->naux, n = MAX_NODES;
  return sizeof(Work) + sizeof(RhxReal) * ((4 * n + DIM + 3) * bs + (2 * n + 2) * naux + 8) +
         (sizeof(RhxMode) + sizeof(RhxLog)) * form->nmodes + sizeof(RhxScalar) * form->nscalars + 14 * 64;
}

static void *carve(char **at, size_t bytes)
{
  char *p = (char *)(((size_t)*at + 63) & ~(size_t)63);
  *at = p + bytes;
  return p;
}

static int list_projections(RhxForm form, RhxAuxOwner of, Projection *list)
{
  int n = 0;
  for (int k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    for (int row = 0; row < st->plugin->naux; row++)
      if (st->aux_needed & (1u << row) && st->plugin->aux[row].of == of)
        list[n++] = (Projection){(const RhxStabiliserOps *)ops_of(st->plugin), st, row, st->stage.off[row]};
  }
  return n;
}

#define CARVE(type, n) ((type *)carve(&at, sizeof(type) * (n)))

static Work *work_of(RhxForm form)
{
  Work *wk = (Work *)form->in->work;
  char *at = (char *)(wk + 1);
  const size_t bs = form->space->bs, block = MAX_NODES * bs, naux = form->naux;
  wk->U = CARVE(RhxReal, block);
  wk->V = CARVE(RhxReal, block);
  wk->S = CARVE(RhxReal, block);
  wk->R = CARVE(Result, block);
  wk->G = CARVE(RhxReal, DIM * bs);
  wk->A = CARVE(RhxReal, MAX_NODES * naux);
  wk->Q = CARVE(Result, MAX_NODES * naux);
  wk->aux = CARVE(RhxReal, naux + 1);
  wk->P = CARVE(RhxReal, 3 * bs);
  wk->B = CARVE(RhxReal, naux);
  wk->mode = CARVE(RhxMode, form->nmodes);
  wk->log = CARVE(RhxLog, form->nmodes);
  wk->scalar = CARVE(RhxScalar, form->nscalars);
  for (int k = 0; k < form->nowners; k++) wk->owner[k] = (const RhxScalarOps *)ops_of(form->owner[k].plugin);
  wk->viscous = form->viscous ? (const RhxViscousOps *)ops_of(form->viscous) : NULL;
  for (int m = 0; m < form->nmodes; m++) wk->law[m] = (const RhxPolymericOps *)ops_of(form->mode[m].law);
  for (int k = 0; k < form->nstabilisers; k++)
    wk->stab[k] = (const RhxStabiliserOps *)ops_of(form->stabiliser[k].plugin);
  wk->nflow = list_projections(form, RHX_OF_FLOW, wk->project);
  wk->nmode = wk->nflow + list_projections(form, RHX_OF_MODE, wk->project + wk->nflow);
  wk->nrows = wk->nmode + list_projections(form, RHX_OF_SCALAR, wk->project + wk->nmode);
  return wk;
}

static Element element_of(RhxForm form, const Work *wk)
{
  const Element el = {wk->U,
                      wk->V,
                      wk->S,
                      wk->R,
                      wk->G,
                      wk->mode,
                      wk->log,
                      form->space->bs,
                      form->naux,
                      (int)form->nmodes,
                      (int)form->nscalars};
  return el;
}

/* Where element i begins in a table of n rows of lanes an element. */
RHX_INLINED size_t start(int n, PetscInt i)
{
  return NLANES == LANES ? (size_t)i * n : (size_t)(i / LANES) * n * LANES + i % LANES;
}

#include "form/host/kernel_nodes.h"

#include "form/host/kernel_geometry.h"

RHX_INLINED RhxReal value(int nn, PetscInt bs, const PetscReal *N, const RhxReal *U, PetscInt c)
{
  RhxReal s = N[0] * U[c];
  for (int a = 1; a < nn; a++) s += N[a] * U[a * bs + c];
  return s;
}

RHX_INLINED RhxReal slope(int nn, PetscInt bs, const Geometry *ge, const RhxReal *U, PetscInt c, int i)
{
  RhxReal s = ge->dN[0][i] * U[c];
  for (int a = 1; a < nn; a++) s += ge->dN[a][i] * U[a * bs + c];
  return s;
}

/* el->G, for the points of a simplex to share. */
RHX_INLINED void slopes(int nn, const Geometry *ge, const Element *el)
{
  for (PetscInt c = 0; c < el->bs; c++)
    for (int i = 0; i < DIM; i++) el->G[c * DIM + i] = slope(nn, el->bs, ge, el->U, c, i);
}

/* A point of the lane group, for kernels/compose.h. */
struct RhxIo {
  const RhxPass *pass;
  RhxForm form;
  Work *wk;
  const Element *el;
  const PetscReal *N, *xg; /* shape functions, positions of the nodes */
  const Geometry *ge;
  RhxReal *most; /* [RHX_NSTATS] running maxima */
  int as, div_tau;
  int nn, first, law; /* nodes of the element; whether it is its first point; whether projections read the laws */
  int centroid;       /* whether it is its only one */
  int shared;         /* whether el->G has the gradients */
  int apart;          /* whether f0 and f1 go to el->R[1 + DIM][bs] as they are */
};
typedef const struct RhxIo Io;

#include "form/host/kernel_apart.h"

RHX_INLINED RhxReal slope_at(Io *io, PetscInt c, int i)
{
  return io->shared ? io->el->G[c * DIM + i] : slope(io->nn, io->el->bs, io->ge, io->el->U, c, i);
}

RHX_INLINED RhxReal position(Io *io, int i)
{
  if (io->centroid && io->ge->kept) return load(io->ge->kept + (DIM * DIM + 1 + i) * LANES);
  RhxReal s = io->N[0] * load(io->xg + i * LANES);
  for (int a = 1; a < io->nn; a++) s += io->N[a] * load(io->xg + (a * DIM + i) * LANES);
  return s;
}

RHX_INLINED void rhx_in_flow(Io *io, RhxPoint *pt)
{
  const RhxForm form = io->form;
  const Geometry *ge = io->ge;
  const Element *el = io->el;
  const int nn = io->nn;
  const PetscInt bs = el->bs;
  pt->t = io->pass->t;
  pt->dt = io->pass->dt;
  pt->rho = form->rho;
  pt->convection = form->convection;
  pt->ih2 = ge->ih2;
  for (int i = 0; i < DIM; i++) {
    pt->x[i] = position(io, i);
    for (int j = 0; j < DIM; j++) pt->g[i][j] = ge->g[i][j];
    pt->n[i] = RHX_ZERO;
    pt->u[i] = value(nn, bs, io->N, el->U, VELOCITY + i);
    pt->ut[i] = io->pass->xdot ? value(nn, bs, io->N, el->V, VELOCITY + i) : RHX_ZERO;
    pt->f[i] = form->source ? value(nn, bs, io->N, el->S, VELOCITY + i) : RHX_ZERO;
    pt->gp[i] = slope_at(io, PRESSURE, i);
    for (int j = 0; j < DIM; j++) pt->gu[i][j] = slope_at(io, VELOCITY + i, j);
  }
#if RHX_SWIRL
  pt->w = value(nn, bs, io->N, el->U, form->first_scalar + form->swirl);
  for (int i = 0; i < DIM; i++) pt->gw[i] = slope_at(io, form->first_scalar + form->swirl, i);
#endif
  pt->p = value(nn, bs, io->N, el->U, PRESSURE);
  pt->fp = form->source ? value(nn, bs, io->N, el->S, PRESSURE) : RHX_ZERO;
}

RHX_INLINED void rhx_in_aux(Io *io, RhxPoint *pt)
{
  const PetscInt naux = io->el->naux;
  pt->aux = io->wk->aux;
  if (io->pass->aux && !HAS_MEAN(io->centroid))
    for (PetscInt c = 0; c < naux; c++) io->wk->aux[c] = value(io->nn, naux, io->N, io->wk->A, c);
}

RHX_INLINED void rhx_in_mode(Io *io, int m, RhxMode *md)
{
  const RhxForm form = io->form;
  const Element *el = io->el;
  const int nn = io->nn;
  const PetscInt bs = el->bs, off = FIRST_MODE + m * NTENS;
  for (int k = 0; k < NTENS; k++) {
    md->s[k] = value(nn, bs, io->N, el->U, off + k);
    md->st[k] = io->pass->xdot ? value(nn, bs, io->N, el->V, off + k) : RHX_ZERO;
    md->src[k] = form->source ? value(nn, bs, io->N, el->S, off + k) : RHX_ZERO;
    for (int i = 0; i < DIM; i++) md->gs[k][i] = slope_at(io, off + k, i);
  }
  md->aux = io->wk->aux + form->naux_flow + m * form->naux_mode;
}

RHX_INLINED void rhx_out_flow(Io *io, const RhxPoint *pt)
{
  if (APART(io)) return apart_flow(io, pt);
  const Geometry *ge = io->ge;
  const PetscInt bs = io->el->bs;
  for (int a = 0; a < io->nn; a++) {
    const RhxLength w = io->N[a] * ge->w;
    RhxLength g[DIM];
    Result *R = io->el->R + a * bs;
    for (int j = 0; j < DIM; j++) g[j] = ge->dN[a][j] * ge->w;
    RhxReal sp = w * pt->f0p;
    for (int i = 0; i < DIM; i++) {
      RhxReal s = w * pt->f0u[i];
      for (int j = 0; j < DIM; j++) s += g[j] * pt->f1u[i][j];
      R[VELOCITY + i] += TAKEN(s);
      sp += g[i] * pt->f1p[i];
    }
    R[PRESSURE] += TAKEN(sp);
  }
}

RHX_INLINED void rhx_out_mode(Io *io, int m, const RhxMode *md)
{
  if (APART(io)) return apart_mode(io, m, md);
  const Geometry *ge = io->ge;
  for (int a = 0; a < io->nn; a++) {
    const RhxLength w = io->N[a] * ge->w;
    Result *R = io->el->R + a * io->el->bs + FIRST_MODE + m * NTENS;
    for (int k = 0; k < NTENS; k++) {
      RhxReal f = md->f1[k][0] * ge->dN[a][0];
      for (int j = 1; j < DIM; j++) f += md->f1[k][j] * ge->dN[a][j];
      R[k] += TAKEN(w * md->f0[k] + ge->w * f);
    }
  }
}

RHX_INLINED void rhx_in_scalar(Io *io, int k, RhxScalar *sc)
{
  const RhxForm form = io->form;
  const Element *el = io->el;
  const int nn = io->nn;
  const PetscInt bs = el->bs, at = form->first_scalar + k;
  sc->c = value(nn, bs, io->N, el->U, at);
  sc->ct = io->pass->xdot ? value(nn, bs, io->N, el->V, at) : RHX_ZERO;
  sc->src = form->source ? value(nn, bs, io->N, el->S, at) : RHX_ZERO;
  for (int i = 0; i < DIM; i++) sc->gc[i] = slope_at(io, at, i);
  sc->aux = io->wk->aux + RhxFormAuxStart(form, RHX_OF_SCALAR, k);
}

RHX_INLINED void rhx_out_scalar(Io *io, int k, const RhxScalar *sc)
{
  if (APART(io)) return apart_scalar(io, k, sc);
  const Geometry *ge = io->ge;
  for (int a = 0; a < io->nn; a++) {
    RhxReal f = sc->f1[0] * ge->dN[a][0];
    for (int j = 1; j < DIM; j++) f += sc->f1[j] * ge->dN[a][j];
    io->el->R[a * io->el->bs + io->form->first_scalar + k] += TAKEN(io->N[a] * ge->w * sc->f0 + ge->w * f);
  }
}

RHX_INLINED void rhx_call_diffusivity(Io *io, int k, const RhxPoint *pt, const RhxScalar *all, RhxReal *D)
{
  const RhxFormScalars *owner = &io->form->owner[io->form->scalar[k].owner];
  const RhxScalarOps *ops = io->wk->owner[io->form->scalar[k].owner];
  if (ops->diffusivity) ops->diffusivity(owner->par, pt, all + owner->first, (int)io->form->scalar[k].number, D);
}

RHX_INLINED void rhx_call_source(Io *io, int k, const RhxPoint *pt, const RhxScalar *all, RhxReal *s)
{
  const RhxFormScalars *owner = &io->form->owner[io->form->scalar[k].owner];
  const RhxScalarOps *ops = io->wk->owner[io->form->scalar[k].owner];
  if (ops->source) ops->source(owner->par, pt, all + owner->first, (int)io->form->scalar[k].number, s);
}

RHX_INLINED void rhx_call_reaction(Io *io, int k, const RhxPoint *pt, const RhxScalar *all, RhxReal *r)
{
  const RhxFormScalars *owner = &io->form->owner[io->form->scalar[k].owner];
  const RhxScalarOps *ops = io->wk->owner[io->form->scalar[k].owner];
  if (ops->reaction) ops->reaction(owner->par, pt, all + owner->first, (int)io->form->scalar[k].number, r);
}

RHX_INLINED void rhx_call_shift(Io *io, const RhxPoint *pt, const RhxScalar *all, RhxShift *shift)
{
  for (int k = 0; k < io->form->nowners; k++) {
    const RhxFormScalars *owner = &io->form->owner[k];
    if (io->wk->owner[k]->shift) io->wk->owner[k]->shift(owner->par, pt, all + owner->first, shift);
  }
}

RHX_INLINED void rhx_out_largest(Io *io, int k, RhxReal v) { io->most[k] = RHX_MAX(io->most[k], v); }

RHX_INLINED void rhx_call_viscosity(Io *io, const RhxKin *kin, RhxReal *eta)
{
  if (io->wk->viscous) io->wk->viscous->viscosity(io->form->viscous_par, kin, eta);
}

RHX_INLINED void rhx_call_properties(Io *io, int m, const RhxKin *kin, const RhxReal *c, RhxProps *prop)
{
  io->wk->law[m]->properties(io->form->mode[m].par, kin, c, prop);
}

RHX_INLINED void rhx_call_stress(Io *io, int m, const RhxKin *kin, const RhxReal *c, RhxReal *tau)
{
  io->wk->law[m]->stress(io->form->mode[m].par, kin, c, tau);
}

RHX_INLINED void rhx_call_rate(Io *io, int m, const RhxKin *kin, const RhxReal *c, RhxReal *r)
{
  io->wk->law[m]->rate(io->form->mode[m].par, kin, c, r);
}

RHX_INLINED double rhx_call_slip(Io *io, int m) { return io->form->mode[m].slip; }

#define EACH_STAGE(name, ...)                                   \
  for (int k = 0; k < io->form->nstabilisers; k++) {            \
    const RhxFormStabiliser *st = &io->form->stabiliser[k];     \
    const RhxStabiliserOps *ops = io->wk->stab[k];              \
    if (ops->name) ops->name(st->par, &st->stage, __VA_ARGS__); \
  }

RHX_INLINED void rhx_call_kinematics(Io *io, RhxPoint *pt) { EACH_STAGE(kinematics, pt); }
RHX_INLINED void rhx_call_add_flow(Io *io, RhxPoint *pt) { EACH_STAGE(add_flow, pt); }
RHX_INLINED void rhx_call_add_mode(Io *io, const RhxPoint *pt, RhxMode *md) { EACH_STAGE(add_mode, pt, md); }
RHX_INLINED void rhx_call_add_scalar(Io *io, const RhxPoint *pt, RhxScalar *sc) { EACH_STAGE(add_scalar, pt, sc); }
RHX_INLINED void rhx_call_diffusion(Io *io, const RhxPoint *pt, RhxDiffusion *df) { EACH_STAGE(diffusion, pt, df); }

RHX_INLINED void rhx_call_pressure_tau(Io *io, const RhxPoint *pt)
{
  for (int k = 0; k < io->form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &io->form->stabiliser[k];
    RhxReal tau;
    if (!io->wk->stab[k]->pressure_tau) continue;
    io->wk->stab[k]->pressure_tau(st->par, &st->stage, pt, &tau);
    rhx_out_largest(io, RHX_MOST_TAU, tau);
  }
}

RHX_INLINED void rhx_call_project(Io *io, const RhxPoint *pt, RhxReal *out)
{
  for (int i = 0; i < io->wk->nflow; i++) {
    const Projection *pr = &io->wk->project[i];
    pr->ops->project(pr->of->par, &pr->of->stage, pr->row, pt, out + pr->offset);
  }
}

RHX_INLINED void rhx_call_project_mode(Io *io, int m, const RhxPoint *pt, const RhxMode *md, RhxReal *out)
{
  RhxReal *const own = out + io->form->naux_flow + m * io->form->naux_mode;
  for (int i = io->wk->nflow; i < io->wk->nmode; i++) {
    const Projection *pr = &io->wk->project[i];
    pr->ops->project_mode(pr->of->par, &pr->of->stage, pr->row, pt, md, own + pr->offset);
  }
}

RHX_INLINED void rhx_call_project_scalar(Io *io, const RhxPoint *pt, const RhxScalar *sc, RhxReal *own)
{
  for (int i = io->wk->nmode; i < io->wk->nrows; i++) {
    const Projection *pr = &io->wk->project[i];
    pr->ops->project_scalar(pr->of->par, &pr->of->stage, pr->row, pt, sc, own + pr->offset);
  }
}

#include "form/host/kernel_simplex.h"

#define RHX_WITH_CENTROID
#define RHX_CENTROID io->centroid
#define RHX_WITH_SCALARS 1
#define RHX_NSCALARS io->el->nscalars
#define RHX_NAUX_SCALAR (io->el->nscalars ? io->form->naux_scalar : 0)
#define RHX_CONSERVATIVE io->form->conservative
#define RHX_SWIRL_FIELD io->form->swirl
#define RHX_SCALE_OF(k) io->form->scalar[k].set.scale
#define RHX_LEVEL_OF(k) io->form->scalar[k].level
#define RHX_OWN_SCALARS
#define RHX_COUPLED (io->el->nscalars && io->form->coupled)
#define RHX_SHIFTED (io->el->nscalars && io->form->coupled & RHX_SHIFTS)
#define RHX_SCALARS io->wk->scalar
#define RHX_SCALAR_ROWS (io->el->nscalars && io->pass->rows & RHX_ROWS_SCALARS)
#define RHX_SCALAR_AUX(out, k) ((out) + RhxFormAuxStart(io->form, RHX_OF_SCALAR, k))
#define RHX_EACH_MODE(DO)                    \
  for (int m = 0; m < io->el->nmodes; m++) { \
    DO(m)                                    \
  }
#define RHX_OWN_MODES
#define RHX_MODE_AT(m) (&io->el->mode[m])
#define RHX_LOG_AT(m) (&io->el->log[m])
#define RHX_AS io->as
#define RHX_HAS_DIV_TAU io->div_tau
#define RHX_NMODES io->el->nmodes
#define RHX_NAUX_MODE io->form->naux_mode
#define RHX_PRODUCT_CELL (io->nn != DIM + 1)
#define RHX_TENSOR_OSS ((io->form->provides & RHX_PROVIDES_TENSOR) != 0)
#define RHX_PROJECT_LAW io->law
#define RHX_FLOW_ROWS (io->pass->rows & RHX_ROWS_FLOW)
#define RHX_MODE_ROWS (io->pass->rows & RHX_ROWS_MODES)
#if TANGENT
#define RHX_FOLLOWS_SLOPES(io) ((io)->pass->follows)
#endif
#define RHX_STATS (!TANGENT && io->pass->stats)
#define RHX_FIRST_POINT io->first
#include "kernels/momentum.h"
#include "kernels/transport.h"

/* one: the centroid is the only point. */
RHX_INLINED void gather_all(int nn, int one, const RhxPass *pass, const PetscInt *conn, Work *wk, const Element *el)
{
  const RhxForm form = pass->form;
  const PetscInt bs = el->bs;
  gather(nn, bs, conn, pass->x, pass->along_x, 1.0, el->U);
  if (pass->xdot) gather(nn, bs, conn, pass->xdot, pass->along_x, pass->shift, el->V);
  (void)one;
  if (pass->aux && HAS_MEAN(one))
    gather_mean(nn, el->naux, conn, pass->aux, pass->along_aux, wk->aux);
  else if (pass->aux)
    gather(nn, el->naux, conn, pass->aux, pass->along_aux, 1.0, wk->A);
  if (form->source) gather(nn, bs, conn, form->source, NULL, 1.0, el->S);
}

RHX_INLINED int has_centroid(const RhxPass *pass, const RhxCells *ce)
{
  return pass->form->centroid && ce->nn == DIM + 1;
}

/* The elements as they are, or simplices with their centroid for a point. */
static RhxCells cells_of(const RhxCells *ce, int one)
{
  static const PetscReal volume = DIM == 2 ? 1.0 / 2.0 : 1.0 / 6.0, N[] = {SHARE, SHARE, SHARE, SHARE};
  RhxCells at = *ce;
  if (one) {
    at.nq = 1;
    at.w = &volume;
    at.N = N;
  }
  return at;
}

/* el->R: the residual of the group from element i on. */
RHX_INLINED void residual_group(int nn, int nq, const RhxPass *pass, const RhxCells *ce, PetscInt i, Work *wk,
                                const Element *el, RhxReal *most)
{
  const RhxForm form = pass->form;
  const PetscReal *xg = ce->x + start(nn * DIM, i);
  const int shared = nn == DIM + 1 && nq > 1;
  Geometry ge;
  for (PetscInt c = 0; c < nn * el->bs; c++) el->R[c] = TAKEN(RHX_ZERO);
  geometry_of(nn, 1, ce, i, &ge);
  for (int q = 0; q < nq; q++) {
    geometry(nn, q, 1, ce, xg, &ge);
    if (shared && q == 0) slopes(nn, &ge, el);
    const Io io = {
        pass, form,   wk, el,      ce->N + q * nn, xg, &ge, most, (int)form->representation, form->has_div_tau,
        nn,   q == 0, 0,  nq == 1, shared,         0};
    RhxPoint pt;
    rhx_compose_residual(&io, &pt);
  }
}

#if !TANGENT
RHX_INLINED double largest(RhxReal v)
{
  double m = RHX_LANE(v, 0);
  for (int l = 1; l < NLANES; l++)
    if (!(RHX_LANE(v, l) <= m)) m = RHX_LANE(v, l);
  return m;
}

#define IN_ORDER(member, number) \
  _Static_assert(offsetof(RhxFormStats, member) == (number) * sizeof(double), "kernels/limits.h")
IN_ORDER(convective, RHX_MOST_CONVECTIVE);
IN_ORDER(viscous, RHX_MOST_VISCOUS);
IN_ORDER(elastic, RHX_MOST_ELASTIC);
IN_ORDER(wi, RHX_MOST_WI);
IN_ORDER(tau, RHX_MOST_TAU);
IN_ORDER(relaxation, RHX_MOST_RELAXATION);
IN_ORDER(growth, RHX_MOST_GROWTH);
IN_ORDER(waves, RHX_MOST_WAVES);
IN_ORDER(antidiffusion, RHX_MOST_ANTIDIFFUSION);

RHX_INLINED void take_largest(const RhxReal most[RHX_NSTATS], RhxFormStats *s)
{
  s->convective = PetscMax(s->convective, 0.5 * PetscSqrtReal(largest(most[RHX_MOST_CONVECTIVE])));
  s->viscous = PetscMax(s->viscous, largest(most[RHX_MOST_VISCOUS]));
  s->elastic = PetscMax(s->elastic, PetscSqrtReal(largest(most[RHX_MOST_ELASTIC])));
  s->wi = PetscMax(s->wi, largest(most[RHX_MOST_WI]));
  s->tau = PetscMax(s->tau, largest(most[RHX_MOST_TAU]));
  s->relaxation = PetscMax(s->relaxation, PetscSqrtReal(largest(most[RHX_MOST_RELAXATION])));
  s->growth = PetscMax(s->growth, largest(most[RHX_MOST_GROWTH]));
  s->waves = PetscMax(s->waves, largest(most[RHX_MOST_WAVES]));
  s->antidiffusion = PetscMax(s->antidiffusion, largest(most[RHX_MOST_ANTIDIFFUSION]));
}
#endif

/* nm, na: number of modes and of auxiliary components if the compiler is to know it, else -1. */
RHX_INLINED void residual_cells(int nn, int nq, int nm, int na, const RhxPass *pass, const RhxCells *ce)
{
  Work *wk = work_of(pass->form);
  RhxReal U[ONE_MODE], G[ONE_MODE_SLOPES];
  Result R[ONE_MODE];
  RhxMode mode;
  const Element here = {U,  wk->V, wk->S, R, G, &mode, wk->log, FIRST_MODE + nm * NTENS, na < 0 ? pass->form->naux : na,
                        nm, 0},
                general = element_of(pass->form, wk);
  const Element *el = nm < 0 ? &general : &here;
  const PetscInt bs = el->bs;
  const PetscInt first = pass->rows & RHX_ROWS_FLOW ? 0 : FIRST_MODE,
                 last = pass->rows & (RHX_ROWS_MODES | RHX_ROWS_SCALARS) ? bs : FIRST_MODE;
  RhxReal most[RHX_NSTATS];
  for (int k = 0; k < RHX_NSTATS; k++) most[k] = RHX_ZERO;
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, nq == 1, pass, conn, wk, el);
    residual_group(nn, nq, pass, ce, i, wk, el, most);
    scatter(nn, bs, first, last, conn, ce->n - i, el->R, pass->out);
  }
#if !TANGENT
  if (pass->stats) take_largest(most, pass->stats);
#endif
}

/* wk->Q: the integrals of the group from element i on. law: some are made of the laws. */
RHX_INLINED void project_group(int nn, int nq, const RhxPass *pass, const RhxCells *ce, PetscInt i, int law, Work *wk,
                               const Element *el)
{
  const RhxForm form = pass->form;
  const PetscReal *xg = ce->x + start(nn * DIM, i);
  const PetscInt naux = el->naux;
  const int shared = nn == DIM + 1 && nq > 1;
  Geometry ge;
  if (nq > 1) memset(wk->Q, 0, sizeof(Result) * nn * naux);
  geometry_of(nn, 1, ce, i, &ge);
  for (int q = 0; q < nq; q++) {
    geometry(nn, q, 1, ce, xg, &ge);
    if (shared && q == 0) slopes(nn, &ge, el);
    const Io io = {
        pass, form,   wk,  el,      ce->N + q * nn, xg, &ge, NULL, (int)form->representation, form->has_div_tau,
        nn,   q == 0, law, nq == 1, shared,         0};
    RhxPoint pt;
    rhx_compose_project(&io, &pt, wk->aux);
    for (int a = 0; a < nn && nq > 1; a++) {
      const RhxLength w = io.N[a] * ge.w;
      Result *Q = wk->Q + a * naux;
      for (PetscInt c = 0; c < naux; c++) Q[c] += TAKEN(w * wk->aux[c]);
    }
    if (nq == 1) integrate_nodes(naux, ge.w, wk->A, wk->Q);
  }
}

static int projects_law(RhxForm form)
{
  int law = 0;
  for (int k = 0; k < form->nstabilisers; k++) law |= (form->stabiliser[k].plugin->flags & RHX_PROJECTS_LAW) != 0;
  return law;
}

RHX_INLINED void project_cells(int nn, int nq, int nm, int na, const RhxPass *pass, const RhxCells *ce)
{
  const RhxForm form = pass->form;
  Work *wk = work_of(form);
  RhxReal U[ONE_MODE], G[ONE_MODE_SLOPES];
  RhxMode mode;
  const Element here = {U,  wk->V, wk->S, NULL, G, &mode, wk->log, FIRST_MODE + nm * NTENS, na < 0 ? form->naux : na,
                        nm, 0},
                general = element_of(form, wk);
  const Element *el = nm < 0 ? &general : &here;
  const int law = projects_law(form);
  for (PetscInt i = 0; i < ce->n; i += NLANES) {
    const PetscInt *conn = ce->conn + start(nn, i);
    gather_all(nn, nq == 1, pass, conn, wk, el);
    project_group(nn, nq, pass, ce, i, law, wk, el);
    scatter(nn, el->naux, 0, el->naux, conn, ce->n - i, wk->Q, pass->out);
  }
}

#include "form/host/kernel_divergence.h"
#include "form/host/kernel_momentum.h"
#include "form/host/kernel_totals.h"

/* Outward normal times area from the face's tangents; returns the area element. */
RHX_INLINED RhxLength face_normal(RhxLength J[DIM][DIM], const PetscReal *tangent, RhxLength n[DIM])
{
  RhxLength T[DIM - 1][DIM], area = {0};
  for (int m = 0; m < DIM - 1; m++)
    for (int i = 0; i < DIM; i++) {
      RhxLength s = J[i][0] * tangent[m * DIM];
      for (int k = 1; k < DIM; k++) s += J[i][k] * tangent[m * DIM + k];
      T[m][i] = s;
    }
  rhx_normal(DIM, T[0], T[DIM - 2], n);
  for (int i = 0; i < DIM; i++) area += n[i] * n[i];
  area = rhx_sqrt(area);
  for (int i = 0; i < DIM; i++) n[i] = n[i] / area;
  return area;
}

#include "form/host/kernel_face.h"

#include "form/host/kernel_matrices.h"

#include "form/host/kernel_loops.h"

/* The loops compiled for each cell type of the dimension; one: simplices have one point. */
#define SIMPLEX(loop, nn, one, ...) \
  if (!RHX_AXISYMMETRIC && (one))   \
    loop(nn, 1, __VA_ARGS__);       \
  else                              \
    loop(nn, nn, __VA_ARGS__);
#if RHX_DIM == 2
#define BY_TYPE(loop, type, one, ...)                                                                              \
  switch (type) {                                                                                                  \
  case DM_POLYTOPE_TRIANGLE:                                                                                       \
    SIMPLEX(loop, 3, one, __VA_ARGS__)                                                                             \
    break;                                                                                                         \
  case DM_POLYTOPE_QUADRILATERAL:                                                                                  \
    loop(4, 4, __VA_ARGS__);                                                                                       \
    break;                                                                                                         \
  default:                                                                                                         \
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "No element loops for cells of type %s in 2D", DMPolytopeTypes[type]); \
  }
#else
#define BY_TYPE(loop, type, one, ...)                                                                              \
  switch (type) {                                                                                                  \
  case DM_POLYTOPE_TETRAHEDRON:                                                                                    \
    SIMPLEX(loop, 4, one, __VA_ARGS__)                                                                             \
    break;                                                                                                         \
  case DM_POLYTOPE_HEXAHEDRON:                                                                                     \
    loop(8, 8, __VA_ARGS__);                                                                                       \
    break;                                                                                                         \
  default:                                                                                                         \
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "No element loops for cells of type %s in 3D", DMPolytopeTypes[type]); \
  }
#endif
#define FACE_LOOP(nn, nq, ...) face_groups(nn, __VA_ARGS__)

#define CELLS_OF(name, one)                                                     \
  static PetscErrorCode kernel_##name(const RhxPass *pass, const RhxCells *all) \
  {                                                                             \
    const RhxCells cells = cells_of(all, one), *ce = &cells;                    \
    PetscFunctionBegin;                                                         \
    BY_TYPE(LOOP_OF, ce->type, cells.nq == 1, name, pass, ce);                  \
    PetscFunctionReturn(PETSC_SUCCESS);                                         \
  }
CELLS_OF(residual, has_centroid(pass, all))
CELLS_OF(project, has_centroid(pass, all))
#if !TANGENT
CELLS_OF(divergence, !RHX_AXISYMMETRIC && all->nn == DIM + 1) /* gradients are the same everywhere: it is exact */
CELLS_OF(gradient, !RHX_AXISYMMETRIC && all->nn == DIM + 1)
CELLS_OF(momentum, has_centroid(pass, all))
CELLS_OF(transport, has_centroid(pass, all))
CELLS_OF(totals, 0)
#endif

static PetscErrorCode kernel_faces(const RhxPass *pass, const RhxFaceGroup *fg, const RhxFaceTerm *term, PetscInt group)
{
  PetscFunctionBegin;
  BY_TYPE(FACE_LOOP, fg->type, 0, pass, fg, term, term->traction ? term->traction[group] : NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if RHX_KIND == RHX_KIND_LANES
#define KERNEL rhx_kernel_d
#elif RHX_KIND == RHX_KIND_COMPLEX
#define KERNEL rhx_tangent_d
#elif RHX_KIND == RHX_KIND_DUAL_LANES
#define KERNEL rhx_product_d
#else
#define KERNEL rhx_count_d
#endif
#if RHX_AXISYMMETRIC
#define TENSOR a
#else
#define TENSOR t
#endif
const RhxKernel NAME(KERNEL, RHX_DIM, TENSOR, RHX_NTENS) = {
    .work = work_bytes,
#if RHX_KIND == RHX_KIND_LANES
    .affine = keep_affine,
#endif
    .residual = kernel_residual,
    .project = kernel_project,
    .faces = kernel_faces,
#if TANGENT
    .cell_matrices = kernel_cell_matrices,
    .face_matrices = kernel_face_matrices,
    .auxiliary_matrices = kernel_auxiliary_matrices,
    .face_auxiliary_matrices = kernel_face_auxiliary_matrices,
    .projection_matrices = kernel_projection_matrices,
#else
    .divergence = kernel_divergence,
    .gradient = kernel_gradient,
    .momentum = kernel_momentum,
    .transport = kernel_transport,
    .totals = kernel_totals,
#endif
};
