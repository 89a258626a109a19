#include "petsc_compat.h"
#include "plugin/scalar_block.h"
#include "plugin/word.h"
#include "scheme/splits_impl.h"
#include <ctype.h>
#include <petsc/private/pcimpl.h>
#include <petscksp.h>

#define READ_LATER(prefix)                                                                                            \
  prefix "fieldsplit_", prefix "sub_", prefix "mg_levels_", prefix "mg_coarse_", prefix "redundant_", prefix "gamg_", \
      prefix "mat_superlu_dist_", prefix "mat_mumps_", prefix "asm_", prefix "renew_", prefix "pc_fieldsplit_",       \
      prefix "matptap_", prefix "matmatmult_"
#define READ_BY_SOLVES(prefix) prefix "ksp_view", prefix "ksp_converged_"
#define OF_PART(k) READ_LATER("fieldsplit_flow_fieldsplit_" k "_"), READ_BY_SOLVES("fieldsplit_flow_fieldsplit_" k "_")

const char *const RhxSplitsReadLater[] = {READ_LATER(""), NULL};
const char *const RhxSplitsReadWhenTurned[] = {OF_PART("0"), OF_PART("1"), NULL};

/* ---- Groups of fields ---- */

/* Fields of one split: components of a node's block, rising. */
typedef struct {
  PetscInt n, *component; /* [n], of space->bs at most */
} Split;

static PetscErrorCode add(RhxForm form, PC pc, const char *name, const Split *split)
{
  const RhxSpace sp = form->space;
  const PetscInt n = split->n;
  PetscInt *row;
  IS is;
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(sp->nowned * n, &row));
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt c = 0; c < n; c++) row[i * n + c] = (sp->rstart + i) * sp->bs + split->component[c];
  PetscCall(ISCreateGeneral(form->comm, sp->nowned * n, row, PETSC_OWN_POINTER, &is));
  PetscCall(ISSetBlockSize(is, n));
  PetscCall(PCFieldSplitSetIS(pc, name, is));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void take(Split *split, PetscInt start, PetscInt end)
{
  for (PetscInt c = start; c < end; c++) split->component[split->n++] = c;
}

static PetscErrorCode use_groups(RhxForm form, PC pc)
{
  const RhxFields fields = form->space->fields;
  Split polymer = {0, NULL}, flow = {0, NULL}, scalars = {0, NULL};
  PetscFunctionBegin;
  PetscCall(PetscMalloc3(form->space->bs, &polymer.component, form->space->bs, &flow.component, form->space->bs,
                         &scalars.component));
  take(&polymer, RhxFieldsStart(fields, RHX_GROUP_MODES), RhxFieldsEnd(fields, RHX_GROUP_MODES));
  take(&flow, RhxFieldsStart(fields, RHX_GROUP_VELOCITY), RhxFieldsEnd(fields, RHX_GROUP_PRESSURE));
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const RhxField *f = RhxFieldsGet(fields, RHX_GROUP_SCALARS, k);
    RhxScalarBlock block;
    PetscCall(RhxScalarBlockRead(form->comm, form->scalar[k].row, &block));
    take(block == RHX_BLOCK_FLOW ? &flow : &scalars, f->offset, f->offset + 1);
  }
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  PetscCall(add(form, pc, "polymer", &polymer));
  PetscCall(add(form, pc, "flow", &flow));
  PetscCall(add(form, pc, "scalars", &scalars));
  PetscCall(PetscFree3(polymer.component, flow.component, scalars.component));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Fields of the DM, named in -pc_fieldsplit_<k>_fields ---- */

