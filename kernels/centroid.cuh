// Simplices with one point on the device, for kernels/simplex.h.
#ifndef RHX_CENTROID_CUH
#define RHX_CENTROID_CUH

// Where a pass has the values of an element's nodes, and where it leaves what they have more than the centroid.
struct RhxPlaces {
  int first, n, more;            // components of a slot: n from `first` on, then those from `more` on
  int source, mode, mode_source; // in a row: of the flow's sources, of the first mode, of its sources
  int scalar, scalar_source;     // of the first scalar field, of its source
};

struct RhxNodes {
  const double *row[RHX_NN], (*x)[RHX_DIM]; // x: positions
  double *slot;                             // of node 0; those of the others are `step` apart
  int step, width;                          // components of a slot
  RhxPlaces at;
};

static __device__ __forceinline__ void rhx_node_flow(const RhxIo *io, int a, RhxReal u[RHX_DIM], RhxReal *p)
{
  const double *const row = io->nodes->row[a];
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) u[i] = row[RHX_FIRST_VELOCITY + i];
  *p = row[RHX_FIRST_PRESSURE];
}

static __device__ __forceinline__ void rhx_node_source(const RhxIo *io, int a, RhxReal f[RHX_DIM], RhxReal *fp)
{
  const double *const row = io->nodes->row[a] + io->nodes->at.source;
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) f[i] = RHX_HAS_SOURCE ? row[RHX_FIRST_VELOCITY + i] : 0.0;
  *fp = RHX_HAS_SOURCE ? row[RHX_FIRST_PRESSURE] : 0.0;
}

static __device__ __forceinline__ void rhx_node_mode(const RhxIo *io, int m, int a, RhxReal s[RHX_NTENS],
                                                     RhxReal src[RHX_NTENS])
{
  const double *const row = io->nodes->row[a] + RHX_PLACE(m) * RHX_NTENS;
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++) {
    s[k] = row[io->nodes->at.mode + k];
    src[k] = RHX_HAS_SOURCE ? row[io->nodes->at.mode_source + k] : 0.0;
  }
}

static __device__ __forceinline__ double *rhx_slot_of(const RhxIo *io, int a, int component)
{
  const RhxPlaces &at = io->nodes->at;
  return io->nodes->slot + a * io->nodes->step +
         (component < at.first + at.n ? component - at.first : component - at.more + at.n);
}

static __device__ __forceinline__ void rhx_out_linear_flow(const RhxIo *io, int a, const RhxReal f0u[RHX_DIM],
                                                           RhxReal f0p)
{
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) *rhx_slot_of(io, a, RHX_FIRST_VELOCITY + i) = rhx_value(f0u[i]);
  *rhx_slot_of(io, a, RHX_FIRST_PRESSURE) = rhx_value(f0p);
}

static __device__ __forceinline__ void rhx_out_linear_mode(const RhxIo *io, int m, int a, const RhxReal f0[RHX_NTENS])
{
#pragma unroll
  for (int k = 0; k < RHX_NTENS; k++)
    *rhx_slot_of(io, a, RHX_FIRST_MODE + RHX_PLACE(m) * RHX_NTENS + k) = rhx_value(f0[k]);
}

#if RHX_NSCALARS
static __device__ __forceinline__ void rhx_node_place(const RhxIo *io, int a, RhxReal x[RHX_DIM])
{
#pragma unroll
  for (int i = 0; i < RHX_DIM; i++) x[i] = io->nodes->x[a][i];
}

static __device__ __forceinline__ void rhx_node_scalar(const RhxIo *io, int k, int a, RhxReal *c, RhxReal *src)
{
  const double *const row = io->nodes->row[a] + k;
  *c = row[io->nodes->at.scalar];
  *src = RHX_HAS_SOURCE ? row[io->nodes->at.scalar_source] : 0.0;
}

static __device__ __forceinline__ void rhx_out_linear_scalar(const RhxIo *io, int k, int a, RhxReal f0)
{
  *rhx_slot_of(io, a, RHX_FIRST_SCALAR + k) = rhx_value(f0);
}
#endif

#define rhx_projected_at(io, a, out) (out)
static __device__ __forceinline__ void rhx_out_projected(const RhxIo *io, int a, const RhxReal *out)
{
#pragma unroll
  for (int c = 0; c < io->nodes->width; c++)
    io->nodes->slot[a * io->nodes->step + c] =
        rhx_value(out[c < io->nodes->at.n ? io->nodes->at.first + c : io->nodes->at.more + c - io->nodes->at.n]);
}

#endif
