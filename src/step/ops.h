/* The operations that a time scheme is written in, over arrays of node blocks: one table, carried out on the host (host.c) or
 * on a device (device.c). A scheme calls them in order and runs on both; none waits for the device but `finish`, what the host
 * iterates (consistent projections) and those that read or write host memory, so that a step can be recorded and replayed.
 *
 * Arrays are our own and not taken from PETSc Vecs: a PETSc without CUDA, such as a distribution's, has no Vec on a device, and
 * ghosts follow the owned nodes in one block of memory, which a global Vec does not have. The scheme's TS keeps one Vec
 * coherent with its state (scheme.c). The table stands above form and boundary because an update takes given values in the same
 * pass over the nodes. */
#ifndef RHX_OPS_H
#define RHX_OPS_H
#include "boundary/boundary.h"
#include "device/device.h"
#include "step/nodal.h"
#include "step/pressure.h"
#include "step/result.h"
#include "step/tangent.h"

/* [nlocal][width] doubles; owned nodes first. Owned by its RhxOps. */
struct _p_RhxArray {
  void *at;          /* only memory of `type` may be followed */
  PetscMemType type; /* PETSC_MEMTYPE_HOST or PETSC_MEMTYPE_CUDA */
  PetscInt width;
  PetscBool zero; /* zeros on a device, set in passing */
  const char *what;
  RhxArray next;
};

#define RHX_MAX_STAGES 4
typedef struct { /* sum of weight times term, such as the residuals of stages */
  int n;
  RhxArray term[RHX_MAX_STAGES];
  double weight[RHX_MAX_STAGES];
} RhxSum;
enum { RHX_NORM_VELOCITY, RHX_NORM_PRESSURE, RHX_NORM_MODES, RHX_NNORMS };

typedef struct {
  PetscBool diagonal_mass;         /* scaled diagonal mass in updates; else row sums */
  PetscBool strong_rate;           /* strong residuals read the rate that a residual is given */
  PetscBool recordable;            /* a step may be recorded */
  PetscInt projection_corrections; /* of stabilisers that leave it to the scheme, or RHX_CONSISTENT */
  PetscBool without_pressure;      /* no operation solves for the pressure */
  PetscBool implicit;              /* momentum is solved for */
  PetscBool lags;                  /* the pressure is of the middle of its step */
  PetscBool transport;             /* and modes are, before it */
  PetscBool tracked;               /* increments of the pressure track its subscales in time, */
  PetscBool hands_on;              /* and what the balance of continuity lacked after a step joins the next one's */
  PetscBool mass_products;         /* reactions have the consistent mass though no operation solves with it */
  PetscBool varies;                /* parameters of laws and stabilisers change while it runs */
  PetscInt mass_corrections;       /* the scheme corrects rates by the consistent mass */
} RhxOpsSettings;

typedef PetscErrorCode (*RhxOpsBody)(void *context);
#define RHX_HANDED 3 /* `handed` of owned nodes by implicit steps: S p, the pressure's right side, its rise behind */
#define RHX_IMPLICIT_PART (-1.0) /* of a step, that of its implicit formula */

/* All collective. Arrays that are added to are first set to zero; `clear`, which may be NULL, names the array that the next such
 * operation adds to: a device sets it to zero on its way, for nothing. t, dt: of the step. A stage takes rates at t + at dt, for
 * part dt (RHX_IMPLICIT_PART: dt/lead), and arrives at a state of t + end dt: (0, 1, 1) for an Euler step, (1/2, 1, 1) for the second
 * stage of the midpoint rule. What a body gives an operation does not depend on t and dt: recorded, it is replayed for any. */
