/* One pass over the elements or faces of a form, and what it costs. */
#ifndef RHX_FORM_PASS_IMPL_H
#define RHX_FORM_PASS_IMPL_H
#include "form/form.h"
#include "form/part.h"

/* What a pass over elements or faces works on. Arrays are local: [nlocal][...]; NULL where a pass has no use for them. */
typedef struct {
  RhxForm form;
  unsigned rows;
  double t, dt;
  const PetscScalar *x, *xdot, *aux;
  PetscScalar *out;
  RhxFormStats *stats;
  /* Of tangents: out gets the derivative along these, NULL for zero; matrices work in `out` (form/host/tangent.c) and go into `matrix`. */
  const PetscScalar *along_x, *along_aux;
  double shift;                   /* the rate's derivative over along_x, 1/s */
  const struct RhxInsert *matrix; /* form/host/insert.h */
  RhxAuxiliaryPart part;          /* that `auxiliary` and `projection_matrices` are of */
  const PetscInt *at; /* [ngroups][nn][nn][RHX_LANES] places in `out` of the entries of an element's matrix */
  int follows;        /* of matrices: L as kinematics stages have it changes as grad u does (kernels/compose.h) */
  double viscous;     /* factor of the viscosity in it */
  PetscScalar *hoop;  /* [nlocal] of form/host/momentum.h */
  PetscInt mode;      /* whose matrix of transport it is */
} RhxPass;

typedef enum {
  RHX_PASS_RESIDUAL,
  RHX_PASS_PROJECT,
  RHX_PASS_FACES,
  RHX_PASS_DIVERGENCE,
  RHX_PASS_GRADIENT,
  RHX_PASS_MOMENTUM,
  RHX_PASS_TRANSPORT,
  RHX_PASS_TOTALS,
  RHX_NPASSES
} RhxPassKind;

/* Floating-point operations of one pass like this one, of which arrays count as there or not: the element loops of the host run over
 * one element with a number that counts (rheoplex/count.h), so that every law and stabiliser is in it; times the elements of this
 * rank. Counted once, then known. Not collective. */
PetscErrorCode RhxFormPassFlops(const RhxPass *pass, RhxPassKind kind, double *flops);
#endif
