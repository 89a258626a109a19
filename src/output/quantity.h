/* Fields by name that are made from a state: those of -output_fields, of probes and of other diagnostics. */
#ifndef RHX_QUANTITY_H
#define RHX_QUANTITY_H
#include "form/form.h"

typedef struct {
  char name[64];
  const char *unit;
  PetscInt components;          /* vectors 3, tensors 6, in 2D too */
  const char *const *component; /* names of several components: X Y Z, or ParaView's XX YY ZZ XY YZ XZ */
  PetscBool common;             /* one of `default` */
  PetscBool cell;               /* a value an element, else a node */
  PetscBool slope;              /* made from velocity gradients */
  int source;                   /* private */
  PetscInt index;               /* private: field of the space, or mode */
} RhxQuantity;

typedef struct {
  RhxForm form; /* borrowed */
  PetscInt n;
  RhxQuantity *item; /* [n] owned */
} RhxQuantities;

/* Those that the form's laws have. */
PetscErrorCode RhxQuantitiesCreate(RhxForm form, RhxQuantities **all);
PetscErrorCode RhxQuantitiesDestroy(RhxQuantities **all);
/* Numbers of a comma-separated text of names, `default` and `all`, each once; an unknown name is an error of the option that
 * lists the known ones. which: to be freed. Collective. */
PetscErrorCode RhxQuantitiesSelect(const RhxQuantities *all, const char *option, const char *text, PetscInt *n,
                                   PetscInt **which);
/* Widens the range [*first, *end) of components of the node block to those that this one is made from. */
void RhxQuantityExtend(const RhxQuantities *all, PetscInt k, PetscInt *first, PetscInt *end);
/* Is it made of components of the node block as they are? offset: the first one. */
PetscBool RhxQuantityIsState(const RhxQuantities *all, PetscInt k, PetscInt *offset);
/* m of velocity gradients L[nodes][m][m], du_i/dx_j: the dimension, 3 in axisymmetric flow, whose third direction is the hoop. */
PetscInt RhxGradientSize(RhxSpace space);
/* out[n][components] of a nodal one at n nodes. x[n][bs]; L[n][m][m], NULL where slope is false. */
PetscErrorCode RhxQuantityEvaluate(const RhxQuantities *all, PetscInt k, PetscInt n, const PetscScalar *x,
                                   const PetscScalar *L, double *out);
/* out[elements of all cell types], in their order, of a cell one. x[nlocal][bs]; dt: of the last step, s. */
PetscErrorCode RhxQuantityEvaluateCells(const RhxQuantities *all, PetscInt k, const PetscScalar *x, double dt,
                                        double *out);
/* ParaView's names of a tensor's components: XX YY ZZ XY YZ XZ. */
extern const char *const RhxTensorComponents[6];
/* Our components of a tensor in that order; zz: what one without out-of-plane component has there. */
void RhxTensorToParaView(PetscInt ntens, double zz, const PetscScalar *a, double out[6]);
/* Nodal velocity gradients L[nlocal][m][m] by the lumped projection, of the hoop u_r/r, complete in ghosts: exact where u is linear.
 * Collective. */
PetscErrorCode RhxVelocityGradient(RhxForm form, const PetscScalar *x, PetscScalar *L);
#endif
