/* A part of kernel.c: values of the nodes to a lane group, a lane an element, and back. */
#ifndef RHX_KERNEL_NODES_H
#define RHX_KERNEL_NODES_H

/* Two components of a node at a time, where the components of the plane are no multiple of the lanes. */
#if defined(RHX_SWAPPED) && RHX_LANES == 4 && DIM == 2
#define PAIRS
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

RHX_INLINED void load_pairs(const PetscScalar *const at[NLANES], int stride, RhxLength *to)
{
  const Pair a = *(const Pair *)at[0], b = *(const Pair *)at[1], c = *(const Pair *)at[2], d = *(const Pair *)at[3];
  const RhxLength even = __builtin_shufflevector(a, c, 0, 1, 2, 3), odd = __builtin_shufflevector(b, d, 0, 1, 2, 3);
  to[0] = RHX_SWAPPED(even, odd, 1);
  to[stride] = RHX_SWAPPED_REST(even, odd, 1);
}

/* In the order of the lanes: they may share nodes. */
RHX_INLINED void add_pairs(const Result from[2], PetscScalar *const at[NLANES])
{
  const Result even = RHX_SWAPPED(from[0], from[1], 1), odd = RHX_SWAPPED_REST(from[0], from[1], 1);
  *(Pair *)at[0] += __builtin_shufflevector(even, even, 0, 1);
  *(Pair *)at[1] += __builtin_shufflevector(odd, odd, 0, 1);
  *(Pair *)at[2] += __builtin_shufflevector(even, even, 2, 3);
  *(Pair *)at[3] += __builtin_shufflevector(odd, odd, 2, 3);
}
#endif

#if RHX_NLANES > 1
/* to[nn][bs] of every stride-th vector, one lane an element, from node blocks */
RHX_INLINED void gather_lanes(int nn, PetscInt bs, const PetscInt *conn, const PetscScalar *from, int stride,
                              RhxLength *to)
{
  for (int a = 0; a < nn; a++) {
    size_t s[NLANES];
    for (int l = 0; l < NLANES; l++) s[l] = (size_t)conn[a * LANES + l] * bs;
    PetscInt c = 0;
#if defined(RHX_SWAPPED) && DIM == 3 /* the plane's six values of a node: 10 % more of a residual of quadrilaterals */
    for (; c + NLANES <= bs; c += NLANES) {
      RhxLength v[NLANES];
      for (int l = 0; l < NLANES; l++) v[l] = rhx_load(from + s[l] + c);
      rhx_transpose(v);
      for (int l = 0; l < NLANES; l++) to[(a * bs + c + l) * stride] = v[l];
    }
#endif
#ifdef PAIRS
    for (; c + 2 <= bs; c += 2) {
      const PetscScalar *const at[] = {from + s[0] + c, from + s[1] + c, from + s[2] + c, from + s[3] + c};
      load_pairs(at, stride, to + (a * bs + c) * stride);
    }
#endif
    for (; c < bs; c++) {
      RhxLength v;
      for (int l = 0; l < NLANES; l++) v[l] = from[s[l] + c];
      to[(a * bs + c) * stride] = v;
    }
  }
}
#endif

/* to[nn][bs], one lane an element, from node blocks; of a tangent with the derivatives by * along, along NULL: zero */
RHX_INLINED void gather(int nn, PetscInt bs, const PetscInt *conn, const PetscScalar *from, const PetscScalar *along,
                        double by, RhxReal *to)
{
  (void)along, (void)by;
#if RHX_KIND == RHX_KIND_LANES
  gather_lanes(nn, bs, conn, from, 1, to);
#elif RHX_KIND == RHX_KIND_DUAL_LANES
  gather_lanes(nn, bs, conn, from, 2, &to->v);
  if (along) gather_lanes(nn, bs, conn, along, 2, &to->d);
  for (PetscInt k = 0; k < nn * bs; k++) to[k].d = along ? by * to[k].d : RHX_ZERO.d;
#else
  for (int a = 0; a < nn; a++) {
    const size_t s = (size_t)conn[a * LANES] * bs;
    for (PetscInt c = 0; c < bs; c++) to[a * bs + c] = SEEDED(from[s + c], along ? by * along[s + c] : 0.0);
  }
#endif
}

