/* What a plugin exports: one source file, its pointwise functions and one parameter table.
 *
 * The CMake function rheoplex_add_plugin() compiles the file once for each variant (dimension, tensor size, kind of
 * RhxReal), each time with RHX_VARIANT defined, and once with RHX_DESCRIPTOR defined; together they are one shared
 * object whose only exported symbol is rhx_plugin(). The header is C for hosts; the device includes the same file. */
#ifndef RHX_PLUGIN_H
#define RHX_PLUGIN_H

#include <rheoplex/config.h> /* RHX_LANES, RHX_ISA, RHX_INT_SIZE: generated */
#include <rheoplex/point.h>

#define RHX_ABI_MAJOR 5
#define RHX_ABI_MINOR 0

/* ---- Parameter rows: option, help, default, bounds, unit, check and slot from one line ---- */

typedef enum { RHX_REAL, RHX_INT, RHX_BOOL, RHX_CHOICE, RHX_STRING } RhxRowKind;
typedef enum {
  RHX_ANY,
  RHX_GT,
  RHX_GE,
  RHX_IN,
  RHX_IN_RIGHT_OPEN
} RhxBound; /* x > lower, x >= lower, [lower, upper], [lower, upper) */

typedef struct {
  const char *name; /* the option is prefix + name */
  RhxRowKind kind;  /* slot: RHX_REAL double; RHX_INT, RHX_BOOL, RHX_CHOICE int; RHX_STRING char[RHX_STRING_LENGTH] */
  int per_mode;     /* comma-separated, one value a mode; a single value stands for all */
  unsigned long offset; /* of the slot in its struct, bytes */
  const char *value;    /* default as a user writes it, or RHX_REQUIRED; infinite values only where the default is */
  RhxBound bound;
  double lower, upper;
  const char *choices; /* "a|b": RHX_CHOICE stores the index; RHX_REAL -1 - index for a named value; RHX_CASE_FIELD */
  const char *unit;    /* SI; "1" for numbers */
  const char *help;
} RhxRow;

#define RHX_STRING_LENGTH 4096
#define RHX_REQUIRED ((const char *)0) /* the default of a row that has to be given (of a string: empty) */

/* ---- ABI ---- */

typedef struct {
  unsigned long
      size; /* of this struct. One of another size is refused, as an RhxPlugin is: the plugin is built again */
  int major, minor;
  int scalar_size, int_size;
  int lanes;
  const char *isa;                                           /* instruction set the lanes were compiled for */
  unsigned long row_size, point_size, mode_size, stage_size; /* the last three of the 3D lane variant */
  unsigned long field_size;                                  /* of RhxScalar, there */
} RhxAbi;

/* This compilation's; of the 3D lane variant where it is compared. */
#define RHX_ABI                                                                                                     \
  {                                                                                                                 \
    sizeof(RhxAbi), RHX_ABI_MAJOR, RHX_ABI_MINOR, sizeof(double), RHX_INT_SIZE, RHX_LANES, RHX_ISA, sizeof(RhxRow), \
        sizeof(RhxPoint), sizeof(RhxMode), sizeof(RhxStage), sizeof(RhxScalar)                                      \
  }

/* ---- Operations of one variant; every pointer is called on the host at a quadrature point, not collective ---- */

typedef struct {
  void (*viscosity)(const void *par, const RhxKin *kin, RhxReal *eta_s);
} RhxViscousOps;

typedef struct {
  void (*properties)(const void *par, const RhxKin *kin, const RhxReal *c, RhxProps *prop);
  void (*rate)(const void *par, const RhxKin *kin, const RhxReal *c, RhxReal *r); /* upper-convected c = -r */
  void (*stress)(const void *par, const RhxKin *kin, const RhxReal *c, RhxReal *tau);
} RhxPolymericOps;

/* sc: the plugin's own fields, of which k is asked for; values, gradients and convection of all of them are there, and in pt
 * the whole flow with its stresses. Each may be NULL: 0. Of the reaction stabilisers make their times; the time step sees the
 * derivatives of the source too. */