static PetscErrorCode list_fields(RhxSpace sp, size_t size, char *text)
{
  size_t used = 0;
  PetscFunctionBegin;
  text[0] = '\0';
  for (PetscInt f = 0; f < sp->nfields && used < size; f++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", f ? ", " : "", sp->field[f].name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc takes numbers: those of names; what is a number, or a range of them, stays. */
static PetscErrorCode to_numbers(RhxForm form, const char *option, const char *got, size_t size, char *numbers)
{
  const RhxSpace sp = form->space;
  char all[1024], **word;
  size_t used = 0;
  int n;
  PetscFunctionBegin;
  PetscCall(list_fields(sp, sizeof(all), all));
  PetscCall(PetscStrToArray(got, ',', &n, &word));
  PetscCheck(n, form->comm, PETSC_ERR_USER_INPUT, "%s: got no field, expected some of %s", option, all);
  for (int i = 0; i < n && used < size; i++) {
    const char *name = RhxWord(word[i]);
    PetscInt f = 0;
    while (f < sp->nfields && strcmp(name, sp->field[f].name)) f++;
    PetscCheck(f < sp->nfields || isdigit((unsigned char)name[0]), form->comm, PETSC_ERR_USER_INPUT,
               "%s: got '%s', expected fields of %s, or their numbers from 0", option, name, all);
    used += (size_t)(f < sp->nfields ? snprintf(numbers + used, size - used, "%s%" PetscInt_FMT, i ? "," : "", f)
                                     : snprintf(numbers + used, size - used, "%s%s", i ? "," : "", name));
  }
  PetscCall(PetscStrToArrayDestroy(n, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts a field that one of the splits has. */
static PetscErrorCode count_split(RhxForm form, const char *prefix, PetscInt k, PetscInt *count, PetscBool *there)
{
  PetscInt field[128], n = 128;
  char option[256], name[256], got[1024], numbers[1024];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-pc_fieldsplit_%" PetscInt_FMT "_fields", k));
  PetscCall(PetscOptionsGetString(NULL, prefix, option, got, sizeof(got), there));
  if (!*there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", prefix ? prefix : "", option + 1));
  PetscCheck(strlen(got) + 1 < sizeof(got), form->comm, PETSC_ERR_USER_INPUT,
             "%s: got %zu characters or more, expected fewer (numbers or ranges of fields are shorter than names)",
             name, sizeof(got) - 1);
  PetscCall(to_numbers(form, name, got, sizeof(numbers), numbers));
  PetscCall(PetscOptionsSetValue(NULL, name, numbers));
  PetscCall(PetscOptionsGetIntArray(NULL, prefix, option, field, &n, NULL));
  for (PetscInt i = 0; i < n; i++) {
    PetscCheck(field[i] >= 0 && field[i] < form->space->nfields, form->comm, PETSC_ERR_USER_INPUT,
               "%s: got field %" PetscInt_FMT ", expected numbers from 0 to %" PetscInt_FMT, name, field[i],
               form->space->nfields - 1);
    count[field[i]]++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode use_fields(RhxForm form, const char *prefix)
{
  const RhxSpace sp = form->space;
  PetscInt *count, n = 0;
  PetscBool there = PETSC_TRUE;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sp->nfields, &count));
  for (; there; n += there) PetscCall(count_split(form, prefix, n, count, &there));
  for (PetscInt f = 0; n && f < sp->nfields; f++)
    PetscCheck(n > 1 && count[f] == 1, form->comm, PETSC_ERR_USER_INPUT,
               "-%spc_fieldsplit_0_fields, ...: got %s %" PetscInt_FMT " times in %" PetscInt_FMT
               " splits, expected every field once in two splits or more",
               prefix ? prefix : "", sp->field[f].name, count[f], n);
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Products on a device ---- */

#define LARGEST_COUNT 2147483647.0 /* of multiplications in a product of matrices by cuSPARSE */
#define MULTIPLICATIONS 16 /* for an entry of the fine matrix, by smoothed aggregation; measured: 117k hexahedra fit */

PetscErrorCode RhxSplitsSpareDevice(RhxForm form, Mat P)
{
  const RhxFields fields = form->space->fields;
  const PetscInt flow = RhxFieldsEnd(fields, RHX_GROUP_PRESSURE) - RhxFieldsStart(fields, RHX_GROUP_VELOCITY);
  char type[64] = "";
  PetscBool device, given;
  double entries;
  MatInfo info;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)P, &device, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-fieldsplit_flow_pc_type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-matptap_backend_cpu", &given));
  if (!device || given || strcmp(type, PCGAMG)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(P, MAT_GLOBAL_MAX, &info));
  entries = info.nz_used * PetscSqr((double)flow / (double)form->space->bs);
  if (entries * MULTIPLICATIONS < LARGEST_COUNT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsSetValue(NULL, "-matptap_backend_cpu", "true"));
  PetscCall(PetscPrintf(form->comm,
                        "preconditioner: coarse matrices are formed on the host, for the matrix of the flow has %.3g "
                        "entries a rank, too many for products by cuSPARSE (-matptap_backend_cpu)\n",
                        entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A Schur complement of the pressure ---- */

#define FLOW_NAME "fieldsplit_flow_"
#define FLOW "-" FLOW_NAME
#define VELOCITY FLOW "fieldsplit_0_"
#define PRESSURE FLOW "fieldsplit_1_"
#define MOST_DEFAULTS 24
#define MOST_FACTORS 60000 /* nodes in space: factors won at 43 000, multigrid at 117 000 */

/* An option that nothing has read yet and that asks for something of the flow, but of the parts of its Schur complement; or "". */
static PetscErrorCode asked_of_flow(size_t size, char *asked)
{
  char **name, **value;
  PetscInt n;
  PetscFunctionBegin;
  asked[0] = '\0';
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; i++) {
    const char *of_flow = strncmp(name[i], FLOW_NAME, strlen(FLOW_NAME)) ? NULL : name[i] + strlen(FLOW_NAME);
    if (of_flow && strncmp(of_flow, "fieldsplit_", 11)) PetscCall(PetscStrncpy(asked, name[i], size));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names of the options that were set here and not given, as the table of options they are in is one for all. */
static char defaults[MOST_DEFAULTS][128];
static int ndefaults;

static PetscErrorCode set_default(const char *name, const char *value)
{
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(ndefaults < MOST_DEFAULTS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %d defaults", MOST_DEFAULTS);
  PetscCall(PetscStrncpy(defaults[ndefaults++], name, sizeof(defaults[0])));
  PetscCall(PetscOptionsSetValue(NULL, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear_defaults(void)
{
  PetscFunctionBegin;
  while (ndefaults) PetscCall(PetscOptionsClearValue(NULL, defaults[--ndefaults]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSplitsAreOwn(RhxForm form, PC pc, PetscBool *own, size_t size, char *asked)
{
  const RhxFields fields = form->space->fields;
  const char *prefix;
  char type[64] = "";
  PetscBool split, groups = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(asked_of_flow(size, asked));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCFIELDSPLIT, &split));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetBool(NULL, prefix, "-pc_fieldsplit_groups", &groups, NULL));
  PetscCall(PetscOptionsGetString(NULL, prefix, FLOW "pc_type", type, sizeof(type), NULL));
  *own = (PetscBool)(split && groups && !strcmp(type, PCGAMG) && (!prefix || !prefix[0]));
  for (PetscInt k = 0; k < form->nscalars; k++) {
    RhxScalarBlock block;
    PetscCall(RhxScalarBlockRead(form->comm, form->scalar[k].row, &block));
    if (block == RHX_BLOCK_FLOW) *own = PETSC_FALSE;
  }
  if (RhxFieldsEnd(fields, RHX_GROUP_PRESSURE) - RhxFieldsStart(fields, RHX_GROUP_VELOCITY) != form->space->dim + 1)
    *own = PETSC_FALSE;
  if (!*own) asked[0] = '\0';
  if (asked[0]) *own = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By factors where they cost less: everywhere in the plane (share/doc/benchmarks/iterations.md). */
static PetscErrorCode set_factors(MPI_Comm comm)
{
  PetscFunctionBegin;
#if defined(PETSC_HAVE_MUMPS)
  (void)comm;
  PetscCall(set_default(PRESSURE "pc_type", PCLU));
  PetscCall(set_default(PRESSURE "pc_factor_mat_solver_type", MATSOLVERMUMPS));
  PetscCall(set_default(PRESSURE "mat_mumps_icntl_14", "50"));
#else
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(set_default(PRESSURE "pc_type", size > 1 ? PCREDUNDANT : PCLU));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_solver(RhxSpace sp)
{
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, PRESSURE "pc_type", &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  if (sp->dim == 2 || sp->nglobal <= MOST_FACTORS) {
    PetscCall(set_factors(sp->comm));
  } else {
    PetscCall(set_default(PRESSURE "pc_type", PCGAMG));
    PetscCall(set_default(PRESSURE "pc_gamg_threshold", "0.02"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The later ones mean nothing beside another value of the first. */
static PetscErrorCode set_together(const char *const option[][2], size_t n)
{
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, option[0][0], &given));
  for (size_t k = 0; !given && k < n; k++) PetscCall(set_default(option[k][0], option[k][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const velocity_ksp[][2] = {
    {VELOCITY "ksp_type", KSPGMRES}, {VELOCITY "ksp_rtol", "1e-2"}, {VELOCITY "ksp_max_it", "10"}};
static const char *const velocity_pc[][2] = {{VELOCITY "pc_type", PCBJACOBI}, {VELOCITY "sub_pc_type", PCILU}};

/* Options of the flow's Schur complement, where they are not given. */
static PetscErrorCode set_schur(RhxForm form)
{
  static const char *const option[][2] = {{"pc_fieldsplit_type", "schur"},
                                          {"pc_fieldsplit_schur_fact_type", "full"},
                                          {"pc_fieldsplit_schur_precondition", "selfp"},
                                          {"fieldsplit_1_ksp_type", KSPPREONLY}};
  const PetscInt dim = form->space->dim;
  char name[128];
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(option); k++) {
    snprintf(name, sizeof(name), FLOW "%s", option[k][0]);
    PetscCall(set_default(name, option[k][1]));
  }
  PetscCall(set_together(velocity_ksp, PETSC_STATIC_ARRAY_LENGTH(velocity_ksp)));
  PetscCall(set_together(velocity_pc, PETSC_STATIC_ARRAY_LENGTH(velocity_pc)));
  PetscCall(set_default(FLOW "pc_fieldsplit_block_size", dim == 2 ? "3" : "4"));
  PetscCall(set_default(FLOW "pc_fieldsplit_0_fields", dim == 2 ? "0,1" : "0,1,2"));
  PetscCall(set_default(FLOW "pc_fieldsplit_1_fields", dim == 2 ? "2" : "3"));
  PetscCall(set_solver(form->space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSplitsTryFlow(RhxForm form)
{
  static const char *const prefixes[] = {FLOW_NAME "fieldsplit_0_", FLOW_NAME "fieldsplit_1_"};
  PetscFunctionBegin;
  PetscCall(set_schur(form));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(prefixes); k++) {
    KSP part;
    PetscCall(KSPCreate(form->comm, &part));
    PetscCall(KSPSetOptionsPrefix(part, prefixes[k]));
    PetscCall(KSPSetFromOptions(part));
    PetscCall(KSPDestroy(&part));
  }
  PetscCall(clear_defaults());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of the flow; NULL before the first set-up. Borrowed. */
static PetscErrorCode get_flow(PC pc, PC *flow)
{
  const char *prefix;
  KSP *part;
  PetscInt n;
  PetscFunctionBegin;
  *flow = NULL;
  if (!pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &part));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(KSPGetOptionsPrefix(part[k], &prefix));
    if (prefix && !strcmp(prefix, FLOW_NAME)) PetscCall(KSPGetPC(part[k], flow));
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSplitsBuildFlow(RhxForm form, PC pc, PetscBool schur)
{
  PC flow;
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, FLOW "pc_type", schur ? PCFIELDSPLIT : PCGAMG));
  PetscCall(schur ? set_schur(form) : clear_defaults());
  PetscCall(get_flow(pc, &flow));
  if (flow) PetscCall(PCSetFromOptions(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Redistributes matrices alone: of a DMPlex PETSc cannot. */
static PetscErrorCode use_telescope(PC pc)
{
  const char *prefix;
  char type[64] = "";
  PetscFunctionBegin;
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof(type), NULL));
  if (strcmp(type, PCTELESCOPE)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetType(pc, PCTELESCOPE));
  PetscCall(PCTelescopeSetIgnoreDM(pc, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSplitsUse(RhxForm form, PC pc)
{
  static const char *const others[] = {"-pc_fieldsplit_block_size", "-pc_fieldsplit_detect_saddle_point",
                                       "-pc_fieldsplit_detect_coupling"};
  const char *prefix;
  char type[64] = "";
  PetscBool groups = PETSC_FALSE, fields = PETSC_TRUE, set;
  PetscFunctionBegin;
  PetscCall(use_telescope(pc));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", type, sizeof(type), NULL));
  if (strcmp(type, PCFIELDSPLIT)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetBool(NULL, prefix, "-pc_fieldsplit_groups", &groups, NULL));
  PetscCall(PetscOptionsGetBool(NULL, prefix, "-pc_fieldsplit_dm_splits", &fields, NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(others); k++) {
    PetscCall(PetscOptionsHasName(NULL, prefix, others[k], &set));
    if (set) fields = PETSC_FALSE;
  }
  if (groups)
    PetscCall(use_groups(form, pc));
  else if (fields)
    PetscCall(use_fields(form, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}
