/* What comes back in through open labels. */
#ifndef RHX_BOUNDARY_BACKFLOW_H
#define RHX_BOUNDARY_BACKFLOW_H
#include "boundary/boundary.h"

/* Open, with backflow 0 and tangential free; or tangential zero beside a polymer that comes in as it is, which that lets grow. */
PetscBool RhxBoundaryIsUnguarded(RhxBoundary bc, const char *label);
PetscBool RhxBoundaryCrossesWithPolymer(RhxBoundary bc, const char *label); /* the latter */
/* Is it an open label through which the polymer comes in at rest? */
PetscBool RhxBoundaryBringsRest(RhxBoundary bc, const char *label);
/* What keeps fluid that comes in through an open label stable, by options. */
void RhxBoundaryAdviseInflow(RhxBoundary bc, const char *label, size_t size, char *text);
/* Where pressures of open labels alone drive the flow: those that count whose pressure is over another's between t and end, by the most that it
 * is, Pa. Collective. */
PetscErrorCode RhxBoundaryGetDriven(RhxBoundary bc, double t, double end,
                                    PetscBool (*counts)(RhxBoundary, const char *), RhxTold *driven);
/* The open labels, but those that follow their flux, that give the largest and the least pressure at t, and by how much; NULL, 0: there are
 * not two, or a body force may hold the difference. width: of the narrower, m; in space 2 A/P of its area and the walls at its rim. Collective. */
PetscErrorCode RhxBoundaryGetApart(RhxBoundary bc, double t, const char *label[2], double *apart, double *width);
/* Inlets with polymer free through which fluid comes in on the whole, at the end of ramps or up to `end`. Collective. */
PetscErrorCode RhxBoundaryGetFreeInlets(RhxBoundary bc, double t, double end, RhxTold *inlets);
/* An open label with -bc_<label>_backflow, and whether what flows in through one of them in x[nowned][bs], which then has rho (u.n) u there,
 * holds the velocity; NULL: there is none, or no convection. Collective. */
PetscErrorCode RhxBoundaryIsHeldByBackflow(RhxBoundary bc, const PetscScalar *x, const char **label, PetscBool *held);
/* Open labels that end on walls alone, with one body force all along but for its part along periods, which drives the flow, whose given pressure
 * does not hold it at t: what is left from end to end, Pa; that force on the one where it is the most, N/m^3, which a pressure force.x would hold.
 * Collective. */
PetscErrorCode RhxBoundaryGetUnheld(RhxBoundary bc, double t, double force[3], RhxTold *unheld);

#endif
