/* A part of kernel.c: what the rows of a point hold, f0 and f1 apart, for matrices. */
#ifndef RHX_KERNEL_APART_H
#define RHX_KERNEL_APART_H

#define APART(io) (TANGENT && (io)->apart)

RHX_INLINED void apart_row(Io *io, PetscInt row, RhxReal f0, const RhxReal f1[DIM])
{
  Result *R = io->el->R + row;
  R[0] = TAKEN(f0);
  for (int j = 0; j < DIM; j++) R[(1 + j) * io->el->bs] = TAKEN(f1[j]);
}

RHX_INLINED void apart_flow(Io *io, const RhxPoint *pt)
{
  for (int i = 0; i < DIM; i++) apart_row(io, VELOCITY + i, pt->f0u[i], pt->f1u[i]);
  apart_row(io, PRESSURE, pt->f0p, pt->f1p);
}

RHX_INLINED void apart_mode(Io *io, int m, const RhxMode *md)
{
  for (int k = 0; k < NTENS; k++) apart_row(io, FIRST_MODE + m * NTENS + k, md->f0[k], md->f1[k]);
}

RHX_INLINED void apart_scalar(Io *io, int k, const RhxScalar *sc)
{
  apart_row(io, io->form->first_scalar + k, sc->f0, sc->f1);
}

#endif
