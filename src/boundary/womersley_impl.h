/* Pulsatile developed flow of constant viscosity over a label: a slit from its middle on, a circle, or a plane label of any shape. */
#ifndef RHX_WOMERSLEY_IMPL_H
#define RHX_WOMERSLEY_IMPL_H
#include <petscsys.h>

typedef struct _p_RhxWomersley *RhxWomersley;
struct _p_RhxSection;

/* Of a label of half width (dim 2) or radius `half`, m, and a fluid of kinematic viscosity nu, m^2/s, the harmonics of the flux
 * q[2 n] at equal times of a period, s. r, share: as RhxDevelopedCreate; borrowed. */
PetscErrorCode RhxWomersleyCreate(PetscInt dim, double half, double nu, double period, PetscInt n, const double *q,
                                  PetscInt nnodes, const double *r, const double *share, RhxWomersley *w);
/* The same over the faces of a section, whose nodes are the places: with it as the key of RhxWomersleyVelocity, r NULL. */
PetscErrorCode RhxWomersleyCreateOver(struct _p_RhxSection *section, double nu, double period, PetscInt n,
                                      const double *q, RhxWomersley *w);
/* U[i] at the distances r[i] at t, which are always the same for a key; the nodes carry the flux, of which what the harmonics lack goes into the steady profile. */
PetscErrorCode RhxWomersleyVelocity(RhxWomersley w, double t, double flux, const void *key, PetscInt n, const double *r,
                                    double *U);
PetscErrorCode RhxWomersleyDestroy(RhxWomersley *w);
#endif
