/* A part of kernel.c: values of the nodes to a lane group, a lane an element, and back. */
#ifndef RHX_KERNEL_NODES_H
#define RHX_KERNEL_NODES_H

/* to[nn][bs], one lane an element, from node blocks; of a tangent with the derivatives by * along, along NULL: zero */
RHX_INLINED void gather(int nn, PetscInt bs, const PetscInt *conn, const PetscScalar *from, const PetscScalar *along,
                        double by, RhxReal *to)
{
  (void)along, (void)by;
  for (int a = 0; a < nn; a++) {
    size_t s[NLANES];
    for (int l = 0; l < NLANES; l++) s[l] = (size_t)conn[a * LANES + l] * bs;
    PetscInt c = 0;
#if defined(RHX_SWAPPED) && DIM == 3 /* the plane's six values of a node: 10 % more of a residual of quadrilaterals */
    for (; c + NLANES <= bs; c += NLANES) {
      RhxReal *v = to + a * bs + c;
      for (int l = 0; l < NLANES; l++) v[l] = rhx_load(from + s[l] + c);
      rhx_transpose(v);
    }
#endif
    for (; c < bs; c++) {
      RhxReal v;
      for (int l = 0; l < NLANES; l++) RHX_LANE(v, l) = SEEDED(from[s[l] + c], along ? by * along[s[l] + c] : 0.0);
      to[a * bs + c] = v;
    }
  }
}

/* Adds components [first, last); lanes below `lanes` are elements, the rest is padding. Lanes may share nodes. */
RHX_INLINED void scatter(int nn, PetscInt bs, PetscInt first, PetscInt last, const PetscInt *conn, int lanes,
                         const RhxReal *from, PetscScalar *to)
{
  for (int a = 0; a < nn; a++) {
    PetscScalar *d[NLANES];
    for (int l = 0; l < NLANES; l++) d[l] = to + (size_t)conn[a * LANES + l] * bs;
    PetscInt c = first;
#ifdef RHX_SWAPPED
    for (; c + NLANES <= last && lanes >= NLANES; c += NLANES) {
      RhxReal v[NLANES];
      for (int l = 0; l < NLANES; l++) v[l] = from[a * bs + c + l];
      rhx_transpose(v);
      for (int l = 0; l < NLANES; l++) rhx_store(d[l] + c, rhx_load(d[l] + c) + v[l]);
    }
#endif
    for (; c < last; c++) {
      const RhxReal v = from[a * bs + c];
      if (lanes >= NLANES)
        for (int l = 0; l < NLANES; l++) d[l][c] += RESULT(v, l);
      else
        for (int l = 0; l < lanes; l++) d[l][c] += RESULT(v, l);
    }
  }
}

#endif
