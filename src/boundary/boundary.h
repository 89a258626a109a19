/* Boundary conditions by label: Dirichlet values of the node blocks and face terms of the form. */
#ifndef RHX_BOUNDARY_H
#define RHX_BOUNDARY_H
#include "boundary/told.h"
#include "form/form.h"

typedef struct _p_RhxBoundary *RhxBoundary;

PetscErrorCode RhxBoundaryRegisterOptions(void); /* -bc_<label>_..., -initial_..., form sources by formula */
PetscErrorCode RhxBoundaryCreate(RhxForm form, RhxBoundary *bc);
PetscErrorCode RhxBoundarySetFromOptions(RhxBoundary bc);
/* The form is set up. Reads -bc_<label>_..., because only the mesh knows the labels. Every boundary label must have exactly one condition; errors list the labels and their face counts. Hands the face
 * terms to the form. */
PetscErrorCode RhxBoundarySetUp(RhxBoundary bc);
/* Before the set-up: capabilities of the scheme. One that stabilises the pressure itself needs it at nodes of outlets. */
#define RHX_PROVIDES_INFLOW \
  65536u /* beside those of plugin.h: RhxBoundaryAddInflow is part of its residuals of modes */
PetscErrorCode RhxBoundarySetScheme(RhxBoundary bc, unsigned provides);
PetscErrorCode RhxBoundaryView(RhxBoundary bc, PetscViewer viewer); /* label, faces, nodes, type, values */
PetscErrorCode RhxBoundaryDestroy(RhxBoundary *bc);
/* Evaluates what depends on time (values, ramps, face tractions, sources) at t; cheap when nothing does. Collective. */
PetscErrorCode RhxBoundarySetTime(RhxBoundary bc, double t);
/* What the next RhxBoundarySetTime gives is evaluated anew: a law has changed. */
PetscErrorCode RhxBoundaryRenew(RhxBoundary bc);
/* Does nothing change after t (formulas in t, ramps)? met: but for what RhxBoundaryMeet sets, or is solved for. */
PetscErrorCode RhxBoundaryIsSteady(RhxBoundary bc, double t, PetscBool met, PetscBool *steady);
/* What keeps it from that: "-form_mean_velocity, sources, label 'left'". */
PetscErrorCode RhxBoundaryNameMoving(RhxBoundary bc, double t, PetscBool met, size_t size, char *text);
PetscErrorCode RhxBoundaryGetPulsating(RhxBoundary bc, const char **label); /* first Womersley profile, or NULL */
/* For steps after t: do given values or tractions depend on time? why: what else does, or answers the flow, such as "sources depend on time"; "": nothing. */
PetscErrorCode RhxBoundaryDepends(RhxBoundary bc, double t, PetscBool *given, size_t size, char *why);
/* Counts of the evaluations of values and tractions, and of sources: whoever keeps copies sees whether they are old. */
PetscErrorCode RhxBoundaryGetVersions(RhxBoundary bc, PetscInt *values, PetscInt *sources);
/* A step begins; its pressure has been solved for: of labels whose pressure follows their flux or depends on time, and then rises.
 * from, to: times of the pressure that the step begins with, and of that which it solves for. */
PetscErrorCode RhxBoundaryBeginStep(RhxBoundary bc, double from, double to);
PetscErrorCode RhxBoundaryRaisePressure(RhxBoundary bc);
/* x[n][bs] of listed local nodes, ghosts too, at the end of a step; a condition's list is always the same. Collective. */
typedef PetscErrorCode (*RhxFetchFn)(void *ctx, IS nodes, PetscScalar *x);
/* After a step that is accepted: conditions with a state move it on to t. Collective. */
PetscErrorCode RhxBoundaryAdvance(RhxBoundary bc, double t, double dt, RhxFetchFn fetch, void *ctx);
/* Before an attempt at a step from t: pressures and the force that answer the flow; before: of the step before if rates have it, else 0. Collective. */
PetscErrorCode RhxBoundaryForesee(RhxBoundary bc, double t, double dt, double before);
/* A run begins at x[nowned][bs], initial or of a checkpoint. Collective. */
PetscErrorCode RhxBoundaryBegin(RhxBoundary bc, const PetscScalar *x);
/* Labels whose traction follows the velocity, with its slope: are there any? Their tractions become those of the state that `fetch` gives, at
 * t, and with MeetSlopes the slopes of the form's face terms, for its derivatives; any: is one other than 0? Collective. */
