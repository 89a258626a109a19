/* Private structs of the boundary room. */
#ifndef RHX_BOUNDARY_IMPL_H
#define RHX_BOUNDARY_IMPL_H
#include "boundary/condition_impl.h"
#include "boundary/inflow_impl.h"
#include "boundary/odd_impl.h"
#include "boundary/separate_impl.h"
#include "plugin/catalogue.h"
#include "plugin/event.h"
#include "plugin/option.h"

enum { RHX_PAST_STEP, RHX_PAST_MEAN, RHX_NPAST }; /* the last step's dt, s (0: none); the mean at its start, m/s */

struct _p_RhxBoundary {
  RhxForm form; /* borrowed */
  RhxSpace space;
  MPI_Comm comm;
  PetscInt ncond;
  RhxCondition *cond;          /* in the order of the labels' names */
  unsigned *role;              /* [nowned] flags of all types at a node */
  PetscInt *winner;            /* [nowned] the condition that gives a quantity, while the lists are made */
  RhxFixed fixed[RHX_NGROUPS]; /* by group of fields; tensor shear of symmetry planes (zero) at the end of modes */
  RhxInflowNodes inflow;
  RhxFilmNodes film;
  RhxPlaneNormals symmetry, aux, along; /* owned nodes whose velocity is free; local ones on planes; symmetry.c */
  RhxOdd turned;                        /* at nodes of oblique planes of symmetry */
  PetscInt nvectors, *vector;           /* offsets of vectors in the auxiliary components */
  PetscInt nodd, *odd, npressure, *pressure_node; /* entries of aux[nlocal][naux] that vanish; nodes */
  PetscBool pressure_free;
  RhxSourceOptions *source;
  RhxInitialOptions *initial;
  double *drive;                /* of labels that follow their flux (coupling_impl.h), or NULL */
  PetscBool rises;              /* the pressure of some label does, in the correction of a step */
  double step[2];               /* times of the pressure that a step begins with, and of what it ends with */
  struct RhxDrive *drive_force; /* that keeps a mean velocity (drive_impl.h), or NULL */
  double past[RHX_NPAST];
  PetscBool sources_moved, momentary; /* its force is not yet in them; stresses are those of steady flow, as scales */
  PetscInt nrows;
  RhxSourceFormula *row[2];  /* [bs] of a row: body force, and sources of momentum beside it */
  PetscBool scheme_pressure; /* the scheme provides the stability of the pressure, which is given at nodes */
  PetscBool has_source, source_time, scheme_inflow; /* the scheme has the flux of modes that flow in */
  /* of scalar fields: formulas of conditions hold t; some label prescribes the flux, or has a film, which hold t */
  PetscBool scalar_time, has_flux, flux_time;
  PetscScalar *sources, *fluxes;            /* the form's, where there are some: faceterm.h */
  PetscBool setup, evaluated, solved, rest; /* solved: pressures that follow, by the scheme; rest: it is at rest */
  double t;                                 /* of the last evaluation */
  PetscInt version, source_version;         /* times that values, or sources, were evaluated */
  char failure[512];                        /* first failure of this rank in an evaluation */
  double failure_value;                     /* below 0: by how much; the least of all ranks is told */
};

/* types.c */
extern const RhxOptionTable RhxConditionTable, RhxSourceTable, RhxInitialTable;
extern RhxCatalogue RhxConditionTypes;
PetscErrorCode RhxConditionRead(RhxBoundary bc, RhxCondition *c);
PetscErrorCode RhxConditionCheck(RhxBoundary bc, RhxCondition *c); /* finds the type; consistency of the options */
PetscErrorCode RhxConditionCheckLabels(RhxBoundary bc);            /* options of labels that have no faces */
PetscErrorCode RhxBoundaryLabelsText(RhxBoundary bc, char *text, size_t size);

/* nodes.c */
PetscErrorCode RhxBoundarySetUpNodes(RhxBoundary bc);
PetscErrorCode RhxBoundaryDestroyNodes(RhxBoundary bc);
/* The nodes of condition `number` that it has won. */
PetscErrorCode RhxNodeSetCreate(RhxBoundary bc, const RhxCondition *c, PetscInt number, const PetscInt *winner,
                                RhxNodeSet *set);
