/* Developed flow of the case's laws between two walls of any kind, in a slit or an annulus. */
#ifndef RHX_GAP_IMPL_H
#define RHX_GAP_IMPL_H
#include "boundary/sliding_impl.h"
#include "form/form.h"

typedef struct _p_RhxGap *RhxGap;

/* Where the label ends. */
typedef struct {
  RhxCondition *wall; /* that is there, or NULL; borrowed */
  PetscBool free;     /* no shear: a plane of symmetry, free slip, no friction; else a wall, which */
  PetscBool moves, slips;
  RhxCondition *turner;        /* that holds the azimuthal velocity there, or NULL: none is dragged along; borrowed */
  const RhxCondition *dragger; /* that prescribes the flux of it there, or NULL; borrowed */
  PetscReal x[2];
} RhxGapEnd;

typedef struct {
  const char *label;            /* borrowed */
  PetscBool ring;               /* annulus, or tube, places are radii; else a slit, from its end 0 on */
  PetscReal across[2], flow[2]; /* unit vectors from end 0 to end 1, and of the velocity U */
  RhxGapEnd end[2];
} RhxGapShape;

PetscErrorCode RhxGapCreate(RhxForm form, const RhxGapShape *shape, RhxGap *gap);
/* r[n], share[n]: of the nodes of all ranks the place and the flux that a unit velocity of the node brings; borrowed. Nothing here is
 * collective: every rank finds the same. */
void RhxGapSetNodes(RhxGap gap, PetscInt n, const double *r, const double *share);
PetscReal RhxGapPlace(RhxGap gap, const PetscReal *x);
/* Slip, speed and turning of the walls are those of t, the flow a-fold as fast as that of the run. */
PetscErrorCode RhxGapMove(RhxGap gap, double t, double a);
/* The flow whose nodes carry the flux `aim`, or whose fastest place has that velocity. Errors, of PETSC_COMM_SELF: a flow curve that falls,
 * no steady shear, no such flow. */
PetscErrorCode RhxGapSolve(RhxGap gap, double aim, PetscBool fastest);
/* U and its gradient at x. */
void RhxGapVelocity(RhxGap gap, const PetscReal *x, PetscReal *U, PetscReal gradient[2]);
/* V along theta at x, m/s. */
PetscReal RhxGapSwirl(RhxGap gap, const PetscReal *x);
/* Of a gap that may be NULL: is this a wall whose motion and slip the flow has? Do its walls move or slip otherwise at t1? A law has changed. */
PetscBool RhxGapHas(RhxGap gap, const RhxCondition *wall);
PetscBool RhxGapChanges(RhxGap gap, double t0, double t1);
PetscErrorCode RhxGapForget(RhxGap gap);
PetscErrorCode RhxGapDestroy(RhxGap *gap);

/* walls.c. The developed flow of a straight label from x[0] to x[1], where on[] says which end has no shear, is one of an annulus, or beside
 * walls that move or are unlike: then gap, else NULL. alike: the wall with the friction of all that slip, or NULL. Collective. */
PetscErrorCode RhxGapFind(RhxCondition *c, const RhxCondition *alike, PetscReal x[2][2], const PetscBool on[2],
                          RhxGap *gap);
#endif