PetscBool RhxBoundaryHasTangents(RhxBoundary bc);
PetscErrorCode RhxBoundaryMeet(RhxBoundary bc, double t, RhxFetchFn fetch, void *ctx);
PetscErrorCode RhxBoundaryMeetSlopes(RhxBoundary bc, double t, PetscBool *any);
/* Mean pressures that open labels give are among the states of conditions: noted at the time of a state that is kept, forgotten before one is
 * read. RestartPressure: x[nowned][bs], read at t, gets their change since then, if any, harmonic between open labels. Collective. */
PetscErrorCode RhxBoundaryNoteLevels(RhxBoundary bc, double t);
void RhxBoundaryForgetLevels(RhxBoundary bc);
PetscErrorCode RhxBoundaryRestartPressure(RhxBoundary bc, double t, PetscBool other_mesh, PetscScalar *x,
                                          PetscBool *changes);
/* Number i of the conditions that have a state, with a name for checkpoints; the caller may change the values
 * before a step, then calls RhxBoundaryStateChanged. i out of range: n = 0. tacit: a checkpoint may lack it. */
PetscErrorCode RhxBoundaryGetState(RhxBoundary bc, PetscInt i, char name[256], PetscInt *n, double **v,
                                   PetscBool *tacit);
PetscErrorCode RhxBoundaryStateChanged(RhxBoundary bc);

#define RHX_BC_VELOCITY (1u << RHX_GROUP_VELOCITY)
#define RHX_BC_PRESSURE (1u << RHX_GROUP_PRESSURE)
#define RHX_BC_MODES (1u << RHX_GROUP_MODES)
#define RHX_BC_SCALARS (1u << RHX_GROUP_SCALARS)
#define RHX_BC_ALL ((1u << RHX_NGROUPS) - 1u)
/* Writes the values of SetTime into x[nowned][bs] (Dirichlet rows; on symmetry planes the normal velocity and the
 * shear components of the tensors are removed). */
PetscErrorCode RhxBoundaryImpose(RhxBoundary bc, unsigned what, PetscScalar *x);
/* The same rows set to zero, as for rates, residuals of free rows and increments. */
PetscErrorCode RhxBoundaryZero(RhxBoundary bc, unsigned what, PetscScalar *x);
/* r[nowned][bs] += what the modes of x[nowned][bs] lack of those that flow in, where an inlet gives them in their flux. Rows that this
 * would change faster than 1/dt, mass[nowned] the nodes', are slowed to it, which no steady state sees. */
PetscErrorCode RhxBoundaryAddInflow(RhxBoundary bc, double dt, const PetscReal *mass, const PetscScalar *x,
                                    PetscScalar *r);
/* Its derivative at dt 0: r += that along v[nowned][bs]; and block[n][bs][bs] of each of the owned nodes that have such modes (NULL: on
 * no rank; borrowed), x[n][bs] there. */
PetscErrorCode RhxBoundaryAddInflowProduct(RhxBoundary bc, const PetscScalar *x, const PetscScalar *v, PetscScalar *r);
PetscErrorCode RhxBoundaryGetInflowNodes(RhxBoundary bc, IS *nodes);
PetscErrorCode RhxBoundaryGetInflowBlocks(RhxBoundary bc, const PetscScalar *x, PetscScalar *block);
/* diagonal[nowned] += what the rows of a mode get by its own value there, m^dim/s. */
PetscErrorCode RhxBoundaryAddInflowDiagonal(RhxBoundary bc, const PetscScalar *x, PetscScalar *diagonal);
/* v[nowned][ntens] of a mode: zero where it is given. */
PetscErrorCode RhxBoundaryFreeMode(RhxBoundary bc, PetscInt mode, PetscScalar *v);
/* v[nowned][dim]: zero where the velocity is given, no normal part on planes of symmetry. */
PetscErrorCode RhxBoundaryFreeVelocity(RhxBoundary bc, PetscScalar *v);
/* Owned nodes without flow along a normal [n][dim], those of a node in turn and orthonormal: where nothing gives the velocity. Borrowed. */
PetscErrorCode RhxBoundaryGetNormals(RhxBoundary bc, PetscInt *n, const PetscInt **node, const PetscReal **normal);
/* Parts of the modes that vanish at owned nodes of oblique planes of symmetry, [n][ntens], those of a node in turn and orthonormal: those of
 * x are sum_k part_k (dual_k.x). Borrowed. */