typedef struct {
  PetscErrorCode (*setup)(RhxOps ops); /* allocates the arrays, zeros */
  PetscErrorCode (*destroy)(RhxOps ops);
  PetscErrorCode (*allocate)(RhxOps ops, RhxArray a); /* one array after setup */
  PetscErrorCode (*has_room)(RhxOps ops, PetscInt n, PetscInt width, PetscBool *has);

  /* ---- Host memory of the owned nodes, [nowned][width] ---- */
  PetscErrorCode (*load)(RhxOps ops, RhxArray a, const PetscScalar *from);
  PetscErrorCode (*store)(RhxOps ops, RhxArray a, PetscScalar *to);
  /* values[n][width] of n listed local nodes, whose ghosts are valid if it names some; waits, and nothing else travels. The list
   * is sent once: it does not change, and is kept by the caller as long as the operations are. */
  PetscErrorCode (*fetch)(RhxOps ops, RhxArray a, IS nodes, PetscScalar *values);
  PetscErrorCode (*put)(RhxOps ops, RhxArray a, PetscInt at, double value); /* one number, by its place */
  /* Components [first, first + n) of each node block to their places; the others stay. */
  PetscErrorCode (*store_part)(RhxOps ops, RhxArray a, PetscInt first, PetscInt n, PetscScalar *to);

  /* ---- A step ---- */
  PetscErrorCode (*begin)(RhxOps ops, double t, double dt, double before); /* before: dt of the step before, 0: none */
  PetscErrorCode (*stage)(RhxOps ops, double at, double part, double end, RhxArray clear);
  /* Calls body, or replays what it enqueued before where nothing has changed; key 0 or 1: which arrays it would take. */
  PetscErrorCode (*replay)(RhxOps ops, int key, RhxOpsBody body, void *context);
  PetscErrorCode (*close)(RhxOps ops, RhxArray y);     /* the last operation of a body: ghosts and measures of y */
  PetscErrorCode (*finish)(RhxOps ops);                /* waits; `result` is complete */
  PetscErrorCode (*stats)(RhxOps ops);                 /* waits; result.stats is complete */
  PetscErrorCode (*values)(RhxOps ops, PetscBool end); /* given values and sources of the stage's rates, or its end */

  /* ---- The form ---- */
  /* aux: projections of the stabilisers' values, as they are on planes of symmetry; ghosts too */
  PetscErrorCode (*project)(RhxOps ops, RhxArray x, RhxArray aux, RhxArray clear);
  /* r: weak residual without mass terms, faces included, sums over ranks in owned nodes; rows RHX_ROWS_...: zeros in
   * others. stats: into result.stats. */
  PetscErrorCode (*residual)(RhxOps ops, unsigned rows, RhxArray x, RhxArray xdot, RhxArray aux, RhxArray r,
                             PetscBool stats, RhxArray clear);
  PetscErrorCode (*divergence)(RhxOps ops, RhxArray v, RhxArray b); /* b = integral N div v; takes the ghosts of v */
  /* g = integral N grad phi - phi integral N n, the latter at the form's open nodes */
  PetscErrorCode (*gradient)(RhxOps ops, RhxArray phi, RhxArray g);

  /* ---- Nodes ---- */
  PetscErrorCode (*ghosts)(RhxOps ops, RhxArray a);
  PetscErrorCode (*copy)(RhxOps ops, RhxArray from, RhxArray to);
  /* y = base - stage M^-1 r in velocity (over rho) and modes, with what is given of them; v: velocity of y, less that of `less`
   * unless that is NULL; or NULL. continuity: of the first term of r, into result.continuity. */
  PetscErrorCode (*update)(RhxOps ops, RhxArray base, const RhxSum *r, RhxArray less, RhxArray y, RhxArray v,
                           PetscBool continuity);
  /* y: velocity x + dt xdot with what is given, and so with modes that are solved for, the rest that of x; ghosts too. v: the
   * velocity's rate (lead (y - x)/dt - late xdot). */
  PetscErrorCode (*predict)(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray y, RhxArray v);
  /* z = y with the velocity of earlier, by part of dt xdot, where it is free: what projections of it can take (RHX_HELD); ghosts too. */
  PetscErrorCode (*hold)(RhxOps ops, RhxArray xdot, RhxArray y, RhxArray z);
  /* y: velocity larger by weight times `bend` (xdot - before), but where it is given; ghosts too. before: the rate before xdot */
  PetscErrorCode (*bend)(RhxOps ops, double weight, RhxArray xdot, RhxArray before, RhxArray y);
  /* Implicit transport of the modes of y, as `predict` left them: larger by d, which solves (M/stage + ...) d = -(r + M w) with
   * the rate w there (as of v); ghosts too. The matrix is that of y, or of a single mode where that was changed so before that of
   * the last call (again). x, xdot: of the step's start. */
  PetscErrorCode (*transport)(RhxOps ops, PetscBool again, RhxArray x, RhxArray xdot, RhxArray aux, RhxArray r,
                              RhxArray y);
  /* Implicit momentum: y = x but for its velocity, larger by v, which solves (rho/stage M + C + K + S) v = -(r + rho M v) with
   * the v that is there; the matrix is that of the flow x (step/transport.h). continuity of r, into result.continuity. With subscales
   * tracked the change of velocity from start to x then joins v, for the divergence. */
  PetscErrorCode (*momentum)(RhxOps ops, RhxArray x, RhxArray start, RhxArray aux, RhxArray r, RhxArray v, RhxArray y);
  /* k -> k + M^-1 (-r - M_c k) of rates k = -M^-1 r: w = k with the rates over the step of what is given, ghosts too; then r
   * plus M_c w (weight 1), with `first` the residual of before (NULL: 0), is what `update` takes the corrected rates from. start:
   * at the step's start. M_c is times the coefficients of rates, but those of scalar fields of an implicit step; w: ghosts are valid. */
  PetscErrorCode (*rates)(RhxOps ops, RhxArray start, RhxArray r, RhxArray w);
  PetscErrorCode (*add_mass)(RhxOps ops, double weight, RhxArray first, RhxArray w, RhxArray r);
  /* y = a x + b z with what is given, the pressure that of z; v (NULL, or what u of z lost): b v and what y lacks of a x + b z */
  PetscErrorCode (*combine)(RhxOps ops, double a, RhxArray x, double b, RhxArray z, RhxArray y, RhxArray v);
  /* rate: NULL, or the last operation on y: rate = (y - start)/dt and its measures */
  PetscErrorCode (*measure)(RhxOps ops, RhxArray start, RhxArray y, RhxArray rate);
  /* y = x with its pressure `lag` seconds later by its slope; neither is y */
  PetscErrorCode (*tell)(RhxOps ops, double lag, RhxArray x, RhxArray slope, RhxArray y);
  PetscErrorCode (*norms)(RhxOps ops, RhxArray x, double norm[RHX_NNORMS]); /* waits; this rank */

  /* ---- Pressure ---- */
  /* b = D v with the v that `momentum` left, x and r its state and residual. With subscales tracked b is D v + f R_p - (1 - f) e,
   * e what their balance lacked after the last step, and the increment is solved for from what is known of it. */
  PetscErrorCode (*subscales)(RhxOps ops, RhxArray x, RhxArray xdot, RhxArray r, RhxArray v, RhxArray b);
  PetscErrorCode (*handed)(RhxOps ops, int key, PetscBool give, PetscScalar *values); /* waits */
  /* Right-hand side and guess from the divergence in b. factor 0: of the increment over x, guess dt xdot_p,
   *   b = -(b + R_p)/(stage/rho + tau_0), with subscales tracked (-(b + f R_p) + (1 - f) e)/(stage/rho), f = 1 - exp(-dt/(2 rho tau_0)),
   * e what explicit steps hand on (RhxOps), or b has these parts; else of the pressure, b = factor b, guess p of x. */
  PetscErrorCode (*pressure)(RhxOps ops, double factor, RhxArray x, RhxArray r, RhxArray xdot, RhxArray b, RhxArray phi,
                             RhxArray clear);
  PetscErrorCode (*solve)(RhxOps ops, RhxArray b, RhxArray phi); /* K phi = b; ghosts too */
  /* g NULL: p of y = phi; else p of y = p of x + phi, u of y -= stage/rho M^-1 g where it is not given (phi holds what is given
   * of the pressure). start, rate: as in `measure`, or NULL. Of explicit steps that hand on e, g becomes what u of y lost. */
  PetscErrorCode (*correct)(RhxOps ops, RhxArray x, RhxArray phi, RhxArray g, RhxArray y, RhxArray start,
                            RhxArray rate);

  const RhxTangentTable *tangent;
  const RhxNodalTable *nodal;
} RhxOpsTable;

