// Scalar fields at a point on the device, for kernels/compose.h.
#ifndef RHX_SCALAR_CUH
#define RHX_SCALAR_CUH

static __device__ __forceinline__ void rhx_in_scalar(const RhxIo *io, int k, RhxScalar *sc)
{
  const RhxValues &val = io->val;
  const int at = RHX_FIRST_SCALAR + k;
  sc->c = val.v[at];
#if RHX_HAS_RATE
  sc->ct = val.rate[at];
#else
  sc->ct = RHX_ZERO;
#endif
#if RHX_HAS_SOURCE
  sc->src = val.source[at];
#else
  sc->src = RHX_ZERO;
#endif
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) sc->gc[i] = val.d[at][i];
  sc->aux = val.aux + RHX_NAUX + (k - RHX_NSCALARS) * RHX_NAUX_SCALAR;
}

static __device__ __forceinline__ void rhx_out_scalar(const RhxIo *io, int k, const RhxScalar *sc)
{
  io->f0[RHX_FIRST_SCALAR + k] = rhx_value(sc->f0);
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) io->f1[RHX_FIRST_SCALAR + k][i] = rhx_value(sc->f1[i]);
}

#define RHX_SCALAR_AUX(out, k) ((out) + RHX_NAUX + ((k)-RHX_NSCALARS) * RHX_NAUX_SCALAR)
#define RHX_WITH_SCALARS 1
#define RHX_OWN_SCALARS RhxScalar rhx_scalar_fields[RHX_NSCALARS];
#define RHX_SCALARS rhx_scalar_fields
#define RHX_SCALAR_ROWS (RHX_ROWS & 4)
#define RHX_SCALE_OF(k) rhx_scale[k]
#define RHX_LEVEL_OF(k) rhx_level[k]
#endif
