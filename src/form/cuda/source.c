#include "form/cuda/source.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"
#include "plugin/registry.h"
#include <stdarg.h>

/* A text that grows. */
typedef struct {
  char *at;
  size_t length, size;
} Text;

static PetscErrorCode append(Text *text, const char *format, ...)
{
  va_list args, again;
  int n;
  PetscFunctionBegin;
  va_start(args, format);
  va_copy(again, args);
  n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (text->length + n + 1 > text->size) {
    text->size = 2 * (text->length + n + 1);
    PetscCall(PetscRealloc(text->size, &text->at));
  }
  vsnprintf(text->at + text->length, n + 1, format, again);
  va_end(again);
  text->length += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of the plugin in the program: laws in the order of the modes, the viscous law, owners of scalars, stabilisers. */
typedef struct {
  const RhxPlugin *plugin[RHX_MAX_MODES + 1 + RHX_MAX_SCALARS + RHX_MAX_STABILISERS];
  int first[RHX_MAX_MODES + 1], nlaws, viscous, owner, stabiliser, n; /* first[k]: first mode of law k */
} Parts;

static void find_parts(RhxForm form, Parts *pa)
{
  pa->n = pa->nlaws = 0;
  for (PetscInt m = 0; m < form->nmodes; m++)
    if (!pa->nlaws || pa->plugin[pa->nlaws - 1] != form->mode[m].law) {
      pa->first[pa->nlaws] = (int)m;
      pa->plugin[pa->nlaws++] = form->mode[m].law;
    }
  pa->first[pa->nlaws] = (int)form->nmodes;
  pa->n = pa->nlaws;
  pa->viscous = -1;
  if (form->viscous) {
    pa->viscous = pa->n;
    pa->plugin[pa->n++] = form->viscous;
  }
  pa->owner = pa->n;
  for (PetscInt k = 0; k < form->nowners; k++) pa->plugin[pa->n++] = form->owner[k].plugin;
  pa->stabiliser = pa->n;
  for (PetscInt k = 0; k < form->nstabilisers; k++) pa->plugin[pa->n++] = form->stabiliser[k].plugin;
}

/* The plugin's source in a namespace of its own; errors of the compiler name the file and its lines. */
static PetscErrorCode append_plugin(Text *text, int number, const RhxPlugin *plugin)
{
  char path[PETSC_MAX_PATH_LEN], line[4096];
  FILE *fp;
  PetscFunctionBegin;
  PetscCall(RhxPluginDevicePath(plugin, sizeof(path), path));
  fp = fopen(path, "r");
  PetscCheck(fp, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Plugin '%s' has no source for the device: got no file '%s', expected it beside the shared object",
             plugin->name, path);
  PetscCall(append(text, "namespace rhx_p%d {\n#line 1 \"%s\"\n", number, path));
  while (fgets(line, sizeof(line), fp)) PetscCall(append(text, "%s", line));
  fclose(fp);
  PetscCall(append(
      text, "\n}\n#undef RHX_PARAMETERS\n#undef RHX_PARTS\n#undef RHX_AUX\n#undef RHX_STAGES\n#undef RHX_FIELDS\n"
            "#undef RHX_OPERATIONS\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_numbers(Text *text, const char *declaration, PetscInt n, const PetscReal *v)
{
  PetscFunctionBegin;
  PetscCall(append(text, "static __device__ constexpr double %s = {", declaration));
  for (PetscInt i = 0; i < n; i++) PetscCall(append(text, "%s%.17g", i ? ", " : "", (double)v[i]));
  PetscCall(append(text, "};\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tables of a simplex whose points are as many as its nodes: at point q one node's shape function is RHX_NEAR, all
 * others' RHX_FAR, and every weight is the same. */
static PetscErrorCode append_simplex(const RhxCells *ce, PetscInt dim, Text *text)
{
  const PetscInt nn = ce->nn;
  PetscReal lo = ce->N[0], hi = ce->N[0];
  PetscInt nhi = 0;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < nn * nn; k++) {
    lo = PetscMin(lo, ce->N[k]);
    hi = PetscMax(hi, ce->N[k]);
  }
  for (PetscInt k = 0; k < nn * nn; k++) {
    if (PetscAbsReal(ce->N[k] - hi) < 1e-12)
      nhi++;
    else
      PetscCheck(PetscAbsReal(ce->N[k] - lo) < 1e-12, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "Quadrature of %s is not symmetric: the device's element kernels need that",
                 DMPolytopeTypes[ce->type]);
  }
  PetscCheck(ce->nq == nn && (nhi == nn || nhi == nn * nn - nn), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Quadrature of %s has not one point for each node: the device's element kernels need that",
             DMPolytopeTypes[ce->type]);
  PetscCall(append(text, "#define RHX_NEAR %.17g\n#define RHX_FAR %.17g\n#define RHX_WEIGHT %.17g\n",
                   (double)(nhi == nn ? hi : lo), (double)(nhi == nn ? lo : hi), (double)ce->w[0]));
  PetscCall(append_numbers(text, "rhx_dN[RHX_NN][RHX_DIM]", nn * dim, ce->dN));
  PetscCall(append_numbers(text, "rhx_Q[RHX_DIM][RHX_DIM]", dim * dim, ce->metric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A macro of the pass that is its member, or the value itself where that makes terms vanish. */
static PetscErrorCode append_constant(Text *text, const char *macro, const char *member, PetscBool varies, double v)
{
  PetscFunctionBegin;
  if (!varies && (v == 0.0 || v == 1.0))
    PetscCall(append(text, "#define %s(pass) %.1f\n", macro, v));
  else
    PetscCall(append(text, "#define %s(pass) (pass).%s\n", macro, member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_macros(RhxForm form, const RhxCells *ce, PetscBool rate, PetscBool source, Text *text)
{
  const RhxSpace sp = form->space;
  const int product = ce->nn == (1 << sp->dim);
  RhxOffset offset[RHX_NOFFSETS];
  int law = 0;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nstabilisers; k++) law |= (form->stabiliser[k].plugin->flags & RHX_PROJECTS_LAW) != 0;
  PetscCall(append(text, "#define RHX_DIM %d\n#define RHX_NTENS %d\n#ifndef RHX_KIND\n#define RHX_KIND 0\n#endif\n",
                   (int)sp->dim, (int)sp->ntens));
  PetscCall(append(text, "#define RHX_NN %d\n#define RHX_PRODUCT_CELL %d\n#define RHX_AXISYMMETRIC %d\n", (int)ce->nn,
                   product, (int)sp->axisymmetric));
  PetscCall(
      append(text, "#define RHX_ONE_POINT %d\n#define RHX_NMODES %d\n", form->centroid && !product, (int)form->nmodes));
  RhxFieldsOffsets(sp->fields, offset);
  for (int k = 0; k < RHX_NOFFSETS; k++)
    PetscCall(append(text, "#define %s %d\n", offset[k].name, (int)offset[k].value));
  PetscCall(append(text, "#define RHX_NAUX_FLOW %d\n#define RHX_NAUX_MODE %d\n#define RHX_NAUX %d\n",
                   (int)form->naux_flow, (int)form->naux_mode, (int)form->naux));
  PetscCall(append(text,
                   "#define RHX_NSCALARS %d\n#define RHX_NAUX_SCALAR %d\n#define RHX_CONSERVATIVE %d\n#define "
                   "RHX_SWIRL_FIELD %d\n#define RHX_COUPLED %d\n#define RHX_SHIFTED %d\n",
                   (int)form->nscalars, (int)form->naux_scalar, (int)form->conservative, (int)form->swirl,
                   form->coupled != 0, (form->coupled & RHX_SHIFTS) != 0));
  PetscCall(append(text,
                   "#define RHX_AS %d\n#define RHX_HAS_DIV_TAU %d\n#define RHX_HAS_RATE %d\n#define RHX_HAS_SOURCE "
                   "%d\n#define RHX_PROJECT_LAW %d\n#define RHX_TENSOR_OSS %d\n",
                   (int)form->representation, (int)form->has_div_tau, rate ? 1 : 0, source ? 1 : 0, law,
                   form->provides & RHX_PROVIDES_TENSOR ? 1 : 0));
  PetscCall(append(text, "#if RHX_BY_TURNS\n#define RHX_PLACE(m) 0\n#else\n#define RHX_PLACE(m) (m)\n#endif\n"));
  PetscCall(append(text, "#include <rheoplex/plugin.h>\n#include <kernels/limits.h>\n"));
  PetscCall(append_constant(text, "RHX_RHO", "rho", form->in->varies, form->rho));
  PetscCall(append_constant(text, "RHX_CONVECTION", "convection", PETSC_FALSE, form->convection));
  if (!product) PetscCall(append_simplex(ce, sp->dim, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One call of a law's function by mode. */
static PetscErrorCode append_law_call(Text *text, const Parts *pa, const char *name, const char *arguments,
                                      const char *pass)
{
  PetscFunctionBegin;
  PetscCall(append(text, "static __device__ __forceinline__ void rhx_call_%s(const RhxIo *, int m, %s)\n{\n", name,
                   arguments));
  for (int k = 0; k < pa->nlaws; k++) {
    if (k + 1 < pa->nlaws) PetscCall(append(text, "  if (m < %d)\n  ", pa->first[k + 1]));
    PetscCall(append(text, "  rhx_p%d::%s(rhx_kept_%d(m - %d), %s);\n", k, name, k, pa->first[k], pass));
    if (k + 1 < pa->nlaws) PetscCall(append(text, "  else\n"));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that switch or drop terms: choices, names, 0 and 1. They are written into the program; other numbers are not, so that
 * a change of them takes the same program from the cache. varies: nor are 0 and 1. */
static PetscBool is_literal(PetscBool varies, const RhxRow *row, const char *slot, char *text, size_t size)
{
  if (row->kind == RHX_REAL) {
    const double v = *(const double *)slot;
    snprintf(text, size, "%.1f", v);
    return (PetscBool)((!varies && (v == 0.0 || v == 1.0)) || (row->choices && v < 0.0 && v == PetscFloorReal(v)));
  }
  snprintf(text, size, "%d", *(const int *)slot);
  return (PetscBool)(row->kind != RHX_STRING);
}

/* Parameter structs of a plugin in constant memory, and what its functions are given: the same, with literals in place. */
static PetscErrorCode append_parameters(Text *text, int k, const RhxPlugin *plugin, PetscBool varies, int n,
                                        const void *const *par)
{
  PetscFunctionBegin;
  PetscCall(append(text,
                   "extern \"C\" { __constant__ rhx_p%d::RhxParams rhx_par_%d[%d]; }\nstruct rhx_kept_%d {\n  "
                   "rhx_p%d::RhxParams p;\n  __device__ __forceinline__ rhx_kept_%d(int m) : p(rhx_par_%d[m])\n  {\n",
                   k, k, n, k, k, k, k));
  for (int r = 0; r < plugin->nrows; r++) {
    const RhxRow *row = &plugin->rows[r];
    char value[64], other[64];
    PetscBool same = is_literal(varies, row, (const char *)par[0] + row->offset, value, sizeof(value));
    for (int m = 1; m < n && same; m++) {
      const PetscBool literal = is_literal(varies, row, (const char *)par[m] + row->offset, other, sizeof(other));
      same = (PetscBool)(literal && !strcmp(value, other));
    }
    if (same) PetscCall(append(text, "    p.%s = %s;\n", row->name, value));
  }
  PetscCall(append(
      text, "  }\n  __device__ __forceinline__ operator const rhx_p%d::RhxParams *() const { return &p; }\n};\n", k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_all_parameters(RhxForm form, const Parts *pa, Text *text)
{
  const PetscBool varies = form->in->varies;
  const void *par[RHX_MAX_MODES], *one;
  PetscFunctionBegin;
  for (PetscInt m = 0; m < form->nmodes; m++) par[m] = form->mode[m].par;
  for (int k = 0; k < pa->nlaws; k++)
    PetscCall(append_parameters(text, k, pa->plugin[k], varies, pa->first[k + 1] - pa->first[k], par + pa->first[k]));
  one = form->viscous_par;
  if (pa->viscous >= 0) PetscCall(append_parameters(text, pa->viscous, form->viscous, varies, 1, &one));
  for (PetscInt k = 0; k < form->nowners; k++) {
    one = form->owner[k].par;
    PetscCall(append_parameters(text, pa->owner + (int)k, form->owner[k].plugin, varies, 1, &one));
  }
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    one = form->stabiliser[k].par;
    PetscCall(append_parameters(text, pa->stabiliser + (int)k, form->stabiliser[k].plugin, varies, 1, &one));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_slip(RhxForm form, Text *text)
{
  PetscBool none = (PetscBool)(!form->in->varies || !form->nmodes);
  PetscFunctionBegin;
  for (PetscInt m = 0; m < form->nmodes; m++) none = (PetscBool)(none && form->mode[m].slip == 0.0);
  if (form->nmodes) PetscCall(append(text, "extern \"C\" { __constant__ double rhx_slip[%d]; }\n", (int)form->nmodes));
  PetscCall(append(text,
                   "static __device__ __forceinline__ double rhx_call_slip(const RhxIo *, int m) { return %s; }\n",
                   none ? "0.0" : "rhx_slip[m]"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_laws(RhxForm form, const Parts *pa, Text *text)
{
  PetscFunctionBegin;
  PetscCall(append_all_parameters(form, pa, text));
  PetscCall(append(text, "static __device__ __forceinline__ void rhx_call_viscosity(const RhxIo *, const RhxKin *kin, "
                         "RhxReal *eta)\n{\n"));
  if (pa->viscous >= 0)
    PetscCall(append(text, "  rhx_p%d::viscosity(rhx_kept_%d(0), kin, eta);\n", pa->viscous, pa->viscous));
  PetscCall(append(text, "}\n"));
  PetscCall(
      append_law_call(text, pa, "properties", "const RhxKin *kin, const RhxReal *c, RhxProps *prop", "kin, c, prop"));
  PetscCall(append_law_call(text, pa, "stress", "const RhxKin *kin, const RhxReal *c, RhxReal *tau", "kin, c, tau"));
  PetscCall(append_law_call(text, pa, "rate", "const RhxKin *kin, const RhxReal *c, RhxReal *r", "kin, c, r"));
  PetscCall(append_slip(form, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stage struct as a constant that the compiler folds. */
static PetscErrorCode append_stage(Text *text, const RhxFormStabiliser *st)
{
  PetscFunctionBegin;
  PetscCall(append(text, "{\n    const RhxStage st = {%uu, {", st->stage.parts));
  for (int row = 0; row < RHX_MAX_AUX; row++) PetscCall(append(text, "%s%d", row ? ", " : "", st->stage.off[row]));
  PetscCall(append(text, "}};\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { CALL_KINEMATICS, CALL_ADD_FLOW, CALL_ADD_MODE, CALL_ADD_SCALAR } StageCall;

static const RhxStabiliserOps *host_ops(RhxForm form, const RhxFormStabiliser *st)
{
  return st->plugin->variant[RhxVariantIndex((int)form->space->dim, (int)form->space->ntens, RHX_KIND_LANES)];
}

static PetscErrorCode append_stage_calls(RhxForm form, const Parts *pa, StageCall call, Text *text)
{
  static const char *const name[] = {"kinematics", "add_flow", "add_mode", "add_scalar"};
  static const char *const argument[] = {"RhxPoint *pt", "RhxPoint *pt", "const RhxPoint *pt, RhxMode *md",
                                         "const RhxPoint *pt, RhxScalar *sc"};
  static const char *const pass[] = {"pt", "pt", "pt, md", "pt, sc"};
  PetscFunctionBegin;
  PetscCall(append(text, "static __device__ __forceinline__ void rhx_call_%s(const RhxIo *, %s)\n{\n", name[call],
                   argument[call]));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    const RhxStabiliserOps *ops = host_ops(form, st);
    const int has = call == CALL_KINEMATICS ? !!ops->kinematics
                    : call == CALL_ADD_FLOW ? !!ops->add_flow
                    : call == CALL_ADD_MODE ? !!ops->add_mode
                                            : !!ops->add_scalar;
    if (!has) continue;
    PetscCall(append(text, "  "));
    PetscCall(append_stage(text, st));
    PetscCall(append(text, "    rhx_p%d::%s(rhx_kept_%d(0), &st, %s);\n  }\n", pa->stabiliser + (int)k, name[call],
                     pa->stabiliser + (int)k, pass[call]));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_kinematics(RhxForm form, const Parts *pa, Text *text)
{
  int replaces = 0;
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->nstabilisers; k++) replaces |= !!host_ops(form, &form->stabiliser[k])->kinematics;
  PetscCall(append(text, "#define RHX_REPLACES_SLOPES %d\n", replaces));
  PetscCall(append_stage_calls(form, pa, CALL_KINEMATICS, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The auxiliary rows of the flow, or of a mode. */
static PetscErrorCode append_projections(RhxForm form, const Parts *pa, int per_mode, Text *text)
{
  PetscFunctionBegin;
  PetscCall(append(text,
                   "static __device__ __forceinline__ void rhx_call_project%s(const RhxIo *, %sconst RhxPoint *pt, "
                   "%sRhxReal *out)\n{\n",
                   per_mode ? "_mode" : "", per_mode ? "int m, " : "", per_mode ? "const RhxMode *md, " : ""));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    const int p = pa->stabiliser + (int)k;
    PetscCall(append(text, "  "));
    PetscCall(append_stage(text, st));
    for (int row = 0; row < st->plugin->naux; row++) {
      if (!(st->aux_needed & (1u << row)) || st->plugin->aux[row].of != (per_mode ? RHX_OF_MODE : RHX_OF_FLOW))
        continue;
      if (per_mode)
        PetscCall(append(text,
                         "    rhx_p%d::project_mode(rhx_kept_%d(0), &st, %d, pt, md, out + %d + RHX_PLACE(m) * %d);\n",
                         p, p, row, (int)form->naux_flow + st->stage.off[row], (int)form->naux_mode));
      else
        PetscCall(append(text, "    rhx_p%d::project(rhx_kept_%d(0), &st, %d, pt, out + %d);\n", p, p, row,
                         st->stage.off[row]));
    }
    PetscCall(append(text, "  }\n"));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One call of a function of the plugins of scalar fields, by field. has: of each plugin. */
static PetscErrorCode append_scalar_call(RhxForm form, const Parts *pa, const char *name, const PetscBool *has,
                                         Text *text)
{
  PetscFunctionBegin;
  PetscCall(append(text,
                   "static __device__ __forceinline__ void rhx_call_%s(const RhxIo *, int k, const RhxPoint *pt, const "
                   "RhxScalar *sc, "
                   "RhxReal *out)\n{\n",
                   name));
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const RhxFormScalar *sc = &form->scalar[k];
    const int p = pa->owner + (int)sc->owner;
    if (has[sc->owner])
      PetscCall(append(text, "  if (k == %d) rhx_p%d::%s(rhx_kept_%d(0), pt, sc + %d, %d, out);\n", (int)k, p, name, p,
                       (int)form->owner[sc->owner].first, (int)sc->number));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_scalar_projections(RhxForm form, const Parts *pa, Text *text)
{
  PetscFunctionBegin;
  PetscCall(append(
      text, "static __device__ __forceinline__ void rhx_call_project_scalar(const RhxIo *, const RhxPoint *pt, const "
            "RhxScalar *sc, RhxReal *out)\n{\n"));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    const int p = pa->stabiliser + (int)k;
    PetscCall(append(text, "  "));
    PetscCall(append_stage(text, st));
    for (int row = 0; row < st->plugin->naux; row++)
      if ((st->aux_needed & (1u << row)) && st->plugin->aux[row].of == RHX_OF_SCALAR)
        PetscCall(append(text, "    rhx_p%d::project_scalar(rhx_kept_%d(0), &st, %d, pt, sc, out + %d);\n", p, p, row,
                         st->stage.off[row]));
    PetscCall(append(text, "  }\n"));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_shift(RhxForm form, const Parts *pa, const PetscBool *has, Text *text)
{
  PetscFunctionBegin;
  PetscCall(append(text, "static __device__ __forceinline__ void rhx_call_shift(const RhxIo *, const RhxPoint *pt, "
                         "const RhxScalar *sc, RhxShift *out)\n{\n"));
  for (PetscInt k = 0; k < form->nowners; k++)
    if (has[k])
      PetscCall(append(text, "  rhx_p%d::shift(rhx_kept_%d(0), pt, sc + %d, out);\n", pa->owner + (int)k,
                       pa->owner + (int)k, (int)form->owner[k].first));
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append_scalars(RhxForm form, const Parts *pa, Text *text)
{
  PetscBool diffusivity[RHX_MAX_SCALARS], source[RHX_MAX_SCALARS], reaction[RHX_MAX_SCALARS], shift[RHX_MAX_SCALARS];
  PetscReal scale[RHX_MAX_SCALARS], level[RHX_MAX_SCALARS];
  PetscFunctionBegin;
  if (!form->nscalars) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < form->nowners; k++) {
    const int v = RhxVariantIndex((int)form->space->dim, (int)form->space->ntens, RHX_KIND_LANES);
    const RhxScalarOps *ops = form->owner[k].plugin->variant[v];
    diffusivity[k] = (PetscBool)(ops->diffusivity != NULL);
    source[k] = (PetscBool)(ops->source != NULL);
    reaction[k] = (PetscBool)(ops->reaction != NULL);
    shift[k] = (PetscBool)(ops->shift != NULL);
  }
  for (PetscInt k = 0; k < form->nscalars; k++) {
    scale[k] = form->scalar[k].set.scale;
    level[k] = form->scalar[k].level;
  }
  PetscCall(append_numbers(text, "rhx_scale[RHX_NSCALARS]", form->nscalars, scale));
  PetscCall(append_numbers(text, "rhx_level[RHX_NSCALARS]", form->nscalars, level));
  PetscCall(append_scalar_call(form, pa, "diffusivity", diffusivity, text));
  PetscCall(append_scalar_call(form, pa, "source", source, text));
  PetscCall(append_scalar_call(form, pa, "reaction", reaction, text));
  PetscCall(append_shift(form, pa, shift, text));
  PetscCall(append_stage_calls(form, pa, CALL_ADD_SCALAR, text));
  PetscCall(append_scalar_projections(form, pa, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest time of the pressure's stabilisation. */
static PetscErrorCode append_pressure_tau(RhxForm form, const Parts *pa, Text *text)
{
  PetscFunctionBegin;
  PetscCall(append(text, "static __device__ __forceinline__ void rhx_out_largest(const RhxIo *io, int k, RhxReal v);\n"
                         "static __device__ __forceinline__ void rhx_call_pressure_tau(const RhxIo *io, const RhxPoint "
                         "*pt)\n{\n"));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const int p = pa->stabiliser + (int)k;
    if (!host_ops(form, &form->stabiliser[k])->pressure_tau) continue;
    PetscCall(append(text, "  "));
    PetscCall(append_stage(text, &form->stabiliser[k]));
    PetscCall(append(text,
                     "    RhxReal tau;\n    rhx_p%d::pressure_tau(rhx_kept_%d(0), &st, pt, &tau);\n    "
                     "rhx_out_largest(io, RHX_MOST_TAU, tau);\n  }\n",
                     p, p));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stabilisers add that bounds the time step. */
static PetscErrorCode append_diffusion(RhxForm form, const Parts *pa, Text *text)
{
  PetscFunctionBegin;
  PetscCall(append(text, "static __device__ __forceinline__ void rhx_call_diffusion(const RhxIo *, const RhxPoint *pt, "
                         "RhxDiffusion *df)\n{\n"));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const int p = pa->stabiliser + (int)k;
    if (!host_ops(form, &form->stabiliser[k])->diffusion) continue;
    PetscCall(append(text, "  "));
    PetscCall(append_stage(text, &form->stabiliser[k]));
    PetscCall(append(text, "    rhx_p%d::diffusion(rhx_kept_%d(0), &st, pt, df);\n  }\n", p, p));
  }
  PetscCall(append(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceText(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                 const char *number, const char *kernels, char **text)
{
  Text out = {NULL, 0, 0};
  Parts parts;
  PetscFunctionBegin;
  find_parts(form, &parts);
  if (number) PetscCall(append(&out, "#define RHX_KIND 3\n#include <%s>\n", number));
  PetscCall(append_macros(form, cells, rate, source, &out));
  for (int k = 0; k < parts.n; k++) PetscCall(append_plugin(&out, k, parts.plugin[k]));
  PetscCall(append(&out, "#line 1 \"calls\"\nstruct RhxIo;\n#define RHX_EACH_MODE(DO)"));
  for (PetscInt m = 0; m < form->nmodes; m++) PetscCall(append(&out, " DO(%d)", (int)m));
  PetscCall(append(&out, "\n"));
  PetscCall(append_laws(form, &parts, &out));
  PetscCall(append_kinematics(form, &parts, &out));
  PetscCall(append_stage_calls(form, &parts, CALL_ADD_FLOW, &out));
  PetscCall(append_stage_calls(form, &parts, CALL_ADD_MODE, &out));
  for (int per_mode = 0; per_mode < 2; per_mode++) PetscCall(append_projections(form, &parts, per_mode, &out));
  PetscCall(append_scalars(form, &parts, &out));
  PetscCall(append_pressure_tau(form, &parts, &out));
  PetscCall(append_diffusion(form, &parts, &out));
  PetscCall(append(&out, "#include <%s>\n", kernels));
  *text = out.at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceSource(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                   const char *kernels, RhxDeviceSource *out)
{
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(form, cells, rate, source, NULL, kernels, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceSourceIn(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                     const char *number, const char *kernels, RhxDeviceSource *out)
{
  char *text, name[PETSC_MAX_PATH_LEN];
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceText(form, cells, rate, source, number, kernels, &text));
  PetscCall(PetscSNPrintf(name, sizeof(name), "rheoplex_%s", kernels));
  for (char *c = name; *c; c++)
    if (*c == '/' || *c == '.') *c = '_';
  PetscCall(PetscStrlcat(name, ".cu", sizeof(name)));
  PetscCall(RhxDeviceSourceCreate(name, text, out));
  PetscCall(PetscFree(text));
  for (int i = 0; i < RhxEmbeddedCount; i++)
    PetscCall(RhxDeviceSourceAddHeader(*out, RhxEmbeddedNames[i], RhxEmbeddedTexts[i]));
  PetscCall(RhxDeviceSourceAddOption(*out, "--std=c++17"));
  PetscCall(RhxDeviceSourceAddOption(*out, "--fmad=true"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