typedef struct {
  void (*diffusivity)(const void *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D); /* m^2/s */
  void (*source)(const void *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *s);      /* unit/s */
  void (*reaction)(const void *par, const RhxPoint *pt, const RhxScalar *sc, int k,
                   RhxReal *r); /* -ds/dc, where it is >= 0, 1/s */
  /* Of plugins that say RHX_COUPLES or RHX_SHIFTS. Of pt only the density may be read, of sc the values. */
  void (*shift)(const void *par, const RhxPoint *pt, const RhxScalar *sc, RhxShift *shift);
} RhxScalarOps;

typedef struct {                                                         /* each may be NULL */
  void (*kinematics)(const void *par, const RhxStage *st, RhxPoint *pt); /* may replace pt->L */
  void (*add_flow)(const void *par, const RhxStage *st, RhxPoint *pt);   /* adds to f0u, f1u, f0p, f1p */
  void (*add_mode)(const void *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md);     /* adds to f0, f1 */
  void (*add_scalar)(const void *par, const RhxStage *st, const RhxPoint *pt, RhxScalar *sc); /* adds to f0, f1 */
  /* Value whose L2 projection fills an auxiliary row; out is the row's own components. */
  void (*project)(const void *par, const RhxStage *st, int row, const RhxPoint *pt, RhxReal *out);
  void (*project_mode)(const void *par, const RhxStage *st, int row, const RhxPoint *pt, const RhxMode *md,
                       RhxReal *out);
  void (*project_scalar)(const void *par, const RhxStage *st, int row, const RhxPoint *pt, const RhxScalar *sc,
                         RhxReal *out);
  void (*pressure_tau)(const void *par, const RhxStage *st, const RhxPoint *pt,
                       RhxReal *tau); /* providers of pressure */
  void (*diffusion)(const void *par, const RhxStage *st, const RhxPoint *pt, RhxDiffusion *df); /* adds to it */
} RhxStabiliserOps;

/* ---- Descriptors ---- */

#define RHX_NVARIANTS 12 /* 3 * (0: 2D 3 components, 1: 2D 4, 2: 3D 6, 3: 2D 6) + (0: double, 1: lanes, 2: complex) */

typedef enum { RHX_VISCOUS, RHX_POLYMERIC, RHX_STABILISER, RHX_SCALARS } RhxPluginKind;

/* Flags of laws. */
#define RHX_LINEAR_SPRING 1u  /* tau = G (c - I) */
#define RHX_OUT_OF_PLANE 2u   /* carries zz in plane flow */
#define RHX_OTHER_RESPONSE 4u /* at rest it is not that of small motions (a yield stress): check-law compares none */

/* Flags of scalar fields: what they do to the flow, and need beside it. The second and fourth are refused until core does them. */
#define RHX_COUPLES 1u   /* a body force by the fields: shift sets it */
#define RHX_ADDS_EDDY 2u /* a viscosity beside the law's */
#define RHX_SHIFTS 4u    /* viscosities and relaxation times of all laws by factors of the fields: shift sets them */
#define RHX_NEEDS_DISTANCE 8u /* of the nearest wall */
/* Not about 0: a temperature. Its convection is conservative of what differs from its initial mean. */
#define RHX_VARIES_ABOUT_START 32u
#define RHX_WARMS 64u    /* work of stresses is in its source, in proportion: that of friction at slip is a flux */
#define RHX_IS_SWIRL 16u /* its one field is u_theta of axisymmetric flow, of which core does the rest */
/* Capabilities of stabilisers. */
#define RHX_PROVIDES_PRESSURE 1u
#define RHX_PROVIDES_MOMENTUM 2u
#define RHX_PROVIDES_TENSOR 4u
#define RHX_PROVIDES_DIVERGENCE 8u
#define RHX_PROVIDES_COUPLING 16u  /* velocity-stress coupling */
#define RHX_PROVIDES_SCALAR 32u    /* convection of scalar fields */
#define RHX_PROVIDES_CAPTURING 64u /* diffusion of scalar fields at layers, added to their D too; after other parts */
#define RHX_NEEDS_DIV_TAU 256u     /* only linear springs in stress or conformation have it */
#define RHX_PROJECTS_LAW 1024u /* the project functions read eta_s, eta_p, tau, div_tau or the modes' c, prop, tau */
#define RHX_NEEDS_RATE 512u    /* reads ut, st or the strong residuals that hold them */
#define RHX_BAD_DIV_TAU_IN_PRESSURE_TERM 4096u /* loses robustness in viscoelastic flow: run warns */
#define RHX_TAKEN 8192u /* of no part: taken where -stabiliser names none; in the program's own folder alone */
#define RHX_TAKEN_WITH_POLYMER 16384u