struct _p_RhxOps {
  const RhxOpsTable *table;
  RhxForm form; /* borrowed, as bc and device */
  RhxBoundary bc;
  RhxDevice device; /* NULL: on the host */
  RhxPressure pressure;
  RhxTransport momentum, polymer; /* NULL: explicit, or on a device */
  RhxOpsSettings settings;
  PetscReal *mass; /* [nlocal] of updates; owned if diagonal */
  RhxArray arrays; /* list */
  /* [1] by keys of explicit steps that hand on e = done - asked, else NULL: the change of D u asked of the increment, and its own. */
  RhxArray asked[2], done[2];
  double t, dt, before, earlier; /* of the step; dt of the one before it, of the one before that, 0: none */
  double lead, late;             /* of the rate at the end of an implicit step (RhxClock) */
  double bend;                   /* of `bend`, s (RhxClock) */
  int key;                       /* of the step, too; that of the one before was 1 - key */
  double span[2];                /* dt/lead of steps by their keys, s */
  PetscBool history;             /* subscales of the step before are known: set and taken back by the scheme */
  PetscBool fresh;               /* no step has been taken: subscales are those of the pressure */
  PetscBool second;              /* of two increments: e becomes the mean of the step's start's and its own; so too */
  double stage_t, stage_dt, stage_end;
  RhxStepResult result;
  void *data; /* of the table's side */
};

