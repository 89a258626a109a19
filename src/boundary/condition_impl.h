/* A label with its condition. */
#ifndef RHX_BOUNDARY_CONDITION_IMPL_H
#define RHX_BOUNDARY_CONDITION_IMPL_H
#include "boundary/developed_impl.h"
#include "boundary/film_impl.h"
#include "boundary/options_impl.h"
#include "boundary/waveform_impl.h"
#include "boundary/womersley_impl.h"
#include "petsc_compat.h"
#include <rheoplex/condition.h>

/* Of the faces of a label. */
typedef struct {
  PetscReal area, length, normal[3]; /* area (2D: length, or what it sweeps); of the mesh; mean outward unit normal */
  PetscReal bend;                    /* largest |n - normal| */
  PetscReal plane[3], plane_bend;    /* the same of normals without their sign (two parallel planes are one) */
  PetscReal extent, lower[3], upper[3]; /* longest edge of the bounding box, and that */
  PetscReal centre[3], half;            /* of the parabola 1 - (r/half)^2 */
  PetscReal flux;              /* of that parabola as the label's nodes have it, or, inward, of a file's points */
  PetscInt nshares;            /* moving nodes of all ranks: */
  PetscReal *distance, *share; /* from the centre; flux of a unit velocity of the node */
} RhxLabelGeometry;

/* Rows with given values: x[idx[i]] = val[i] in x[nowned][bs]. */
typedef struct {
  PetscInt n, *idx;
  PetscScalar *val;
} RhxFixed;

/* Owned nodes of a condition and where their values begin in a RhxFixed, in the order of the nodes. */
typedef struct {
  PetscInt n, *node, start;
  PetscReal *x; /* [n][dim] */
} RhxNodeSet;

/* What a label gives one scalar field. */
typedef struct {
  RhxScalarKind kind;
  RhxFormula formula; /* of a film the ambient value; NULL: natural, or the value is the type's own */
  RhxFormula film;    /* its coefficient h, m/s, or NULL */
  PetscBool time;     /* the formulas hold t */
  RhxNodeSet nodes;   /* whose value it gives */
} RhxScalarCondition;

/* Quadrature points of a face group with every lane, and the traction there. */
typedef struct {
  PetscInt n;            /* ngroups * nfq * RHX_LANES */
  PetscReal *x, *normal; /* [n][dim] in the order group, point, lane */
} RhxFacePoints;

struct RhxCondition {
  RhxBoundary bc;
  const char *label; /* borrowed from the mesh */
  const RhxFaces *faces;
  const RhxConditionType *type;
  RhxConditionOptions *opt; /* of the shared rows */
  void *own;                /* of the type's own rows */
  unsigned gives;           /* RHX_TYPE_... with these options */
  /* [2 nstate + 1] of the last step, of the one before it, time of the end of the last step: values of times after that are by
   * the first, those of the time itself, which belong to the flow that is there, by the second */
  double *kept;
  double *state;            /* the part of it that holds now */
  PetscBool moved;          /* values of later times are not yet by the last step's state */
  struct RhxWarmth *warmth; /* warmth_impl.h, or NULL; */
  struct RhxComing *coming; /* coming_impl.h, likewise */
  struct RhxMemory *memory; /* memory_impl.h, likewise */
  PetscBool arrives;        /* the stress of a type with `follow` is developed of its flux */
  PetscScalar *flow;        /* [nodes of faces][bs] while it advances */
  double arriving, flux;    /* of a type that follows it: of an iterate; measured while it advances */
  double level[2][2];       /* of an open label's pressure, mean and range: with a state's, and now */
  PetscBool risen;          /* is the flow's pressure by the last step's state, a given one that of the step's end? */
  PetscInt nfaces, nnodes, nstress; /* the first two of all ranks */
  RhxLabelGeometry geo;
  RhxFormula velocity[3], pressure, traction_formula[3], *stress;     /* stress [nmodes][ntens] */
  PetscBool velocity_time, pressure_time, traction_time, stress_time; /* their formulas hold t */
  RhxWaveform flow_rate, turning, pressure_rows; /* of the profile; of a type's own, borrowed; each may be NULL */
  RhxWaveform motion;     /* rows of the velocity of the whole label in place of formulas, or NULL */
  RhxDeveloped developed; /* the profile, or NULL */
  struct _p_RhxGap *gap;  /* likewise, between walls that are unlike or round a core, or */
  RhxWomersley womersley;
  struct _p_RhxSection *section; /* the label's faces, where the profile needs them: */
  struct _p_RhxDuct *duct;       /* developed flow over them, or NULL, or */
  PetscReal *sampled;            /* [nodes of the section][dim] velocity of a file's points */
  RhxNodeSet v, p, s, inflow;    /* nodes whose velocity (v: if any), pressure, modes or their flux it gives */
  RhxScalarCondition *scalar;    /* [nscalars] */
  RhxFacePoints *points;         /* per face group, where a polymer traction is prescribed */
  PetscReal **traction, **slope; /* per face group, in the layout of RhxFaceTerm */
};

#define RHX_FLAT 1e-6 /* plane_bend of a plane, at most */
#endif