/* to[n], one lane an element: the mean of the nodes of a simplex. */
#ifdef RHX_SWAPPED
#define HAS_MEAN(one) (one)
RHX_INLINED void mean_of_lanes(int nn, PetscInt n, const PetscInt *conn, const PetscScalar *from, int stride,
                               RhxLength *to)
{
  RhxLength v[NLANES];
  for (int l = 0; l < NLANES; l++) {
    v[l] = rhx_load(from + (size_t)conn[l] * n);
    for (int a = 1; a < nn; a++) v[l] += rhx_load(from + (size_t)conn[a * LANES + l] * n);
  }
  rhx_transpose(v);
  for (int l = 0; l < NLANES; l++) to[l * stride] = SHARE * v[l];
}

RHX_INLINED void gather_means(int nn, PetscInt n, const PetscInt *conn, const PetscScalar *from, int stride,
                              RhxLength *to)
{
  PetscInt c = 0;
  for (; c + NLANES <= n; c += NLANES) mean_of_lanes(nn, n, conn, from + c, stride, to + c * stride);
  if (c < n && n >= NLANES) { /* some twice */
    mean_of_lanes(nn, n, conn, from + n - NLANES, stride, to + (n - NLANES) * stride);
    return;
  }
  for (; c < n; c++)
    for (int l = 0; l < NLANES; l++) {
      double s = from[(size_t)conn[l] * n + c];
      for (int a = 1; a < nn; a++) s += from[(size_t)conn[a * LANES + l] * n + c];
      to[c * stride][l] = SHARE * s;
    }
}

RHX_INLINED void gather_mean(int nn, PetscInt n, const PetscInt *conn, const PetscScalar *from,
                             const PetscScalar *along, RhxReal *to)
{
#if TANGENT
  gather_means(nn, n, conn, from, 2, &to->v);
  if (along)
    gather_means(nn, n, conn, along, 2, &to->d);
  else
    for (PetscInt c = 0; c < n; c++) to[c].d = RHX_ZERO.d;
#else
  (void)along;
  gather_means(nn, n, conn, from, 1, to);
#endif
}
#else
#define HAS_MEAN(one) 0
#define gather_mean(nn, n, conn, from, along, to) ((void)0)
#endif

/* Adds components [first, last); lanes below `lanes` are elements, the rest is padding. Lanes may share nodes. */
RHX_INLINED void scatter(int nn, PetscInt bs, PetscInt first, PetscInt last, const PetscInt *conn, int lanes,
                         const Result *from, PetscScalar *to)
{
  for (int a = 0; a < nn; a++) {
    PetscScalar *d[NLANES];
    for (int l = 0; l < NLANES; l++) d[l] = to + (size_t)conn[a * LANES + l] * bs;
    PetscInt c = first;
#ifdef RHX_SWAPPED
    for (; c + NLANES <= last && lanes >= NLANES; c += NLANES) {
      Result v[NLANES];
      for (int l = 0; l < NLANES; l++) v[l] = from[a * bs + c + l];
      rhx_transpose(v);
      for (int l = 0; l < NLANES; l++) rhx_store(d[l] + c, rhx_load(d[l] + c) + v[l]);
    }
#endif
#ifdef PAIRS
    for (; c + 2 <= last && lanes >= NLANES; c += 2) {
      PetscScalar *const at[] = {d[0] + c, d[1] + c, d[2] + c, d[3] + c};
      add_pairs(from + a * bs + c, at);
    }
#endif
    for (; c < last; c++) {
      const Result v = from[a * bs + c];
      if (lanes >= NLANES)
        for (int l = 0; l < NLANES; l++) d[l][c] += RESULT(v, l);
      else
        for (int l = 0; l < lanes; l++) d[l][c] += RESULT(v, l);
    }
  }
}

#endif
