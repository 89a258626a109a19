/* The weak form: composes physics, modes, representation and stabilisers and runs them over elements and faces. */
#ifndef RHX_FORM_H
#define RHX_FORM_H
#include "form/ask.h"
#include "form/faceterm.h"
#include "plugin/scalars.h"
#include "space/graph.h"

#define RHX_MAX_MODES 32
#define RHX_MAX_STABILISERS 8
#define RHX_MAX_SCALARS 8

typedef enum { RHX_STRESS, RHX_CONFORMATION, RHX_LOGCONF } RhxRepresentation;
typedef enum { RHX_RATE_LAGGED, RHX_RATE_ZERO } RhxRatePolicy;
typedef enum { RHX_PASSES_AUTO, RHX_PASSES_ONE, RHX_PASSES_TURNS } RhxPasses;
typedef enum { RHX_ASSEMBLY_COLOUR, RHX_ASSEMBLY_OWNER, RHX_ASSEMBLY_ATOMIC } RhxAssembly;

/* One polymeric mode: its law and its parameters. */
typedef struct {
  const RhxPlugin *law;
  PetscInt number; /* mode of that law */
  void *par;       /* law->param_size bytes */
  double slip;     /* Gordon-Schowalter xi */
} RhxFormMode;

typedef struct {
  const RhxPlugin *plugin;
  void *par;
  unsigned aux_needed; /* bit a row */
  RhxStage stage;      /* offsets among the flow's auxiliary components, or among those of one mode for per-mode rows */
} RhxFormStabiliser;

/* The fields of one plugin follow each other among all scalars. */
typedef struct {
  const RhxPlugin *plugin;
  void *par;
  PetscInt first; /* number of its first field */
} RhxFormScalars;

typedef struct {
  const RhxScalarRow *row;
  PetscInt owner, number; /* its plugin in the form; its own number there */
  PetscReal usual;        /* mean of its initial values; before there is a mesh what is given as a number, else NAN */
  PetscReal level;        /* about which it varies: its convection is conservative of the difference */
  RhxScalarSettings set;
} RhxFormScalar;

/* Largest values over the elements of one pass (over all ranks after RhxFormStatsReduce): wi and tau at all quadrature
 * points, rates that bound the time step (kernels/limits.h) at the first one of each element. */
typedef struct {
  double convective;    /* sqrt(u.g.u)/2, 1/s: dt times it is the CFL number */
  double viscous;       /* of what diffuses momentum, 1/s: forward Euler needs dt times it <= 1, as of relaxation */
  double elastic;       /* frequency of elastic waves, 1/s */
  double wi;            /* lambda * shear rate */
  double tau;           /* stabilisation time of the provider of pressure at u = 0, its bound, m^3 s/kg */
  double relaxation;    /* half the largest derivative of a law's rate, 1/s */
  double growth;        /* from dt = its inverse on forward Euler amplifies waves, 1/s */
  double waves;         /* its part of elastic waves, 1/s */
  double antidiffusion; /* dt times it is rho u^2 dt/2 over all viscosity, solvent's and modes' */
} RhxFormStats;

/* The sum of the integral of N_a N_b over this rank's elements, rows of all its nodes. */
typedef struct {
  RhxNodeGraph graph;
  PetscReal *value; /* NULL: not asked for yet */
} RhxMassMatrix;

#define RHX_ROWS_FLOW 1u /* rows of a residual that are computed: of velocity and pressure */
#define RHX_ROWS_MODES 2u
#define RHX_ROWS_SCALARS 4u
#define RHX_ROWS_ALL 7u

/* Facts about a form, which any room may read and src/form alone writes; what only src/form knows is in inside_impl.h. */
struct _p_RhxForm {
  RhxSpace space; /* borrowed */
  MPI_Comm comm;
  double rho, convection;
  PetscBool axisymmetric, centroid; /* simplices: one point (kernels/simplex.h) */
  RhxRepresentation representation;
  RhxAssembly assembly;     /* of residuals on the device */
  const RhxPlugin *viscous; /* NULL: no solvent */
  void *viscous_par;
  PetscInt nmodes;
  RhxFormMode mode[RHX_MAX_MODES];
  PetscInt nstabilisers;
  RhxFormStabiliser stabiliser[RHX_MAX_STABILISERS];
  PetscInt nowners; /* plugins with scalar fields */
  RhxFormScalars owner[RHX_MAX_SCALARS];
  PetscInt nscalars, first_scalar, swirl; /* where they begin in the node block; which is u_theta, -1: none */
  RhxFormScalar scalar[RHX_MAX_SCALARS];
  unsigned coupled;                           /* RHX_COUPLES, RHX_SHIFTS: what scalar fields do to the flow */
  PetscBool conservative;                     /* of scalar fields: RhxFormSetClosed */
  PetscInt naux_flow, naux_mode, naux_scalar; /* auxiliary components of the flow, of a mode, of a scalar */
  PetscInt naux;                              /* components a node: flow, then modes, then scalars */
  PetscBool needs_rate, has_div_tau;
  unsigned provides; /* capabilities of the active parts */
  PetscInt nface_terms;
  RhxFaceTerm face_term[32];
  PetscInt slopes; /* how often those of the terms have changed */
  RhxOpenNodes open;
  PetscScalar *source, *load; /* [nlocal][bs] of faceterm.h, or NULL; owned */
  RhxMassMatrix consistent;
  PetscInt corrections, *correction; /* of projections: the most, and of each component [naux] */
  double scale[RHX_MAX_MODES];       /* unknown per conformation: modulus (stress) or 1 (conformation) */
  struct _RhxFormInside *in;
};
/* What the composition of the form is, before there is a mesh: read from -physics, -stabiliser, -polymer_variable and the
 * plugins' options. Declares the fields that the space needs. */