/* device: NULL for the host. Collective, as all here. */
PetscErrorCode RhxOpsCreate(RhxForm form, RhxBoundary bc, RhxDevice device, const RhxOpsSettings *settings,
                            RhxOps *ops);
PetscErrorCode RhxOpsTakeParameters(RhxOps ops); /* after RhxFormReadParameters */
/* An array of the width; before RhxOpsSetUp it is asked for together with the others, after it it is there at once. */
PetscErrorCode RhxOpsArray(RhxOps ops, PetscInt width, const char *what, RhxArray *array);
/* A global Vec of node blocks, on a device VECCUDA where PETSc has it: Newton's and Krylov's vectors stay there. The caller's. */
PetscErrorCode RhxOpsCreateVec(RhxOps ops, PetscInt bs, Vec *v);
/* Owned nodes of an array from and to such a Vec, or any other of its layout; between host and device if need be. */
PetscErrorCode RhxOpsLoadVec(RhxOps ops, RhxArray a, Vec from);
PetscErrorCode RhxOpsStoreVec(RhxOps ops, RhxArray a, Vec to);
/* One number of such a Vec, by its place on this rank. */
PetscErrorCode RhxOpsTake(RhxOps ops, Vec x, PetscInt at, double *value),
    RhxOpsPut(RhxOps ops, Vec x, PetscInt at, double value);
PetscErrorCode RhxOpsSetUp(RhxOps ops);
PetscErrorCode RhxOpsDestroy(RhxOps *ops);
/* The nodal kernels, of all steps or of implicit momentum or modes alone, with loops in graphs or not, for one such as "sm_90". */
typedef enum { RHX_NODES_EXPLICIT, RHX_NODES_VELOCITY, RHX_NODES_MODES } RhxNodalProgram;
PetscErrorCode RhxOpsCompile(RhxForm form, RhxNodalProgram which, PetscBool loops, const char *arch,
                             RhxDeviceBinary *binary);
extern const RhxOpsTable RhxOpsHost, RhxOpsDevice;
#endif