PetscErrorCode RhxBoundaryGetOddParts(RhxBoundary bc, PetscInt *n, const PetscInt **node, const PetscReal **part,
                                      const PetscReal **dual);
/* Owned nodes whose whole velocity is given; the caller frees them. */
PetscErrorCode RhxBoundaryGivenVelocity(RhxBoundary bc, PetscInt *n, PetscInt **node);
/* Behaviour of projected fields at symmetry planes: aux[nlocal][naux] (odd components vanish). */
PetscErrorCode RhxBoundaryImposeAuxiliary(RhxBoundary bc, PetscScalar *aux);
/* aux[nlocal][naux]: the stabilisers' projections of x, corrected and as they are at symmetry planes. Collective. */
PetscErrorCode RhxBoundaryProject(RhxBoundary bc, double t, double dt, const PetscScalar *x, PetscScalar *aux);
/* Of it what comes after RhxFormProject; linear in aux. */
PetscErrorCode RhxBoundaryCorrectProjections(RhxBoundary bc, PetscScalar *aux);
/* Owned nodes whose pressure is fixed; n = 0 on every rank: the pressure is free (constant null space). */
PetscErrorCode RhxBoundaryGetPressureNodes(RhxBoundary bc, PetscInt *n, const PetscInt **nodes, PetscBool *free);
PetscErrorCode RhxBoundaryGetPressureValues(RhxBoundary bc, const PetscScalar **values); /* of them; borrowed */
/* Initial state (formulas of -initial_..., else at rest: p of outlets and, where it weighs, of the body force) with the conditions of time t
 * imposed, into x[nowned][bs]. Collective. */
PetscErrorCode RhxBoundaryInitialState(RhxBoundary bc, double t, PetscBool weighs, PetscScalar *x);
PetscBool RhxBoundaryHasBodyForce(RhxBoundary bc);
PetscErrorCode RhxBoundaryWarnOfInitial(RhxBoundary bc, double t); /* of a pressure that open labels do not give */
/* Labels whose pressure follows their flux, that have had no step, get the flux of x[nowned][bs] at t and the pressure that answers it, for the next
 * RhxBoundarySetTime; the pressure that their first step begins with, by BeginFollowing, is the mean of x over their nodes. Collective. */
PetscErrorCode RhxBoundaryMeetFluxes(RhxBoundary bc, double t, const PetscScalar *x);
PetscErrorCode RhxBoundaryBeginFollowing(RhxBoundary bc, const PetscScalar *x);
/* n labels whose pressure, or developed stress, follows their flux: from now on a scheme solves for these with the flow. weight[nowned][bs]: the
 * flux of x through number k is the sum of weight x. Collective. */
PetscErrorCode RhxBoundarySolveFollowing(RhxBoundary bc, PetscInt *n);
PetscErrorCode RhxBoundaryGetFluxWeights(RhxBoundary bc, PetscInt k, PetscScalar *weight);
/* A step begins with these fluxes. Within it, at the end of dt from its start, t, flux[n] makes value[n] of a pressure, or that flux itself,
 * whose stress is developed, with slope[n] = dvalue/dflux; at rest dt is infinite and t the time. */