PetscErrorCode RhxFormRegisterOptions(void);
PetscErrorCode RhxFormCreate(MPI_Comm comm, RhxForm *form);
PetscErrorCode RhxFormSetFromOptions(RhxForm form);
PetscErrorCode RhxFormSetRepresentation(RhxForm form, RhxRepresentation which); /* before its fields */
PetscErrorCode RhxFormCreateFields(RhxForm form, PetscInt dim, RhxFields *fields);
PetscErrorCode RhxFormSetUp(RhxForm form, RhxSpace space); /* checks capabilities and flags */
/* Density, laws and stabilisers anew from the options; of conditions: RhxBoundaryRenew. same: no other projections, else it is of no use. */
PetscErrorCode RhxFormReadParameters(RhxForm form, PetscBool *same);
/* Will it be called? Then no number is written into a device's programs, which are made later. */
PetscErrorCode RhxFormSetVarying(RhxForm form, PetscBool varying);
PetscErrorCode RhxFormUseCentroid(RhxForm form); /* one point a simplex; before the first pass */
/* Error if a law with its parameters is not what it says (lawcheck.h). RhxFormSetUp calls it. */
PetscErrorCode RhxFormCheckLaws(RhxForm form, PetscInt dim, PetscInt ntens);
PetscErrorCode RhxFormCheckLogarithm(RhxForm form); /* log c of a law that has none */
/* Error if neither a stabiliser nor the scheme (its capability flags) provides pressure stability; lists who would. */
PetscErrorCode RhxFormCheckPressure(RhxForm form, unsigned scheme_provides);
/* Where a stabiliser of the coupling of velocity and stress is there and does nothing, its share being 0: the option that turns it on;
 * else "". */
PetscErrorCode RhxFormAdviseCoupling(RhxForm form, size_t size, char *text);
PetscBool
RhxFormHasViscosity(RhxForm form); /* momentum: of a solvent, or by a stabiliser that couples velocity and stress */
/* Before the first pass: no condition leaves the pressure or the traction free of continuity. Scalar fields are convected
 * conservatively there if a stabiliser makes the pressure stable, unless -form_scalar_convection says how. */
PetscErrorCode RhxFormSetClosed(RhxForm form, PetscBool closed);
PetscErrorCode RhxFormView(RhxForm form, PetscViewer viewer);
PetscErrorCode RhxFormDestroy(RhxForm *form);

/* Fields of a row of a stabiliser's auxiliary table, and the offset of that of field k among a node's components. */
PetscInt RhxFormAuxCount(RhxForm form, RhxAuxOwner of);
PetscInt RhxFormAuxStart(RhxForm form, RhxAuxOwner of, PetscInt k);

/* All arrays are local, [nlocal][...]; results are summed over ranks in their owned part. Collective. */
/* aux[nlocal][naux] = lumped L2 projections of the stabilisers' auxiliary values; complete in ghosts too. */
PetscErrorCode RhxFormProject(RhxForm form, double t, double dt, const PetscScalar *x, PetscScalar *aux);
/* How often projections are corrected by the consistent mass: what a stabiliser's option projection_corrections (a choice of
 * auto|0|1|2|3|4) says; preset: where it says auto, RHX_CONSISTENT: solved for with that mass. Before: none. */
#define RHX_CONSISTENT (-1)
PetscErrorCode RhxFormSetCorrections(RhxForm form, PetscInt preset);
/* Correction `which`, from 0 to form->corrections - 1, of aux as conditions left it; complete in ghosts too. */
PetscErrorCode RhxFormCorrectProjections(RhxForm form, PetscInt which, PetscScalar *aux);
/* Assembles form->consistent unless it is there. */
PetscErrorCode RhxFormNeedMass(RhxForm form);
/* Largest eigenvalue of M times the inverse that k corrections of M^-1 by M_c make: 1 for none, up to that of M M_c^-1. Of the
 * elements of all ranks. */
