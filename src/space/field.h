/* The fields of a state, a table made at set-up: core and plugins declare rows, the offsets in the node block follow.
 *
 * Rows come group by group; so the values of a group follow each other in the block. What is done to a field (conditions,
 * initial values, update, output, checkpoints, health, norms) reads its row, never its number. */
#ifndef RHX_FIELD_H
#define RHX_FIELD_H
#include <petscsys.h>

typedef enum { RHX_SCALAR, RHX_VECTOR, RHX_TENSOR } RhxFieldKind; /* 1, dim, ntens components */

typedef enum {
  RHX_GROUP_VELOCITY,
  RHX_GROUP_PRESSURE,
  RHX_GROUP_MODES,   /* one tensor a mode of the polymer */
  RHX_GROUP_SCALARS, /* of plugins */
  RHX_NGROUPS
} RhxFieldGroup;

/* What vanishes on a plane of symmetry. */
typedef enum {
  RHX_REFLECTS_EVEN,   /* nothing */
  RHX_REFLECTS_NORMAL, /* the normal component of a vector */
  RHX_REFLECTS_SHEAR   /* the components of a tensor with one normal index */
} RhxFieldReflection;

/* What is declared. Texts are copied. */
typedef struct {
  const char *name;   /* in messages and checkpoints */
  const char *unit;   /* SI, "1" for numbers */
  const char *output; /* name in field output; NULL: what is written is made from it, not the field itself */
  const char *owner;  /* who declared it: "core" or a plugin */
  const char *former; /* its name in checkpoints written before it had this one, or NULL */
  RhxFieldKind kind;
  RhxFieldGroup group;
  RhxFieldReflection reflection;
  double mass;         /* coefficient of the rate: 1, rho, rho c_p; 0: its row holds no rate */
  double lower, upper; /* bounds that health looks at; infinite: none */
  unsigned couplings;  /* RHX_COUPLES, ...: what it does to other rows, and needs */
} RhxFieldRow;

typedef struct {
  char name[64], unit[32], output[64], owner[64], former[64]; /* "" for NULL */
  RhxFieldKind kind;
  RhxFieldGroup group;
  RhxFieldReflection reflection;
  double mass, lower, upper;
  unsigned couplings;
  PetscInt components;
  PetscInt offset; /* of its first component in the node block */
} RhxField;

/* Where core's groups begin, for loops that are compiled before there is a table; RhxFieldsAddFlow holds the table to it. */
#define RHX_CORE_VELOCITY 0
#define RHX_CORE_PRESSURE(dim) (dim)
#define RHX_CORE_MODES(dim) ((dim) + 1)

typedef struct _p_RhxFields *RhxFields;
struct _p_RhxFields {
  MPI_Comm comm;
  PetscInt dim, ntens;
  PetscBool axisymmetric; /* x along the axis, y = r, zz the hoop; false where nothing is said */
  PetscInt n, bs;         /* fields, values of a node */
  RhxField *field;
  PetscInt count[RHX_NGROUPS]; /* fields of a group */
};

/* An empty table; ntens: 3 or 4 in 2D, 6 in 3D. */
PetscErrorCode RhxFieldsCreate(MPI_Comm comm, PetscInt dim, PetscInt ntens, RhxFields *fields);
/* A name that is there, a group that comes too late, or a coupling that core does not do yet, is an error. */
PetscErrorCode RhxFieldsAdd(RhxFields fields, const RhxFieldRow *row);
/* Velocity, pressure and the unknown of each mode, named mode_<k>; former: of such files, or NULL. rho: density, kg/m^3. */
PetscErrorCode RhxFieldsAddFlow(RhxFields fields, double rho, PetscInt nmodes, const char *mode, const char *unit,
                                const char *former);
/* The k-th field of a group. */
const RhxField *RhxFieldsGet(RhxFields fields, RhxFieldGroup group, PetscInt k);
/* Offset of the first value of a group in the node block, and of what follows its last one. */
PetscInt RhxFieldsStart(RhxFields fields, RhxFieldGroup group);
PetscInt RhxFieldsEnd(RhxFields fields, RhxFieldGroup group);
/* NULL: there is none of this name. */
const RhxField *RhxFieldsFind(RhxFields fields, const char *name);
/* What programs of a device know of the table: where each group begins, RHX_FIRST_VELOCITY, RHX_FIRST_PRESSURE, RHX_FIRST_MODE,
 * RHX_FIRST_SCALAR, and the values of a node, RHX_BS. */
#define RHX_NOFFSETS (RHX_NGROUPS + 1)
typedef struct {
  char name[32];
  PetscInt value;
} RhxOffset;
void RhxFieldsOffsets(RhxFields fields, RhxOffset offset[RHX_NOFFSETS]);
void RhxFieldsSetDensity(RhxFields fields, double rho); /* another one than that of RhxFieldsAddFlow */
PetscErrorCode RhxFieldsDestroy(RhxFields *fields);
#endif
