/* A type of condition of boundary labels: -bc_<label>_type <name>. Core asks it for values at points and imposes them on
 * host and device; face terms are prescribed tractions. All functions are called on all ranks of the case, also where a rank
 * has no point of the label; SI units. A value that one rank cannot give is an error of PETSC_COMM_SELF, which core raises on all. */
#ifndef RHX_CONDITION_H
#define RHX_CONDITION_H
#include <rheoplex/extension.h>

typedef struct RhxCondition RhxCondition; /* of one label */

/* What a type gives, and how core has to treat it. */
#define RHX_TYPE_VELOCITY 1u        /* every component of the velocity at the label's nodes */
#define RHX_TYPE_NO_SLIP 2u         /* ends a parabola */
#define RHX_TYPE_SYMMETRY 4u        /* the normal velocity and the tensors' shear vanish: done by core */
#define RHX_TYPE_STRESS 8u          /* the unknown of every polymeric mode at the nodes */
#define RHX_TYPE_PRESSURE 16u       /* the pressure at the nodes */
#define RHX_TYPE_OPEN 32u           /* the weak form has its face term: no viscous traction, unless: */
#define RHX_TYPE_INWARD 64u         /* a parabola points into the domain */
#define RHX_TYPE_TRACTION 128u      /* the face term has a traction */
#define RHX_TYPE_WEAK_PRESSURE 256u /* the pressure is that of the traction: continuity holds at the label's nodes */
#define RHX_TYPE_NORMAL 512u        /* the normal velocity vanishes, by the normals of the nodes: done by core */
#define RHX_TYPE_SWIRL 1024u        /* with swirl: u_theta at the nodes; else core has it from -bc_<label>_swirl */

/* What has to be evaluated again. */
#define RHX_CHANGES_VELOCITY 1u
#define RHX_CHANGES_PRESSURE 2u
#define RHX_CHANGES_STRESS 4u
#define RHX_CHANGES_TRACTION 8u
#define RHX_CHANGES_ALL 15u

/* State of a type with `follow`: pressure that holds now; flux of the last step's end (in advance: of its start), and whether there
 * was a step. */
enum { RHX_FOLLOW_PRESSURE, RHX_FOLLOW_FLUX, RHX_FOLLOW_BEGUN, RHX_FOLLOW_OWN };

typedef struct {
  RhxEntry entry;
  int priority; /* of the velocity at a node of several labels: the smallest holds */
  unsigned flags;
  const char
      *shared; /* of the options that several types take (`rheoplex list boundary`) its own, " type velocity ramp " */
  const char *polymer; /* values of -bc_<label>_polymer, between blanks */
  int nrows;           /* options of its own, -bc_<label>_<row>, read into a struct of `size` bytes */
  const RhxRow *rows;
  unsigned long size;
  int nstate; /* numbers of type double that make its state: kept by checkpoints, the same on every rank */
  /* The rest may be NULL. */
  PetscErrorCode (*check)(RhxCondition *c); /* of the options; once, before setup */
  PetscErrorCode (*setup)(RhxCondition *c); /* label's geometry is there; sets the state of a run that begins */
  unsigned (*gives)(const RhxCondition *c); /* flags with the label's options; NULL: flags */
  /* Which values at t1 differ from those at t0 (t1 may be infinite) while the state is the same; NULL: none, as is tried at first. */
  unsigned (*changes)(RhxCondition *c, double t0, double t1);
  /* At n points x[n][dim] of the label; of a wall (RHX_TYPE_NO_SLIP) on which a developed profile ends in the plane the velocity is asked
   * for before `setup` too, after `check`, and on single ranks: */
  PetscErrorCode (*velocity)(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u); /* [n][dim] */
  PetscErrorCode (*pressure)(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p); /* [n] */
  PetscErrorCode (*stress)(RhxCondition *c, double t, PetscInt n, const PetscReal *x,
                           PetscReal *s); /* [n][modes][tensor components] of the unknown of -polymer_variable */
  /* sigma.n on the faces, pressure included, outward unit normals[n][dim]; values[n][dim] */
  PetscErrorCode (*traction)(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                             PetscReal *values);
  /* After every step that is accepted, t its end: moves the state on; values at times after t are by the new one. From here
   * RhxConditionMeasure may be called. */
  PetscErrorCode (*advance)(RhxCondition *c, double t, double dt);
  /* Of a type whose pressure follows its flux: pressure, Pa, and slope dp/dQ, at the end of a next step of dt, if the flux out of
   * the domain at that end were `flux`; at rest dt is infinite, here and in `advance`, and t the time. Core finds the fluxes and pressures of all such labels together, with the flow that their
   * pressures drive, before every step, and keeps them at RHX_FOLLOW_... of the state, which a type's own numbers follow. */
  PetscErrorCode (*follow)(RhxCondition *c, double t, double dt, double flux, double *pressure, double *slope);
  PetscErrorCode (*begin)(RhxCondition *c); /* a run begins from a state: RhxConditionMeasure may be called */
  PetscErrorCode (*view)(RhxCondition *c, PetscViewer viewer); /* ", value ..." behind the label */
  PetscErrorCode (*destroy)(RhxCondition *c);
  /* Of a type whose traction follows the velocity: slope[n][dim][dim] = d traction_i/d u_j at the flow that `begin` was told last, which
   * in an implicit scheme is that of each iterate; on every rank, n 0 where it has no faces. Such schemes refuse types that move without it. */
  PetscErrorCode (*tangent)(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                            PetscReal *slope);
  /* u_theta[n] of axisymmetric flow with swirl; it changes as the velocity does. */
  PetscErrorCode (*swirl)(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *u);
  /* Of a wall that slips, RHX_TYPE_NORMAL with a traction: its shear stress tau[n], Pa, at n speeds >= 0 along it, m/s, rising from 0, and
   * slope[n] = dtau/dspeed, which may be NULL. A developed profile that ends on it has its slip, without this function that of a wall without; asked for before
   * `setup` too, after `check`, and on single ranks. */
  PetscErrorCode (*friction)(RhxCondition *c, double t, PetscInt n, const PetscReal *speed, PetscReal *tau,
                             PetscReal *slope);
  /* Of a type with `follow` and numbers that `advance` moves: about rest the part `gain` of its slope comes late, as s of
   * time ds/dt + s = gain dQ, s. Spectra refuse such types without it. */
  PetscErrorCode (*lag)(RhxCondition *c, double *gain, double *time);
} RhxConditionType;

/* descriptor: static, borrowed. A second one of a name is an error. */
PetscErrorCode RhxConditionRegister(const RhxConditionType *descriptor);

const char *RhxConditionGetLabel(const RhxCondition *c);
MPI_Comm RhxConditionGetComm(const RhxCondition *c);
PetscInt RhxConditionGetDimension(const RhxCondition *c);
void *RhxConditionGetOptions(RhxCondition *c); /* the struct of its own rows; fields for its work may follow them */
double *RhxConditionGetState(RhxCondition *c); /* [nstate] */
/* Area (2D: length) and mean outward unit normal of the label; either may be NULL. After check. */
void RhxConditionGetGeometry(const RhxCondition *c, PetscReal *area, PetscReal normal[3]);
/* In advance: volume flux out of the domain, m^3/s (2D: m^2/s), and mean pressure, Pa, of the new state. Collective. */
PetscErrorCode RhxConditionMeasure(RhxCondition *c, double *flux, double *pressure);
#endif