PetscErrorCode RhxFormMassFactor(RhxForm form, PetscInt k, double *factor);
/* r[nlocal][bs] = M_c v, v[nlocal][bs] */
PetscErrorCode RhxFormMassProduct(RhxForm form, PetscInt bs, const PetscScalar *v, PetscScalar *r);
/* From now on RhxFormProject solves with the consistent mass and nothing is corrected. constrain: sets to zero what of
 * aux[nlocal][naux] vanishes on planes of symmetry, within the solve. */
typedef PetscErrorCode (*RhxConstrainFn)(void *ctx, PetscScalar *aux);
PetscErrorCode RhxFormSetConsistent(RhxForm form, RhxConstrainFn constrain, void *ctx);
PetscBool RhxFormIsConsistent(RhxForm form); /* whether that was asked for */
/* Then: what vanishes is so by parts that are orthogonal in a : b, not by components; products of tensors in that solve are a : b from now on. */
PetscErrorCode RhxFormWeighTensors(RhxForm form);
/* r[nlocal][bs] = weak residual without mass terms; xdot may be NULL (rate zero). stats: NULL or filled (this rank). */
PetscErrorCode RhxFormResidual(RhxForm form, unsigned rows, double t, double dt, const PetscScalar *x,
                               const PetscScalar *xdot, const PetscScalar *aux, PetscScalar *r, RhxFormStats *stats);
/* r[nlocal] += integral N div u, u[nlocal][dim] */
PetscErrorCode RhxFormDivergence(RhxForm form, const PetscScalar *u, PetscScalar *r);
/* r[nlocal][dim] = integral N grad phi, phi[nlocal] */
PetscErrorCode RhxFormGradient(RhxForm form, const PetscScalar *phi, PetscScalar *r);
/* Matrix of integral grad N . grad N, block size 1, rows of global nodes. */
PetscErrorCode RhxFormCreateLaplacian(RhxForm form, Mat *K);
/* Lumped mass by diagonal scaling (ayyad-2020, eq. 16): element by element m_a = M_aa |e| / sum_b M_bb. mass[nlocal]. */
PetscErrorCode RhxFormDiagonalMass(RhxForm form, PetscReal *mass);
PetscErrorCode RhxFormStatsReduce(RhxForm form, RhxFormStats *stats);

/* Nodal conformation and stress of a mode from the state, n nodes. out[n][ntens]. */
PetscErrorCode RhxFormConformation(RhxForm form, PetscInt mode, PetscInt n, const PetscScalar *x, PetscScalar *c);
PetscErrorCode RhxFormPolymerStress(RhxForm form, PetscInt mode, PetscInt n, const PetscScalar *x, PetscScalar *tau);
/* The law's local steady state at a velocity gradient L[dim][dim] (row by row), in simple shear by viscometric.c: unknown s[ntens] of the
 * representation and stress tau[ntens], either may be NULL. PETSC_ERR_NOT_CONVERGED names law, mode and rate. */
PetscErrorCode RhxFormDeveloped(RhxForm form, PetscInt mode, const double *L, double *s, double *tau);
/* Unknown s[ntens] of the representation from a conformation c[ntens]; log-conformation needs it positive definite. */
PetscErrorCode RhxFormUnknown(RhxForm form, PetscInt mode, const double *c, double *s);
/* s[ntens] = log c of a conformation, by its eigenvectors; an error unless it is positive definite. */
PetscErrorCode RhxFormLogarithm(RhxForm form, const double *c, double *s);
/* Smallest eigenvalue of the conformation of a mode's unknown s[ntens]; NaN where s is not finite. */
PetscErrorCode RhxFormSmallestEigenvalue(RhxForm form, PetscInt mode, const PetscScalar *s, double *smallest);
/* Error if the steady shear stress of all laws together falls anywhere below this shear rate; what has been looked at is not
 * looked at again. Not collective. */
PetscErrorCode RhxFormCheckFlowCurve(RhxForm form, double rate);
/* Steady shear stress at a rate; c, a conformation a mode, goes there from the rate `from`, 0: from rest. Not collective. */
PetscErrorCode RhxFormShearStress(RhxForm form, double from, double rate, double c[][6], double *stress);
/* Unknown per conformation at rest: the modulus in the stress representation, else 1. */
PetscErrorCode RhxFormModulus(RhxForm form, PetscInt mode, double *scale);
/* Unknown of the representation at rest (c = I). */
PetscErrorCode RhxFormRest(RhxForm form, PetscInt mode, double *s);
/* Solvent viscosity at shear rate 0 and sum of the modes' viscosities at rest. */
PetscErrorCode RhxFormViscosity(RhxForm form, double *eta_s, double *eta_p);
#endif
