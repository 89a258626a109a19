#include "form/ask.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"
#include "plugin/registry.h"

#define WITH(a, b) ((UINT64_C(1) << RHX_ASK_##a) | (UINT64_C(1) << RHX_ASK_##b))
#define AND(a) (UINT64_C(1) << RHX_ASK_##a)
#define IN_CENTROID(got)                                                                                         \
  "-form_quadrature centroid: got " got ", expected full, or triangles or tetrahedra, a polymer stress that is " \
  "linear in the unknown, a flow that is not axisymmetric and feels no scalar field"
#define IN_BDF2(part, why)                                                                                  \
  "-scheme_fractional_step_integrator bdf2: got the part {" part ".2} of the stabiliser '{" part "}', " why \
  "; expected other parts (-stabiliser_{" part "}_parts), another stabiliser, or the integrator heun, ssp3 or rk4"
#define IN_TURNS(got) "-device_passes turns: got " got ", expected auto or one"
static const RhxRefusal refusals[] = {
    {WITH(AXISYMMETRIC, SPACE), NULL,
     "-form_axisymmetric true: got a mesh in 3D, expected a 2D mesh of the half plane"},
    {WITH(SWIRL, PLANE), NULL,
     "-physics: got the field '{swirl}', the azimuthal velocity of axisymmetric flow, without -form_axisymmetric true"},
    {WITH(NO_SWIRL, ROTATING), NULL,
     "label '{rotating}' is a rotating wall: got axisymmetric flow without swirl (-form_axisymmetric), expected the "
     "field of u_theta in -physics"},
    {WITH(SWIRL, DEVELOPED) | AND(AXISYMMETRIC), NULL,
     "-bc_{developed}_{developed.2} developed: got axisymmetric flow with swirl (-physics), whose shear along theta it "
     "leaves out; expected rest, free, or formula with -bc_{developed}_stress"},
    {WITH(SHIFTED, OUTFLOW), NULL,
     "-bc_{outflow}_polymer or _polymer_inflow developed: got it at an outlet of a fluid whose laws the field "
     "'{shifted}' shifts, which arrives as the flow brings it; expected open, and rest"},
    {WITH(SHIFTED, WOMERSLEY), NULL,
     "-bc_{womersley}_profile womersley: got a fluid whose laws the field '{shifted}' shifts, expected another "
     "profile"},
    {WITH(CENTROID, AXISYMMETRIC), NULL, IN_CENTROID("an axisymmetric flow")},
    {WITH(CENTROID, NO_SIMPLICES), NULL, IN_CENTROID("a mesh without triangles and tetrahedra")},
    {WITH(CENTROID, NONLINEAR), NULL, IN_CENTROID("a polymer stress that is not linear in the unknown")},
    {WITH(CENTROID, FELT), NULL, IN_CENTROID("the field '{felt}', which drives the flow or shifts its laws")},
    {WITH(CENTROID, NEWTON) | AND(DEVICE), NULL,
     "-form_quadrature centroid: got a scheme that takes derivatives on a device, expected full there, or -device cpu"},
    {WITH(DISSIPATION, TRACTION), NULL,
     "-bc_{traction}_pressure_at traction: got a scheme whose pressure is by dissipation, expected nodes"},
    {WITH(DISSIPATION, FOLLOWS), NULL,
     "-bc_{follows}_type {follows.2}: got a scheme whose pressure is by dissipation, which drives no flux at once; "
     "expected -scheme_lumped_pressure projection or -scheme fractional_step"},
    {WITH(BDF2, RATE_OF_VELOCITY), NULL, IN_BDF2("rate_of_velocity", "whose residual holds u_t")},
    {WITH(BDF2, RATE_OF_STRESS), NULL, IN_BDF2("rate_of_stress", "whose residual holds the last rate of stress")},
    {WITH(BDF2, RATE_OF_SCALAR), NULL, IN_BDF2("rate_of_scalar", "whose residual holds the last rate of a scalar")},
    {WITH(BDF2, DIVERGENCE), NULL, IN_BDF2("divergence", "which couples the components of velocity")},
    {WITH(BDF2, CORRECTIONS), NULL,
     "-scheme_fractional_step_mass_corrections {corrections}: got it for -scheme_fractional_step_integrator bdf2, "
     "whose "
     "mass is consistent; expected auto or 0, or the integrator heun, ssp3 or rk4"},
    {WITH(LINEARISED, MEAN_VELOCITY), NULL,
     "Spectra and sensitivities of a steady state: got -form_mean_velocity, whose force would answer what disturbs the "
     "flow; expected -form_body_force, such as the force that was found"},
    {WITH(STEADY, MOVES), NULL,
     "-scheme steady: got -bc_{moves}_type {moves.2}, which follows the flow step by step in time; expected a "
     "condition "
     "that does not, or -scheme lumped, fractional_step or monolithic"},
    {WITH(ELIMINATED, DEVICE), NULL,
     "-scheme_{eliminated}_dirichlet symmetric: got a device and symmetry, free_slip or slip on sides oblique to the "
     "axes, "
     "whose columns turn on the host alone; expected rows, or -device cpu"},
    {WITH(LINEARISED, DEVICE), NULL,
     "Spectra and sensitivities of a steady state are found on the CPU alone: got a device, expected -device cpu"},
    {WITH(MOMENTUM_SOLVER, DEVICE), "{momentum_solver}",
     "On a device momentum and the transport of modes are solved for by bcgs with jacobi: got {momentum_solver}, "
     "expected -momentum_ksp_rtol, _atol, _divtol, _max_it (-transport_ksp_rtol, ...) alone, or -device cpu"},
    {WITH(TURNS, SWIRL) | AND(AXISYMMETRIC) | AND(DEVICE), NULL,
     IN_TURNS("the field '{swirl}' (-physics), of which the modes of axisymmetric flow read")},
    {WITH(TURNS, FELT) | AND(DEVICE), NULL,
     IN_TURNS("the field '{felt}' (-physics), which drives the flow or shifts its laws")},
    {WITH(TURNS, COUPLED) | AND(DEVICE), NULL,
     IN_TURNS("the stabiliser '{coupled}', whose terms of a mode read more of the flow than its velocity")},
    {WITH(SOURCELESS, DEVICE), "the plugin '{sourceless}' has no source for a device",
     "Plugin '{sourceless}' has no source for the device: got no file '{sourceless.2}', expected it beside the shared "
     "object"},
};

