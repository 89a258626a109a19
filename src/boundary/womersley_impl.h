/* Pulsatile developed flow of a fluid that is linear in shear over a label: a slit from its middle on, a circle, or a plane label of any shape. */
#ifndef RHX_WOMERSLEY_IMPL_H
#define RHX_WOMERSLEY_IMPL_H
#include <complex.h>
#include <petscsys.h>

typedef struct _p_RhxWomersley *RhxWomersley;
struct _p_RhxSection;

/* Of a label of half width (dim 2) or radius `half`, m, and a fluid whose harmonic k has the complex kinematic viscosity nu[k], m^2/s, the
 * harmonics 0 to n - 1 of the flux q[2 n] at equal times of a period, s. r, share: as RhxDevelopedCreate; borrowed. */
PetscErrorCode RhxWomersleyCreate(PetscInt dim, double half, const double complex *nu, double period, PetscInt n,
                                  const double *q, PetscInt nnodes, const double *r, const double *share,
                                  RhxWomersley *w);
/* The same over the faces of a section. */
PetscErrorCode RhxWomersleyCreateOver(struct _p_RhxSection *section, const double complex *nu, double period,
                                      PetscInt n, const double *q, RhxWomersley *w);
/* At t, s, velocity U[n], m/s, at the distances r[n], m, and, unless it is NULL, slope[n], dU/dr/r, 1/(m s); of a section U at its nodes, n, r and slope
 * are not used. The nodes carry the flux, of which what the harmonics lack goes into the steady profile. */
PetscErrorCode RhxWomersleyVelocity(RhxWomersley w, double t, double flux, PetscInt n, const double *r, double *U,
                                    double *slope);
PetscErrorCode RhxWomersleyDestroy(RhxWomersley *w);
#endif
