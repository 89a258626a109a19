/* Composition of the weak form: which physics, modes, representation and stabilisers, checked against each other. */
#include "form/cuda/matrix.h"
#include "form/host/kernel.h"
#include "form/host/projection.h"
#include "form/inside_impl.h"
#include "form/scalars_impl.h"
#include "form/taken.h"
#include "form/viscometric_impl.h"
#include "law/lawcheck.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include "plugin/needs.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include "plugin/word.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  double rho, geometry_memory;
  int convection, axisymmetric, scalar_convection, quadrature;
} FormOptions;

enum { QUADRATURE_AUTO, QUADRATURE_FULL, QUADRATURE_CENTROID };

static const RhxRow form_rows[] = {
    {"density", RHX_REAL, 0, offsetof(FormOptions, rho), "1", RHX_GT, 0, 0, NULL, "kg/m^3", "density of the fluid"},
    {"convection", RHX_BOOL, 0, offsetof(FormOptions, convection), "true", RHX_ANY, 0, 0, NULL, "1",
     "false: creeping flow, the density only scales the pseudo time"},
    {"axisymmetric", RHX_BOOL, 0, offsetof(FormOptions, axisymmetric), "false", RHX_ANY, 0, 0, NULL, "1",
     "true: a 2D mesh is the half plane, x along the axis and y the distance from it; without swirl, unless -physics "
     "names "
     "the field of the azimuthal velocity; forces, fluxes and integrals are those of the whole body, y of a force the "
     "integral of the radial traction"},
    {"scalar_convection", RHX_CHOICE, 0, offsetof(FormOptions, scalar_convection), "auto", RHX_ANY, 0, 0,
     "auto|convective|conservative", "",
     "of scalar fields: convective keeps a uniform one uniform, conservative its mass, to rounding; auto: conservative "
     "in "
     "a domain that no condition opens, if a stabiliser makes the pressure stable"},
    {"quadrature", RHX_CHOICE, 0, offsetof(FormOptions, quadrature), "auto", RHX_ANY, 0, 0, "auto|full|centroid", "",
     "points of a triangle or tetrahedron at which laws and stabilisers are evaluated: full, as many as nodes; "
     "centroid, "
     "one, convection, sources, stretching and relaxation by 1/lambda integrated exactly (theory.md, 4); auto: "
     "centroid "
     "for the integrator bdf2 on triangles without polymer, which the run says, else full"},
    {"geometry_memory", RHX_REAL, 0, offsetof(FormOptions, geometry_memory), "1000", RHX_GE, 0, 0, NULL, "MB",
     "what gradients and volumes of triangles and tetrahedra (56 and 104 bytes each) may take on a rank to be kept on "
     "the host; if they take more, which the run says, and with 0 they are computed in every pass"},
};
static const RhxOptionTable form_table = {"form", "form_", PETSC_STATIC_ARRAY_LENGTH(form_rows), form_rows};

typedef struct {
  char physics[RHX_STRING_LENGTH], stabiliser[RHX_STRING_LENGTH];
  int polymer_variable, assembly, deterministic, passes;
} NameOptions;

static const RhxRow name_rows[] = {
    {"physics", RHX_STRING, 0, offsetof(NameOptions, physics), NULL, RHX_ANY, 0, 0, NULL, "",
     "laws by name, comma-separated: at most one viscous, any number of polymeric (rheoplex list physics)"},
    {"stabiliser", RHX_STRING, 0, offsetof(NameOptions, stabiliser), "auto", RHX_ANY, 0, 0, NULL, "",
     "stabilisers by name, comma-separated, or none; auto: those that say of themselves that they are taken for this "
     "flow, which the run tells (rheoplex list stabiliser)"},
    {"polymer_variable", RHX_CHOICE, 0, offsetof(NameOptions, polymer_variable), "stress", RHX_ANY, 0, 0,
     "stress|conformation|logconf|auto", "",
     "what is solved for each mode: stress (linear springs only), conformation or its logarithm; auto: the logarithm "
     "where the longest relaxation time is beyond 0.8 of -case_length over -case_velocity (steady: 0.3), else stress "
     "or, for springs that are not linear, conformation. Where it is not named a restart takes that of its checkpoint, "
     "steady and such springs have auto"},
    {"assembly_residual", RHX_CHOICE, 0, offsetof(NameOptions, assembly), "atomic", RHX_ANY, 0, 0,
     "colour|owner|atomic", "",
     "how a device adds up residuals and projections: elements of one colour at a time, every node the results of its "
     "elements, or by atomics"},
    {"device_deterministic", RHX_BOOL, 0, offsetof(NameOptions, deterministic), "false", RHX_ANY, 0, 0, NULL, "1",
     "the same bits in every run on a device: residuals are assembled by owner"},
    {"device_passes", RHX_CHOICE, 0, offsetof(NameOptions, passes), "auto", RHX_ANY, 0, 0, "auto|one|turns", "",
     "residuals and projections on a device: all modes at once at a point, modes and then the flow by turns, or what "
     "the compiler says of registers"},
};
static const RhxOptionTable name_table = {"form", "", PETSC_STATIC_ARRAY_LENGTH(name_rows), name_rows};