PetscErrorCode RhxBoundaryBeginFluxes(RhxBoundary bc, const double *flux);
PetscErrorCode RhxBoundaryFollowFluxes(RhxBoundary bc, double t, double dt, const double *flux, double *value,
                                       double *slope);
/* After the next RhxBoundarySetTime; infinite dt: at rest. */
PetscErrorCode RhxBoundarySetFollowing(RhxBoundary bc, double dt, const double *value);
/* Of number k a change of its value for a difference that the residual does not drown; linear: the residual is, in the value. */
PetscErrorCode RhxBoundaryGetFollowingStep(RhxBoundary bc, PetscInt k, double value, double *step, PetscBool *linear);
PetscErrorCode RhxBoundaryGetFollowingLag(RhxBoundary bc, PetscInt k, double *gain, double *time); /* `lag`, or 0 */
/* The first label whose condition moves on with the steps, but for those whose value a scheme solves for or whose traction is met, and its
 * type; label NULL: there is none. */
PetscErrorCode RhxBoundaryGetMoving(RhxBoundary bc, const char **label, const char **type);
/* Is the mean velocity kept by a force (-form_mean_velocity)? That of the last step, N/m^3, and the mean at its end, m/s; each may be NULL. */
PetscErrorCode RhxBoundaryGetDrive(RhxBoundary bc, PetscBool *driven, double *force, double *mean);
/* From now on a scheme solves for that force with the flow and sets it; volume of the domain, unit vector direction[dim], borrowed. */
PetscErrorCode RhxBoundarySolveDrive(RhxBoundary bc, double *volume, const double **direction);
/* That acts now, or after the next RhxBoundarySetTime. */
PetscErrorCode RhxBoundaryGetForce(RhxBoundary bc, double *force), RhxBoundarySetForce(RhxBoundary bc, double force);
PetscErrorCode RhxBoundaryGetAim(RhxBoundary bc, double t, double *aim); /* mean velocity, m/s */
/* weight[nowned][bs]: the mean of x is the sum of weight x. */
PetscErrorCode RhxBoundaryGetMeanWeights(RhxBoundary bc, PetscScalar *weight);
/* The fastest velocity and the largest modes that conditions give from the end of ramps to `end`, s (24 times), the mean velocity that is
 * kept among them; sets t again; modes: the caller's. Fastest: the velocity alone, and its option without '-' ("": none), or NULL; t stays. Collective. */
typedef struct {
  PetscReal speed, velocity[3]; /* m/s; 0: none is given */
  PetscReal size, *modes;       /* [nmodes][ntens] of the unknown; size 0: none is given, or rest */
} RhxLargestGiven;
PetscErrorCode RhxBoundaryGetLargest(RhxBoundary bc, double t, double end, RhxLargestGiven *most);
PetscErrorCode RhxBoundaryGetFastest(RhxBoundary bc, double t, double end, double *speed, char option[256]);
/* Likewise, of the labels with a flow rate that is not 0 the one whose fastest velocity is the least; speed 0: there is none. */
PetscErrorCode RhxBoundaryGetSlowestRate(RhxBoundary bc, double t, double end, double *speed, char option[256]);
/* Where more flows out of all inlets than into them, at the end of their ramps and up to `end` as far as it is known: those through which it
 * flows out, m^3/s (2D: m^2/s), at the end of ramps. Collective. */
PetscErrorCode RhxBoundaryGetOutward(RhxBoundary bc, double t, double end, RhxTold *outward);
/* The inlets whose developed flow, at the end of its ramp, has a first normal stress difference of more than `most` times the shear stress of
 * solvent and modes. Collective. */