#define NAME_(id, name, meaning) name,
#define MEANING_(id, name, meaning) meaning,
static const char *const names[] = {RHX_EACH_ASK(NAME_)}, *const meanings[] = {RHX_EACH_ASK(MEANING_)};

/* The text of "name" or "name.2" of n characters; NULL: no such name. */
static const char *find_text(const RhxAsks *asks, const char *name, size_t n)
{
  const int second = n > 2 && !strncmp(name + n - 2, ".2", 2);
  if (second) n -= 2;
  for (int k = 0; k < RHX_NASKS; k++)
    if (strlen(names[k]) == n && !strncmp(names[k], name, n)) return asks->text[k][second];
  return NULL;
}

void RhxFormSayRefusal(RhxForm form, const char *sentence, size_t size, char *text)
{
  size_t n = 0;
  for (const char *end; *sentence && n + 1 < size; sentence++) {
    const char *with = NULL;
    if (*sentence == '{' && (end = strchr(sentence, '}')))
      with = find_text(&form->in->asks, sentence + 1, (size_t)(end - sentence - 1));
    if (!with) {
      text[n++] = *sentence;
      continue;
    }
    while (*with && n + 1 < size) text[n++] = *with++;
    sentence = end;
  }
  text[n] = '\0';
}

PetscBool RhxFormHasAsked(RhxForm form, RhxAsk what)
{
  return (PetscBool)((form->in->asks.all & UINT64_C(1) << what) != 0);
}

const RhxRefusal *RhxFormFindRefusal(RhxForm form, RhxAsk with)
{
  const uint64_t one = UINT64_C(1) << with, all = form->in->asks.all | one;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(refusals); i++)
    if ((refusals[i].together & one) && !(refusals[i].together & ~all)) return &refusals[i];
  return NULL;
}

PetscErrorCode RhxFormAsk(RhxForm form, RhxAsk what, const char *text, const char *second)
{
  const RhxRefusal *refusal;
  char sentence[2048];
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(form->in->asks.text[what][0], text, sizeof(form->in->asks.text[what][0])));
  PetscCall(PetscStrncpy(form->in->asks.text[what][1], second, sizeof(form->in->asks.text[what][1])));
  form->in->asks.all |= UINT64_C(1) << what;
  refusal = RhxFormFindRefusal(form, what);
  if (!refusal) PetscFunctionReturn(PETSC_SUCCESS);
  RhxFormSayRefusal(form, refusal->sentence, sizeof(sentence), sentence);
  SETERRQ(form->comm, PETSC_ERR_SUP, "%s", sentence);
}

static PetscErrorCode ask_source(RhxForm form, const RhxPlugin *plugin)
{
  char path[PETSC_MAX_PATH_LEN];
  PetscBool there;
  PetscFunctionBegin;
  PetscCall(RhxPluginDevicePath(plugin, sizeof(path), path));
  PetscCall(PetscTestFile(path, 'r', &there));
  if (!there) PetscCall(RhxFormAsk(form, RHX_ASK_SOURCELESS, plugin->name, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ask_parts(RhxForm form, const RhxFormStabiliser *st)
{
  static const struct {
    unsigned flags;
    RhxAsk ask;
  } rows[] = {{RHX_PROVIDES_MOMENTUM | RHX_NEEDS_RATE, RHX_ASK_RATE_OF_VELOCITY},
              {RHX_PROVIDES_TENSOR | RHX_NEEDS_RATE, RHX_ASK_RATE_OF_STRESS},
              {RHX_PROVIDES_SCALAR | RHX_NEEDS_RATE, RHX_ASK_RATE_OF_SCALAR},
              {RHX_PROVIDES_DIVERGENCE, RHX_ASK_DIVERGENCE}};
  PetscFunctionBegin;
  for (int k = 0; k < st->plugin->nparts; k++)
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rows); i++)
      if ((st->stage.parts & (1u << k)) && (st->plugin->parts[k].flags & rows[i].flags) == rows[i].flags)
        PetscCall(RhxFormAsk(form, rows[i].ask, st->plugin->name, st->plugin->parts[k].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormAskPlugins(RhxForm form)
{
  PetscFunctionBegin;
  for (PetscInt m = 0; m < form->nmodes; m++) PetscCall(ask_source(form, form->mode[m].law));
  if (form->viscous) PetscCall(ask_source(form, form->viscous));
  for (PetscInt k = 0; k < form->nowners; k++) PetscCall(ask_source(form, form->owner[k].plugin));
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    PetscCall(ask_source(form, form->stabiliser[k].plugin));
    PetscCall(ask_parts(form, &form->stabiliser[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAsksView(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "What a case may ask for\n"));
  for (int k = 0; k < RHX_NASKS; k++) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s  %s\n", names[k], meanings[k]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "What is not done together, and the error that says it\n"));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(refusals); i++) {
    const char *between = "  ";
    for (int k = 0; k < RHX_NASKS; k++) {
      if (!((refusals[i].together >> k) & 1u)) continue;
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s", between, names[k]));
      between = " + ";
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, ": %s\n", refusals[i].sentence));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