const char *const RhxRepresentationNames[] = {"stress", "conformation", "logconf"};

PetscErrorCode RhxFormRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&name_table));
  PetscCall(RhxOptionTableRegister(&form_table));
  PetscCall(RhxFormMatrixRegisterOptions());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCreate(MPI_Comm comm, RhxForm *form)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(form));
  PetscCall(PetscNew(&(*form)->in));
  (*form)->comm = comm;
  (*form)->swirl = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_parameters(MPI_Comm comm, const RhxPlugin *plugin, PetscInt n, void *par)
{
  char prefix[256];
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "%s_%s_", plugin->kind == RHX_STABILISER ? "stabiliser" : "physics",
                          plugin->name));
  PetscCall(RhxRowsRead(comm, prefix, plugin->nrows, plugin->rows, n, plugin->param_size, par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters of a plugin: n structs, zero-initialised then filled from the options. */
static PetscErrorCode read_parameters(MPI_Comm comm, const RhxPlugin *plugin, PetscInt n, char **par)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n * plugin->param_size + 1, par));
  PetscCall(fill_parameters(comm, plugin, n, *par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters of n modes of a law, the first of them mode m of the form. */
static PetscErrorCode take_modes(RhxForm form, PetscInt m, PetscInt n, const char *par)
{
  const RhxPlugin *law = form->mode[m].law;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    RhxFormMode *mode = &form->mode[m + i];
    PetscCall(PetscMemcpy(mode->par, par + i * law->param_size, law->param_size));
    mode->slip = law->slip_row < 0 ? 0.0 : *(double *)((char *)mode->par + law->rows[law->slip_row].offset);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_polymeric(RhxForm form, const RhxPlugin *law)
{
  PetscInt n;
  char *par;
  PetscFunctionBegin;
  PetscCall(RhxPhysicsModes(form->comm, law, &n));
  PetscCheck(form->nmodes + n <= RHX_MAX_MODES, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Too many polymer modes: got %" PetscInt_FMT ", expected at most %d (option -physics_%s_modes)",
             form->nmodes + n, RHX_MAX_MODES, law->name);
  PetscCall(read_parameters(form->comm, law, n, &par));
  for (PetscInt i = 0; i < n; i++) {
    RhxFormMode *m = &form->mode[form->nmodes + i];
    m->law = law;
    m->number = i;
    PetscCall(PetscMalloc1(law->param_size + 1, (char **)&m->par));
  }
  PetscCall(take_modes(form, form->nmodes, n, par));
  form->nmodes += n;
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_physics(RhxForm form, const char *name)
{
  const RhxPlugin *law;
  PetscFunctionBegin;
  PetscCall(RhxPluginFind(form->comm, RHX_POLYMERIC, name, &law));
  for (PetscInt i = 0; i < form->nmodes; i++)
    PetscCheck(form->mode[i].law != law, form->comm, PETSC_ERR_ARG_INCOMP,
               "Law '%s' is given twice: got it again, expected each law once (-physics_%s_modes gives it several "
               "modes; option -physics)",
               name, name);
  for (PetscInt i = 0; i < form->nowners; i++)
    PetscCheck(form->owner[i].plugin != law, form->comm, PETSC_ERR_ARG_INCOMP,
               "The scalar fields of '%s' are given twice, expected them once (option -physics)", name);
  if (law->kind == RHX_POLYMERIC)
    PetscCall(add_polymeric(form, law));
  else if (law->kind == RHX_SCALARS) {
    char *par;
    PetscCall(read_parameters(form->comm, law, 1, &par));
    PetscCall(RhxFormAddScalars(form, law, par));
  } else {
    PetscCheck(!form->viscous, form->comm, PETSC_ERR_ARG_INCOMP,
               "Two viscous laws: got '%s' and '%s', expected at most one (option -physics)", form->viscous->name,
               law->name);
    form->viscous = law;
    PetscCall(read_parameters(form->comm, law, 1, (char **)&form->viscous_par));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_stabiliser(RhxForm form, const char *name)
{
  const RhxPlugin *plugin;
  RhxFormStabiliser *st;
  PetscFunctionBegin;
  PetscCall(RhxPluginFind(form->comm, RHX_STABILISER, name, &plugin));
  PetscCheck(form->nstabilisers < RHX_MAX_STABILISERS, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Too many stabilisers: expected at most %d (option -stabiliser)", RHX_MAX_STABILISERS);
  for (PetscInt k = 0; k < form->nstabilisers; k++)
    PetscCheck(form->stabiliser[k].plugin != plugin, form->comm, PETSC_ERR_ARG_INCOMP,
               "Stabiliser '%s' is given twice (option -stabiliser)", name);
  st = &form->stabiliser[form->nstabilisers++];
  st->plugin = plugin;
  PetscCall(read_parameters(form->comm, plugin, 1, (char **)&st->par));
  PetscCall(RhxStabiliserParts(form->comm, plugin, &st->stage.parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stress, or conformation where a spring is not linear. */
RhxRepresentation RhxFormPlainRepresentation(RhxForm form)
{
  for (PetscInt m = 0; m < form->nmodes; m++)
    if (!(form->mode[m].law->flags & RHX_LINEAR_SPRING)) return RHX_CONFORMATION;
  return RHX_STRESS;
}

static PetscErrorCode for_each_name(RhxForm form, const char *list, PetscErrorCode (*fn)(RhxForm, const char *))
{
  char **names;
  int n;
  PetscFunctionBegin;
  PetscCall(PetscStrToArray(list, ',', &n, &names));
  for (int i = 0; i < n; i++) PetscCall(fn(form, RhxWord(names[i])));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetStabilisers(RhxForm form, const char *names)
{
  NameOptions *read;
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-stabiliser", names));
  PetscCall(PetscNew(&read));
  PetscCall(RhxOptionTableRead(form->comm, &name_table, NULL, read));
  PetscCall(for_each_name(form, read->stabiliser, add_stabiliser));
  PetscCall(PetscFree(read));
  PetscCall(RhxFormAskPlugins(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetFromOptions(RhxForm form)
{
  FormOptions fo;
  NameOptions *names;
  PetscFunctionBegin;
  PetscCall(PetscNew(&names));
  PetscCall(RhxOptionTableRead(form->comm, &form_table, NULL, &fo));
  PetscCall(RhxOptionTableRead(form->comm, &name_table, NULL, names));
  form->rho = fo.rho;
  form->convection = fo.convection ? 1.0 : 0.0;
  form->axisymmetric = fo.axisymmetric ? PETSC_TRUE : PETSC_FALSE;
  form->in->scalar_convection = (RhxScalarConvection)fo.scalar_convection;
  form->centroid = (PetscBool)(fo.quadrature == QUADRATURE_CENTROID); /* auto: the scheme may */
  form->in->geometry_memory = fo.geometry_memory;
  form->conservative = (PetscBool)(fo.scalar_convection == RHX_CONVECTION_CONSERVATIVE);
  form->in->passes = (RhxPasses)names->passes;
  form->assembly = names->deterministic ? RHX_ASSEMBLY_OWNER : (RhxAssembly)names->assembly;
  PetscCall(for_each_name(form, names->physics, add_physics));
  PetscCall(RhxFormResolveFields(form));
  PetscCall(RhxFormFindUsual(form));
  PetscCheck(form->viscous || form->nmodes || !form->nscalars, form->comm, PETSC_ERR_ARG_INCOMP,
             "-physics %s: got scalar fields alone, expected a viscous or polymeric law of the flow that carries them",
             names->physics);
  form->representation = names->polymer_variable > RHX_LOGCONF ? RhxFormPlainRepresentation(form)
                                                               : (RhxRepresentation)names->polymer_variable;
  if (strcmp(names->stabiliser, "none") && strcmp(names->stabiliser, "auto"))
    PetscCall(for_each_name(form, names->stabiliser, add_stabiliser));
  PetscCall(PetscFree(names));
  PetscCall(RhxFormAskPlugins(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetRepresentation(RhxForm form, RhxRepresentation which)
{
  PetscFunctionBegin;
  PetscCheck(!form->space, form->comm, PETSC_ERR_ORDER, "the representation is changed after the set-up");
  form->representation = which;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormNameRepresentation(RhxForm form, const char *name)
{
  NameOptions *names;
  PetscFunctionBegin;
  PetscCall(PetscNew(&names));
  PetscCall(PetscOptionsSetValue(NULL, "-polymer_variable", name));
  PetscCall(RhxOptionTableRead(form->comm, &name_table, NULL, names));
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCreateFields(RhxForm form, PetscInt dim, RhxFields *fields)
{
  static const char *const mode[] = {"stress", "conformation", "log_conformation"}; /* by representation */
  const PetscBool stress = (PetscBool)(form->representation == RHX_STRESS);
  PetscInt ntens = dim == 3 || form->swirl >= 0 ? 6 : form->axisymmetric ? 4 : 3;
  PetscFunctionBegin;
  if (dim == 3) PetscCall(RhxFormAsk(form, RHX_ASK_SPACE, "", ""));
  PetscCall(RhxFormAsk(form, form->axisymmetric ? RHX_ASK_AXISYMMETRIC : RHX_ASK_PLANE, "", ""));
  if (form->axisymmetric && form->swirl < 0) PetscCall(RhxFormAsk(form, RHX_ASK_NO_SWIRL, "", ""));
  if (form->swirl >= 0) PetscCall(RhxFormAsk(form, RHX_ASK_SWIRL, form->scalar[form->swirl].row->name, ""));
  PetscCall(RhxFormAskShift(form));
  for (PetscInt m = 0; m < form->nmodes; m++)
    if (ntens == 3 && (form->mode[m].law->flags & RHX_OUT_OF_PLANE)) ntens = 4;
  PetscCall(RhxFieldsCreate(form->comm, dim, ntens, fields));
  (*fields)->axisymmetric = form->axisymmetric;
  PetscCall(RhxFieldsAddFlow(*fields, form->rho, form->nmodes, mode[form->representation], stress ? "Pa" : "1",
                             stress ? NULL : "stress"));
  PetscCall(RhxFormDeclareScalars(form, *fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flags of the active parts of a stabiliser; what is for scalar fields counts where there are some. */
static unsigned active_flags(RhxForm form, const RhxFormStabiliser *st)
{
  unsigned f = st->plugin->flags;
  for (int k = 0; k < st->plugin->nparts; k++) {
    const unsigned part = st->plugin->parts[k].flags;
    if ((st->stage.parts & (1u << k)) && (form->nscalars || !(part & (RHX_PROVIDES_SCALAR | RHX_PROVIDES_CAPTURING))))
      f |= part;
  }
  return f;
}

PetscErrorCode RhxFormAdviseCoupling(RhxForm form, size_t size, char *text)
{
  PetscFunctionBegin;
  text[0] = '\0';
  for (PetscInt s = 0; form->nmodes && s < form->nstabilisers; s++) {
    const RhxFormStabiliser *st = &form->stabiliser[s];
    const RhxRow *row = st->plugin->rows;
    if (!(active_flags(form, st) & RHX_PROVIDES_COUPLING) || !st->plugin->naux || st->aux_needed) continue;
    if (!st->plugin->nrows || row->kind != RHX_REAL || row->bound != RHX_IN) continue;
    snprintf(text, size, "-stabiliser_%s_%s %g", st->plugin->name, row->name, row->upper);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RhxFormHasViscosity(RhxForm form)
{
  PetscBool has = (PetscBool)(form->viscous != NULL);
  for (PetscInt s = 0; form->nmodes && s < form->nstabilisers; s++) {
    const RhxFormStabiliser *st = &form->stabiliser[s];
    has = (PetscBool)(has || ((active_flags(form, st) & RHX_PROVIDES_COUPLING) && st->aux_needed));
  }
  return has;
}

static PetscBool captures(const RhxFormStabiliser *st)
{
  unsigned f = 0;
  for (int k = 0; k < st->plugin->nparts; k++)
    if (st->stage.parts & (1u << k)) f |= st->plugin->parts[k].flags;
  return (PetscBool)((f & RHX_PROVIDES_CAPTURING) != 0);
}

/* What captures comes last: it adds to D, of which others make their times. Of u_theta it would be no transport's. */
static PetscErrorCode order_stabilisers(RhxForm form)
{
  RhxFormStabiliser sorted[RHX_MAX_STABILISERS];
  PetscInt n = 0;
  PetscFunctionBegin;
  for (int last = 0; last < 2; last++)
    for (PetscInt k = 0; k < form->nstabilisers; k++)
      if (captures(&form->stabiliser[k]) == (PetscBool)last) sorted[n++] = form->stabiliser[k];
  for (PetscInt k = 0; k < n; k++) {
    const char *name = sorted[k].plugin->name;
    form->stabiliser[k] = sorted[k];
    if (!captures(&sorted[k])) continue;
    PetscCheck(
        form->nscalars, form->comm, PETSC_ERR_ARG_INCOMP,
        "-stabiliser: got '%s', which captures layers of scalar fields, in a case without any: expected a plugin "
        "of scalar fields in -physics, or -stabiliser without it",
        name);
    PetscCheck(form->swirl < 0, form->comm, PETSC_ERR_ARG_INCOMP,
               "-stabiliser: got '%s', which captures layers of all scalar fields, with the field '%s', a velocity: "
               "expected -stabiliser without it, or axisymmetric flow without swirl",
               name, form->scalar[form->swirl].row->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names of the installed stabilisers whose flags hold `flag` (in any part). */
static PetscErrorCode names_providing(unsigned flag, size_t size, char *text)
{
  PetscInt n;
  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *p;
    unsigned f;
    PetscCall(RhxPluginGet(i, &p, NULL));
    if (p->kind != RHX_STABILISER) continue;
    f = p->flags;
    for (int k = 0; k < p->nparts; k++) f |= p->parts[k].flags;
    if (!(f & flag)) continue;
    if (text[0]) PetscCall(PetscStrlcat(text, ", ", size));
    PetscCall(PetscStrlcat(text, p->name, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_two_providers(RhxForm form)
{
  static const struct {
    unsigned flag;
    const char *what;
  } kinds[] = {{RHX_PROVIDES_PRESSURE, "pressure"},
               {RHX_PROVIDES_MOMENTUM, "momentum"},
               {RHX_PROVIDES_TENSOR, "tensor"},
               {RHX_PROVIDES_DIVERGENCE, "divergence"},
               {RHX_PROVIDES_COUPLING, "coupling"},
               {RHX_PROVIDES_SCALAR, "scalar"},
               {RHX_PROVIDES_CAPTURING, "capturing of scalar fields"}};
  char fits[1024];
  PetscFunctionBegin;
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(kinds); c++) {
    const char *first = NULL;
    for (PetscInt k = 0; k < form->nstabilisers; k++) {
      if (!(active_flags(form, &form->stabiliser[k]) & kinds[c].flag)) continue;
      if (first) {
        PetscCall(names_providing(kinds[c].flag, sizeof(fits), fits));
        SETERRQ(form->comm, PETSC_ERR_ARG_INCOMP,
                "Two stabilisers provide %s: got '%s' and '%s', expected one of: %s (option -stabiliser, or choose "
                "parts with -stabiliser_%s_parts)",
                kinds[c].what, first, form->stabiliser[k].plugin->name, fits, form->stabiliser[k].plugin->name);
      }
      first = form->stabiliser[k].plugin->name;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCheckPressure(RhxForm form, unsigned scheme_provides)
{
  char fits[1024];
  PetscFunctionBegin;
  if (!((form->provides | scheme_provides) & RHX_PROVIDES_PRESSURE)) {
    PetscCall(names_providing(RHX_PROVIDES_PRESSURE, sizeof(fits), fits));
    SETERRQ(form->comm, PETSC_ERR_ARG_INCOMP,
            "No stabiliser provides pressure stability: got none, expected one of: %s (option -stabiliser)", fits);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCheckLaws(RhxForm form, PetscInt dim, PetscInt ntens)
{
  if (ntens == 6) dim = 3; /* of swirl too: laws are those of space */
  RhxLawCase lc = {form->viscous, form->viscous_par, 0.0, 0, (int)dim, (int)ntens};
  PetscFunctionBegin;
  if (form->viscous) PetscCall(RhxLawCheck(form->comm, &lc, 0, NULL));
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const RhxFormMode *fm = &form->mode[m];
    lc = (RhxLawCase){fm->law, fm->par, fm->slip, fm->number, (int)dim, (int)ntens};
    PetscCall(RhxLawCheck(form->comm, &lc, 0, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_laws(RhxForm form)
{
  PetscFunctionBegin;
  PetscCall(RhxFormCheckLaws(form, form->space->dim, form->space->ntens));
  form->has_div_tau = (PetscBool)(form->representation != RHX_LOGCONF);
  PetscCall(RhxFormCheckLogarithm(form));
  for (PetscInt m = 0; m < form->nmodes; m++) {
    const PetscBool linear = form->mode[m].law->flags & RHX_LINEAR_SPRING ? PETSC_TRUE : PETSC_FALSE;
    PetscCheck(linear || form->representation != RHX_STRESS, form->comm, PETSC_ERR_ARG_INCOMP,
               "Law '%s' has no linear spring: got -polymer_variable stress, expected conformation or logconf",
               form->mode[m].law->name);
    if (!linear) form->has_div_tau = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Needs of the active parts; div tau is computed only where some part reads it. */
static PetscErrorCode check_stabilisers(RhxForm form)
{
  PetscBool wants_div_tau = PETSC_FALSE;
  char fits[1024];
  PetscFunctionBegin;
  PetscCall(order_stabilisers(form));
  form->provides = 0;
  form->needs_rate = PETSC_FALSE;
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const char *name = form->stabiliser[k].plugin->name;
    const unsigned f = active_flags(form, &form->stabiliser[k]);
    form->provides |= f;
    if (f & RHX_NEEDS_RATE) form->needs_rate = PETSC_TRUE;
    if (f & RHX_NEEDS_DIV_TAU) {
      wants_div_tau = PETSC_TRUE;
      PetscCheck(form->has_div_tau, form->comm, PETSC_ERR_ARG_INCOMP,
                 "Stabiliser '%s' needs div tau, which only linear springs in stress or conformation have: expected "
                 "other parts (-stabiliser_%s_parts) or another stabiliser (option -stabiliser)",
                 name, name);
    }
    if (form->nmodes && (f & RHX_BAD_DIV_TAU_IN_PRESSURE_TERM)) {
      PetscCall(names_providing(RHX_PROVIDES_PRESSURE, sizeof(fits), fits));
      PetscCall(PetscPrintf(form->comm,
                            "rheoplex: warning: stabiliser '%s' has div tau in its pressure term, which loses "
                            "robustness in viscoelastic flow; providers of pressure: %s\n",
                            name, fits));
    }
  }
  form->has_div_tau = (PetscBool)(form->has_div_tau && wants_div_tau && form->nmodes);
  PetscCall(check_two_providers(form));
  if (form->nscalars && !(form->provides & RHX_PROVIDES_SCALAR)) {
    PetscCall(names_providing(RHX_PROVIDES_SCALAR, sizeof(fits), fits));
    SETERRQ(form->comm, PETSC_ERR_ARG_INCOMP,
            "No stabiliser provides convection of scalar fields, here of '%s': got none, expected one of: %s (option "
            "-stabiliser; its part scalar)",
            form->scalar[0].row->name, fits);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Offsets of the auxiliary rows that are needed: the flow's first, then the same block for each mode, for each scalar. */
static PetscErrorCode layout_auxiliary(RhxForm form)
{
  const int size[] = {1, form->space->dim, form->space->dim * form->space->dim, form->space->ntens};
  PetscFunctionBegin;
  form->naux_flow = form->naux_mode = form->naux_scalar = 0;
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    RhxFormStabiliser *st = &form->stabiliser[k];
    st->aux_needed = st->plugin->needs ? st->plugin->needs(st->par, st->stage.parts) : ~0u;
    PetscCheck(st->plugin->naux <= RHX_MAX_AUX, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "Stabiliser '%s' has %d auxiliary rows, expected at most %d", st->plugin->name, st->plugin->naux,
               RHX_MAX_AUX);
    for (int row = 0; row < RHX_MAX_AUX; row++) {
      st->stage.off[row] = -1;
      if (row >= st->plugin->naux || !(st->aux_needed & (1u << row))) continue;
      const RhxAuxRow *aux = &st->plugin->aux[row];
      PetscInt *n = aux->of == RHX_OF_FLOW   ? &form->naux_flow
                    : aux->of == RHX_OF_MODE ? &form->naux_mode
                                             : &form->naux_scalar;
      st->stage.off[row] = (int)*n;
      *n += size[aux->shape];
    }
  }
  form->naux = RhxFormAuxStart(form, RHX_OF_SCALAR, form->nscalars);
  form->first_scalar = RhxFieldsStart(form->space->fields, RHX_GROUP_SCALARS);
  PetscCheck(form->naux_flow <= RHX_MAX_AUX_COMPONENTS && form->naux_mode <= RHX_MAX_AUX_COMPONENTS &&
                 form->naux_scalar <= RHX_MAX_AUX_COMPONENTS,
             form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The stabilisers need %" PetscInt_FMT " auxiliary components of the flow and %" PetscInt_FMT
             " of a mode and %" PetscInt_FMT " of a scalar, expected at most %d each (option -stabiliser)",
             form->naux_flow, form->naux_mode, form->naux_scalar, RHX_MAX_AUX_COMPONENTS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RhxFormFindCoupled(RhxForm form)
{
  const RhxPointLaw *at = RhxPointLawGet((int)form->space->dim, (int)form->space->ntens, RHX_KIND_DOUBLE);
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    if (!at->modes_apart(st->plugin, st->par, &st->stage, st->aux_needed)) return st->plugin->name;
  }
  return NULL;
}

static PetscErrorCode ask_of_mesh(RhxForm form)
{
  const char *coupled = form->nmodes ? RhxFormFindCoupled(form) : NULL;
  const RhxSpace sp = form->space;
  PetscBool simplices = PETSC_FALSE, linear = (PetscBool)(!form->nmodes || form->representation != RHX_LOGCONF);
  PetscFunctionBegin;
  for (PetscInt m = 0; m < form->nmodes; m++)
    linear = (PetscBool)(linear && (form->mode[m].law->flags & RHX_LINEAR_SPRING));
  for (PetscInt k = 0; k < sp->ntypes; k++) simplices = (PetscBool)(simplices || sp->cells[k].nn == sp->dim + 1);
  if (!linear) PetscCall(RhxFormAsk(form, RHX_ASK_NONLINEAR, "", ""));
  if (!simplices) PetscCall(RhxFormAsk(form, RHX_ASK_NO_SIMPLICES, "", ""));
  if (form->centroid) PetscCall(RhxFormAsk(form, RHX_ASK_CENTROID, "", ""));
  if (coupled) PetscCall(RhxFormAsk(form, RHX_ASK_COUPLED, coupled, ""));
  if (form->nmodes && form->in->passes == RHX_PASSES_TURNS) PetscCall(RhxFormAsk(form, RHX_ASK_TURNS, "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetUp(RhxForm form, RhxSpace space)
{
  size_t bytes;
  PetscFunctionBegin;
  form->space = space;
  PetscCall(ask_of_mesh(form));
  form->in->kernel = space->dim == 3       ? &rhx_kernel_d3t6
                     : form->swirl >= 0    ? &rhx_kernel_d2a6
                     : space->axisymmetric ? &rhx_kernel_d2a4
                     : space->ntens == 4   ? &rhx_kernel_d2t4
                                           : &rhx_kernel_d2t3;
  PetscCall(check_laws(form));
  PetscCall(check_stabilisers(form));
  PetscCall(layout_auxiliary(form));
  PetscCall(PetscMemzero(form->in->flops, sizeof(form->in->flops)));
  form->in->product = RhxFormProductLoops(form);
  bytes = PetscMax(form->in->kernel->work(form), form->in->product->work(form));
  free(form->in->work);
  form->in->work = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  PetscCheck(form->in->work, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for the workspace of the element loops (%zu bytes)", bytes);
  for (PetscInt m = 0; m < form->nmodes; m++) PetscCall(RhxFormModulus(form, m, &form->scale[m]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_laws(RhxForm form)
{
  PetscFunctionBegin;
  if (form->viscous) PetscCall(fill_parameters(form->comm, form->viscous, 1, form->viscous_par));
  for (PetscInt m = 0, n; m < form->nmodes; m += n) {
    char *par;
    for (n = 1; m + n < form->nmodes && form->mode[m + n].law == form->mode[m].law;) n++;
    PetscCall(read_parameters(form->comm, form->mode[m].law, n, &par));
    PetscCall(take_modes(form, m, n, par));
    PetscCall(PetscFree(par));
  }
  PetscCall(RhxFormCheckLaws(form, form->space->dim, form->space->ntens));
  for (PetscInt m = 0; m < form->nmodes; m++) PetscCall(RhxFormModulus(form, m, &form->scale[m]));
  PetscCall(RhxFormForgetShear(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormReadParameters(RhxForm form, PetscBool *same)
{
  FormOptions fo;
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(form->comm, &form_table, NULL, &fo));
  form->rho = fo.rho;
  RhxFieldsSetDensity(form->space->fields, form->rho);
  PetscCall(read_laws(form));
  *same = PETSC_TRUE;
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    RhxFormStabiliser *st = &form->stabiliser[k];
    PetscCall(fill_parameters(form->comm, st->plugin, 1, st->par));
    if (st->plugin->needs && st->plugin->needs(st->par, st->stage.parts) != st->aux_needed) *same = PETSC_FALSE;
  }
  for (PetscInt k = 0; k < form->nowners; k++)
    PetscCall(fill_parameters(form->comm, form->owner[k].plugin, 1, form->owner[k].par));
  PetscCall(RhxFormResolveFields(form)); /* which the rows of fields' names lost */
  if (form->in->send) PetscCall(form->in->send(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetVarying(RhxForm form, PetscBool varying)
{
  PetscFunctionBegin;
  form->in->varies = varying;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDestroy(RhxForm *form)
{
  PetscFunctionBegin;
  if (!*form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormForgetShear(*form));
  PetscCall(PetscFree((*form)->viscous_par));
  for (PetscInt m = 0; m < (*form)->nmodes; m++) PetscCall(PetscFree((*form)->mode[m].par));
  for (PetscInt k = 0; k < (*form)->nstabilisers; k++) PetscCall(PetscFree((*form)->stabiliser[k].par));
  for (PetscInt k = 0; k < (*form)->nowners; k++) PetscCall(PetscFree((*form)->owner[k].par));
  PetscCall(PetscFree3((*form)->open.node, (*form)->open.normal, (*form)->open.diagonal));
  PetscCall(PetscFree((*form)->open.rise));
  PetscCall(PetscFree((*form)->source));
  PetscCall(PetscFree((*form)->load));
  PetscCall(RhxNodeGraphDestroy(&(*form)->consistent.graph));
  PetscCall(PetscFree((*form)->consistent.value));
  PetscCall(PetscFree((*form)->correction));
  PetscCall(PetscFree((*form)->in->program));
  PetscCall(PetscFree((*form)->in->uncorrected));
  PetscCall(RhxProjectionDestroy(&(*form)->in->projection));
  free((*form)->in->work);
  PetscCall(PetscFree((*form)->in));
  PetscCall(PetscFree(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Name k of "a|b|c" into text. */
static void choice_name(const char *choices, int k, size_t size, char *text)
{
  const char *end;
  while (k-- > 0 && strchr(choices, '|')) choices = strchr(choices, '|') + 1;
  end = strchr(choices, '|');
  snprintf(text, size, "%.*s", (int)(end ? (size_t)(end - choices) : strlen(choices)), choices);
}

/* own: the fields of a plugin of scalar fields among all of them, else NULL. */
static PetscErrorCode view_parameters(const RhxPlugin *plugin, const void *par, const RhxFormScalar *own,
                                      PetscViewer viewer)
{
  PetscFunctionBegin;
  for (int i = 0; i < plugin->nrows; i++) {
    const RhxRow *r = &plugin->rows[i];
    const char *slot = (const char *)par + r->offset;
    const double real = r->kind == RHX_REAL ? *(const double *)slot : 0.0;
    char text[128];
    if (r->kind == RHX_STRING) continue;
    if (r->kind == RHX_REAL && r->choices && real < 0)
      choice_name(r->choices, (int)(-1.0 - real), sizeof(text), text);
    else if (r->kind == RHX_REAL)
      snprintf(text, sizeof(text), "%g%s%s", real, strcmp(r->unit, "1") ? " " : "",
               strcmp(r->unit, "1") ? r->unit : "");
    else if (own && RhxRowNamesField(r))
      snprintf(text, sizeof(text), "%s", own[*(const int *)slot].row->name);
    else if (r->kind == RHX_CHOICE)
      choice_name(r->choices, *(const int *)slot, sizeof(text), text);
    else if (r->kind == RHX_BOOL)
      snprintf(text, sizeof(text), "%s", *(const int *)slot ? "true" : "false");
    else
      snprintf(text, sizeof(text), "%d", *(const int *)slot);
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s %s", i ? "," : "", r->name, text));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormSetClosed(RhxForm form, PetscBool closed)
{
  PetscFunctionBegin;
  if (form->in->scalar_convection == RHX_CONVECTION_AUTO)
    form->conservative = (PetscBool)(closed && form->nscalars && (form->provides & RHX_PROVIDES_PRESSURE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormUseCentroid(RhxForm form)
{
  PetscFunctionBegin;
  form->centroid = PETSC_TRUE;
  PetscCall(RhxFormAsk(form, RHX_ASK_CENTROID, "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormView(RhxForm form, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "density %g kg/m^3, convection %s\n", form->rho,
                                   form->convection != 0.0 ? "on" : "off (creeping flow)"));
  if (form->viscous) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "viscous law %s:", form->viscous->name));
    PetscCall(view_parameters(form->viscous, form->viscous_par, NULL, viewer));
  } else
    PetscCall(PetscViewerASCIIPrintf(viewer, "no viscous law (no solvent)\n"));
  for (PetscInt m = 0; m < form->nmodes; m++) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "polymeric law %s, mode %" PetscInt_FMT ":", form->mode[m].law->name,
                                     form->mode[m].number));
    PetscCall(view_parameters(form->mode[m].law, form->mode[m].par, NULL, viewer));
  }
  for (PetscInt k = 0; k < form->nowners; k++) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "scalar fields of %s, convection %s:", form->owner[k].plugin->name,
                                     form->conservative ? "conservative" : "convective"));
    PetscCall(view_parameters(form->owner[k].plugin, form->owner[k].par, &form->scalar[form->owner[k].first], viewer));
  }
  if (form->nmodes)
    PetscCall(PetscViewerASCIIPrintf(viewer, "polymer variable: %s\n", RhxRepresentationNames[form->representation]));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    const RhxFormStabiliser *st = &form->stabiliser[k];
    PetscCall(PetscViewerASCIIPrintf(viewer, "stabiliser %s", st->plugin->name));
    for (int i = 0; i < st->plugin->nparts; i++)
      if (st->stage.parts & (1u << i)) PetscCall(PetscViewerASCIIPrintf(viewer, " +%s", st->plugin->parts[i].name));
    PetscCall(PetscViewerASCIIPrintf(viewer, ":"));
    PetscCall(view_parameters(st->plugin, st->par, NULL, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