PetscErrorCode RhxBoundaryGetTension(RhxBoundary bc, double most, RhxTold *ratios);
/* The largest |p| at a node, of each rank, of labels that give one, Pa; 0: none does. Collective. */
PetscErrorCode RhxBoundaryGetGivenPressure(RhxBoundary bc, double t, double *largest);
/* The first open label whose pressure is given at nodes, where continuity does not hold; NULL: there is none. */
PetscErrorCode RhxBoundaryGetLossy(RhxBoundary bc, const char **label);
/* Owned nodes whose velocity is taken from this label (for reactions); borrowed. */
PetscErrorCode RhxBoundaryGetVelocityNodes(RhxBoundary bc, const char *label, PetscInt *n, const PetscInt **nodes);
/* sum[nlocal][dim] += integral N t of the shear stress t on a wall with slip (NULL: on all), no part of the reactions. Collective. */
PetscErrorCode RhxBoundaryAddFriction(RhxBoundary bc, const char *label, PetscScalar *sum);
PetscBool RhxBoundaryHasFriction(RhxBoundary bc); /* is there such a wall? */
/* No condition gives a pressure or leaves the boundary open: continuity holds at every node. */
PetscErrorCode RhxBoundaryIsClosed(RhxBoundary bc, PetscBool *closed);
/* The first inlet where conditions alone say what flows in and out (closed, div u = 0); NULL: the flow says it, or nothing flows. */
PetscErrorCode RhxBoundaryGetOnlyGiven(RhxBoundary bc, const char **label);
/* Do conditions alone say what flows in and out (as of RhxBoundaryGetOnlyGiven, an inlet or none)? x[nowned][bs]: then what they give at
 * t, 0 elsewhere; values that were given stay those of `now`. Collective. */
PetscErrorCode RhxBoundaryGiveAll(RhxBoundary bc, double now, double t, PetscScalar *x, PetscBool *all);
/* Does the label's condition itself take the normal velocity away, so that nothing passes? Is it a wall, with a velocity of its own? */
PetscErrorCode RhxBoundaryIsTight(RhxBoundary bc, const char *label, PetscBool *tight, PetscBool *wall);
/* Is the label a plane of symmetry, or open to the flow, as an outlet? May there be a stress along it? */
PetscErrorCode RhxBoundaryIsPlane(RhxBoundary bc, const char *label, PetscBool *plane, PetscBool *open);
PetscErrorCode RhxBoundaryHasShear(RhxBoundary bc, const char *label, PetscBool *shear);

/* Formulas (muParser), compiled once, evaluated in bulk: in x, y, z, t; in q, t or tau, t, evaluated with dim 1 and q or tau for x; or
 * in t alone. */
typedef struct _p_RhxFormula *RhxFormula;
typedef enum { RHX_FORMULA_OF_PLACE, RHX_FORMULA_OF_FLUX, RHX_FORMULA_OF_STRESS, RHX_FORMULA_OF_TIME } RhxFormulaOf;
/* An error names option, text and place. */
PetscErrorCode RhxFormulaCreate(MPI_Comm comm, const char *option, const char *text, RhxFormulaOf of, RhxFormula *f);
PetscErrorCode RhxFormulaEvaluate(RhxFormula f, double t, PetscInt n, PetscInt dim, const PetscReal *x,
                                  PetscReal *values);
/* values[i * stride] for point i. */
PetscErrorCode RhxFormulaEvaluateStrided(RhxFormula f, double t, PetscInt n, PetscInt dim, const PetscReal *x,
                                         PetscInt stride, PetscReal *values);
/* f[nlists][n] of "a,b;c,d": lists separated by ';', formulas by ',' outside parentheses; names, such as "u,v", are for errors.
 * f must be NULL pointers before; those made before an error are the caller's to destroy. */
PetscInt RhxFormulaListLength(const char *text); /* formulas of a list */
PetscErrorCode RhxFormulaListCreate(MPI_Comm comm, const char *option, const char *text, PetscInt nlists, PetscInt n,
                                    const char *names, RhxFormula *f);
PetscErrorCode RhxFormulaGetText(RhxFormula f, const char **option, const char **text); /* borrowed */
PetscErrorCode RhxFormulaDependsOnTime(RhxFormula f, PetscBool *depends);
PetscErrorCode RhxFormulaDependsOnPlace(RhxFormula f, PetscBool *depends); /* on a coordinate, q or tau */
PetscErrorCode RhxFormulaCount(PetscInt64 *points);                        /* evaluations of this process so far */
PetscErrorCode RhxFormulaDestroy(RhxFormula *f);
#endif