PetscErrorCode RhxFixedCreate(PetscInt n, RhxFixed *fixed);

/* geometry.c */
PetscErrorCode RhxConditionSetUpGeometry(RhxBoundary bc, RhxCondition *c);
/* Position and outward normal times area element of a quadrature point. */
void RhxFacePoint(const RhxFaceGroup *g, PetscInt dim, PetscInt group, PetscInt q, PetscInt lane, PetscReal x[3],
                  PetscReal normal[3]);

/* profile.c: velocity u[n][dim] and gradient L[n][dim][dim] of a condition at points, ramped; either may be NULL */
PetscErrorCode RhxConditionProfile(RhxBoundary bc, RhxCondition *c, double t, PetscInt n, const PetscReal *x,
                                   PetscReal *u, PetscReal *L);
/* Unknown s and stress tau of every mode, [n][nmodes][ntens], in local steady state at L; either may be NULL. */
PetscErrorCode RhxBoundaryDeveloped(RhxBoundary bc, PetscInt n, const PetscReal *x, const PetscReal *L, PetscReal *s,
                                    PetscReal *tau);
/* values[i * stride]; a value that is not finite is noted as this rank's failure. */
PetscErrorCode RhxBoundaryFormula(RhxBoundary bc, RhxFormula f, double t, PetscInt n, const PetscReal *x,
                                  PetscInt stride, PetscReal *values);
void RhxBoundaryPlace(RhxBoundary bc, const PetscReal *x, char *text, size_t size); /* "(1, 2)" */
/* Notes an error that one rank met at x under PetscReturnErrorHandler. */
PetscErrorCode RhxBoundaryNote(RhxBoundary bc, PetscErrorCode ierr, const char *what, const PetscReal *x);
PetscErrorCode RhxConditionNote(RhxCondition *c, const char *what,
                                PetscErrorCode ierr); /* the same of what a type gives */
PetscErrorCode RhxBoundaryRaise(RhxBoundary bc);      /* raises the worst, or first, failure of all ranks; collective */
/* Notes that c of a mode (index in the form) has the smallest eigenvalue `least`; where: option and place. */
void RhxBoundaryNotPositive(RhxBoundary bc, const char *where, PetscInt mode, double least);
PetscReal RhxRamp(double t, double ramp);
/* faces.c */
PetscErrorCode RhxConditionSetUpFaces(RhxBoundary bc, RhxCondition *c);
PetscErrorCode RhxBoundarySetUpOpen(RhxBoundary bc);
/* Axisymmetric: a half plane, its axis on labels of symmetry. Parts of the mesh that no cell joins have their own pressures. */
PetscErrorCode RhxBoundaryCheckAxis(RhxBoundary bc), RhxBoundaryCheckParts(RhxBoundary bc);
void RhxConditionAddNormals(const RhxFaces *faces, PetscInt dim, PetscReal *sum); /* sum[nlocal][dim] += integral N n */
PetscErrorCode RhxConditionFindNormals(const RhxCondition *c, PetscReal **sum);   /* allocated, of all ranks */
PetscErrorCode RhxConditionTraction(RhxCondition *c, double t), RhxConditionDestroyFaces(RhxCondition *c);

extern RhxEvent RhxGivenEvent;                                  /* values.c: finding what is given within steps */
PetscErrorCode RhxConditionSetUpState(RhxCondition *c);         /* state.c */
PetscBool RhxConditionIsLater(const RhxCondition *c, double t); /* than the last step's end, when its state holds */

/* symmetry.c */
PetscErrorCode RhxBoundarySetUpSymmetry(RhxBoundary bc), RhxBoundaryDestroySymmetry(RhxBoundary bc);
void RhxRemoveNormal(const RhxPlaneNormals *p, PetscInt dim, PetscInt bs, PetscInt offset, PetscScalar *x);

/* initial.c */
PetscErrorCode RhxBoundarySetUpSources(RhxBoundary bc);
PetscErrorCode RhxBoundaryDestroySources(RhxBoundary bc);
PetscErrorCode RhxBoundarySources(RhxBoundary bc, double t);
const char *RhxTensorNames(PetscInt ntens), *RhxVectorNames(PetscInt dim); /* "xx,yy,xy", "u,v", ... */
#endif