typedef struct {
  const char *name, *help;
  unsigned flags; /* what this part provides and needs */
} RhxPart;

typedef enum {
  RHX_AUX_SCALAR,
  RHX_AUX_VECTOR,
  RHX_AUX_GRADIENT,
  RHX_AUX_TENSOR
} RhxAuxShape; /* 1, dim, dim^2, ntens components */

typedef enum { RHX_OF_FLOW, RHX_OF_MODE, RHX_OF_SCALAR } RhxAuxOwner; /* one, one a mode, one a scalar field */

/* The projection is lumped. A CHOICE parameter projection_corrections of auto|0|1|2|3|4 lets the user have it corrected so many
 * times by the consistent mass, which core does for all rows of the stabiliser; auto: as the scheme prefers. */
typedef struct {
  const char *name;
  RhxAuxShape shape;
  RhxAuxOwner of;
  const char *help;
} RhxAuxRow;

/* One scalar field. Its conditions are natural (no diffusive flux), "value <formula>", "inflow <formula>" (of what comes in), "flux <formula>"
 * (D grad c.n, into the fluid) or "film <coefficient>, <ambient>", -bc_<label>_<name>; given: the case has to say which. */
typedef struct {
  const char *name, *unit;
  RhxBound bound; /* what its values have to keep to: health reports those that do not, nothing is clipped */
  double lower, upper;
  const char *initial;      /* formula or name of a REAL parameter of the plugin, unless -initial_<name> gives one */
  const char *wall, *inlet; /* condition of walls and of inlets where the case gives none */
  const char *help;
} RhxScalarRow;

typedef struct {
  RhxAbi abi; /* first, compared member by member */
  unsigned long size;
  RhxPluginKind kind;
  const char *name, *help, *source; /* source: paper and equation */
  unsigned flags;                   /* laws: RHX_LINEAR_SPRING, ...; stabilisers: flags of no part */
  unsigned long param_size;         /* of the parameter struct, bytes */
  int nrows;
  const RhxRow *rows;
  int slip_row; /* row of the Gordon-Schowalter slip xi, or -1: core replaces L by L - xi D */
  int nparts;
  const RhxPart *parts; /* stabilisers: -stabiliser_<name>_parts */
  int naux;
  const RhxAuxRow *aux;
  unsigned (*needs)(const void *par, unsigned parts); /* bit k: auxiliary row k is needed; NULL: all */
  const void *variant[RHX_NVARIANTS];                 /* Rhx*Ops of that kind */
  const char *device_source;                          /* file name installed beside the shared object */
  const void *count[RHX_NVARIANTS / 3];               /* as variant, of the kind that counts; a size each */
  const void *dual[RHX_NVARIANTS / 3]; /* the same, of RHX_KIND_DUAL_LANES; NULL: built without a C++ compiler */
  double *flops;                       /* what the operations of those have counted (count.h) */
  int nscalars;
  const RhxScalarRow *scalars;
} RhxPlugin;

typedef const RhxPlugin *(*RhxPluginFn)(void); /* symbol "rhx_plugin" */

#include <rheoplex/plugin_macros.h> /* how a source says all this */

#endif
