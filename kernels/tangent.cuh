// A point of a program of derivatives, for kernels/compose.h; all numbers are those of kernels/dual.cuh. Its includer defines what
// is declared here: the place (of an element, or a face), what derivatives are by, and values at a point.
#ifndef RHX_TANGENT_CUH
#define RHX_TANGENT_CUH
#undef for // of kernels/dual.cuh
#include <kernels/pass.h>

#define RHX_FLOW_AT RHX_FIRST_VELOCITY // velocity, then pressure
#define RHX_NFLOW (RHX_FIRST_MODE - RHX_FLOW_AT)
#define RHX_P_OF_FLOW (RHX_FIRST_PRESSURE - RHX_FLOW_AT)

struct RhxCell;
struct RhxBy;

// Components first to first + W - 1 of the node block at a point: value, gradient in space, rate, source.
template <int W> struct RhxValues {
  RhxReal v[W], d[W][RHX_DIM], rate[W], source[W];
};

template <int W>
static __device__ void rhx_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by, int first,
                                  RhxValues<W> *val);
template <int W>
static __device__ void rhx_aux_values(const RhxMatrixPass &p, const RhxCell &cell, const RhxBy &by, RhxReal aux[W]);

// A point, for kernels/compose.h: f0[c] and f1[c][j] (in space) of every component.
struct RhxIo {
  const RhxMatrixPass &p;
  const RhxCell &cell;
  const RhxBy &by;
  RhxReal *aux, *f0, (*f1)[RHX_DIM];
};

static __device__ __forceinline__ void rhx_in_flow(const RhxIo *io, RhxPoint *pt)
{
  RhxValues<RHX_NFLOW> val;
  rhx_values(io->p, io->cell, io->by, RHX_FLOW_AT, &val);
  pt->t = io->p.clock->t;
  pt->dt = io->p.clock->dt;
  pt->rho = io->p.rho;
  pt->convection = io->p.convection;
  pt->p = val.v[RHX_P_OF_FLOW];
  pt->fp = val.source[RHX_P_OF_FLOW];
#if RHX_SWIRL
  RhxValues<1> swirl;
  rhx_values(io->p, io->cell, io->by, RHX_FIRST_SCALAR + RHX_SWIRL_FIELD, &swirl);
  pt->w = swirl.v[0];
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) pt->gw[i] = swirl.d[0][i];
#endif
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    pt->u[i] = val.v[i];
    pt->ut[i] = val.rate[i];
    pt->f[i] = val.source[i];
    pt->gp[i] = val.d[RHX_P_OF_FLOW][i];
    pt->n[i] = 0.0;
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) pt->gu[i][j] = val.d[i][j];
  }
}

static __device__ __forceinline__ void rhx_in_aux(const RhxIo *io, RhxPoint *pt)
{
#if RHX_NAUX
  rhx_aux_values<RHX_NAUX>(io->p, io->cell, io->by, io->aux);
#endif
  pt->aux = io->aux;
}

static __device__ __forceinline__ void rhx_in_mode(const RhxIo *io, int m, RhxMode *md)
{
  RhxValues<RHX_NTENS> val;
  rhx_values(io->p, io->cell, io->by, RHX_FIRST_MODE + m * RHX_NTENS, &val);
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) {
    md->s[k] = val.v[k];
    md->st[k] = val.rate[k];
    md->src[k] = val.source[k];
#pragma unroll
    for (int i = 0; i < RHX_DIM; i++) md->gs[k][i] = val.d[k][i];
  }
  md->aux = io->aux + RHX_NAUX_FLOW + m * RHX_NAUX_MODE;
}

static __device__ __forceinline__ void rhx_out_flow(const RhxIo *io, const RhxPoint *pt)
{
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) {
    io->f0[RHX_FIRST_VELOCITY + i] = pt->f0u[i];
    io->f1[RHX_FIRST_PRESSURE][i] = pt->f1p[i];
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) io->f1[RHX_FIRST_VELOCITY + i][j] = pt->f1u[i][j];
  }
  io->f0[RHX_FIRST_PRESSURE] = pt->f0p;
}

static __device__ __forceinline__ void rhx_out_mode(const RhxIo *io, int m, const RhxMode *md)
{
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) {
    const int c = RHX_FIRST_MODE + m * RHX_NTENS + k;
    io->f0[c] = md->f0[k];
#pragma unroll
    for (int j = 0; j < RHX_DIM; j++) io->f1[c][j] = md->f1[k][j];
  }
}

static __device__ __forceinline__ void rhx_out_largest(const RhxIo *, int, RhxReal) {}
#define RHX_SCALE_OF(k) 1.0 // read for those alone
#define RHX_LEVEL_OF(k) rhx_level[k]

#if RHX_NSCALARS
static __device__ __forceinline__ void rhx_in_scalar(const RhxIo *io, int k, RhxScalar *sc)
{
  RhxValues<1> val;
  rhx_values(io->p, io->cell, io->by, RHX_FIRST_SCALAR + k, &val);
  sc->c = val.v[0];
  sc->ct = val.rate[0];
  sc->src = val.source[0];
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) sc->gc[i] = val.d[0][i];
  sc->aux = io->aux + RHX_NAUX + (k - RHX_NSCALARS) * RHX_NAUX_SCALAR;
}

static __device__ __forceinline__ void rhx_out_scalar(const RhxIo *io, int k, const RhxScalar *sc)
{
  io->f0[RHX_FIRST_SCALAR + k] = sc->f0;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) io->f1[RHX_FIRST_SCALAR + k][i] = sc->f1[i];
}

#define RHX_SCALAR_AUX(out, k) ((out) + RHX_NAUX + ((k)-RHX_NSCALARS) * RHX_NAUX_SCALAR)
#define RHX_WITH_SCALARS 1
#define RHX_OWN_SCALARS RhxScalar rhx_scalar_fields[RHX_NSCALARS];
#define RHX_SCALARS rhx_scalar_fields
#define RHX_SCALAR_ROWS 1
#endif
#if RHX_REPLACES_SLOPES // some stage does
#define RHX_FOLLOWS_SLOPES(io) ((io)->p.follows)
#endif
#define RHX_FLOW_ROWS 1
#define RHX_MODE_ROWS 1
#define RHX_STATS 0
#define RHX_FIRST_POINT 0
#include <kernels/compose.h>
#endif
