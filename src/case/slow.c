/* Flows that Newton's method follows, or brings to rest, in fewer and longer steps than the other schemes: slow ones, fluids that yield. */
#include "case/impl.h"
#include "device/device.h"
#include "form/relaxation.h"
#include "mesh/mesh.h"
#include "petsc_compat.h"

#define CREEPING 0.25 /* rho D^2/eta in the steps of accuracy: beyond it those of bdf2 would be ten times as many */
#define MORE \
  100.0 /* explicit steps, of eta dt/rho = h^2/2, for one of accuracy: one of Newton's method costs 30 to 100 */
#define MORE_IN_SPACE 1000.0      /* the same: it costs 200 to 400 */
#define MORE_ON_DEVICE 1000.0     /* the same, in the plane too: 200 to 500 */
#define MORE_BESIDE_DEVICE 5000.0 /* where the device has the explicit steps alone (-device auto): 5000 to 11000 */
#define COARSE 0.05               /* h over D: on coarser meshes either takes a moment */
#define FINE 1e-3                 /* h over D: on finer ones, without -case_length, 1 m is hardly what D is */
#define MANY_TO_REST 20000.0      /* steps of bdf2 behind a ramp: Newton's method takes fewer and longer ones */
#define LEAST_IN_RELAXATION 20    /* steps in the longest relaxation time, by Newton's method */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* Does the case name a step, or what Newton's schemes have not, on a device or at all? */
static PetscErrorCode look_at_options(PetscBool *given)
{
  static const char *const steps[] = {"-ts_dt", "-ts_time_step"};
  char **name, **value;
  PetscInt n;
  char rule[32] = "";

  PetscFunctionBegin;
  *given = PETSC_FALSE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(steps) && !*given; i++)
    PetscCall(PetscOptionsHasName(NULL, NULL, steps[i], given));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-form_quadrature", rule, sizeof(rule), NULL));
  *given = (PetscBool)(*given || !strcmp(rule, "centroid"));
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value)); /* none has been read */
  for (PetscInt i = 0; i < n; i++)
    *given = (PetscBool)(*given || !strncmp(name[i], "pressure_", 9) || !strncmp(name[i], "momentum_", 9) ||
                         !strncmp(name[i], "transport_", 10));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest of ramps and what else lasts, s, and at most 1/200 of the shortest period that conditions give. */
static PetscErrorCode look_at_given(RhxCase rc, double *lasts, double *longest)
{
  PetscReal velocity = 1.0, length = 1.0, end = 0.0, least = 0.0, begin = 0.0;
  PetscBool set;
  RhxGivenTime shortest;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stop_time", &end, &set));
  if (!set) PetscCall(PetscOptionsGetReal(NULL, NULL, "-ts_max_time", &end, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-stop_min_time", &least, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-ts_init_time", &begin, NULL));
  if (!(end > begin)) end = begin + RHX_UNENDING * length / velocity;
  PetscCall(RhxBoundaryLookAhead(rc->comm, length, begin, end, &shortest, lasts));
  *lasts = PetscMax(*lasts, least);
  if (shortest.time > 0.0) *longest = PetscMin(*longest, RhxCaseStepOfPeriod_Private(shortest.time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Explicit steps that one of Newton's method is worth; with -device auto a device would make the explicit ones alone. */
static PetscErrorCode worth(RhxCase rc, PetscInt dim, double *more)
{
  char device[16] = "auto";
  RhxDeviceState state;

  PetscFunctionBegin;
  *more = dim > 2 ? MORE_IN_SPACE : MORE;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-device", device, sizeof(device), NULL));
  if (!strcmp(device, "cuda")) *more = MORE_ON_DEVICE;
  if (strcmp(device, "auto")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxDeviceFind(rc->comm, &state));
  if (state.availability == RHX_DEVICE_READY) *more = MORE_BESIDE_DEVICE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether explicit steps would be so many more than those of `bound`, s, on a mesh as fine as D/20, else on the case's own, which is
 * made. h: its shortest edge, m, 0: it was not asked. */
static PetscErrorCode polymer_creeps(RhxCase rc, double bound, double viscous, PetscBool *creeps, double *h)
{
  const double ratio = 2.0 * bound / viscous; /* explicit steps in bound, times (h/D)^2 */
  PetscReal length = 1.0;
  double more;
  PetscInt dim;
  PetscBool set;

  PetscFunctionBegin;
  *h = 0.0;
  PetscCall(worth(rc, 2, &more)); /* a mesh in space asks for no less */
  *creeps = (PetscBool)(ratio > more * PetscSqr(COARSE));
  if (*creeps) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, &set));
  PetscCall(RhxCaseMakeMesh_Private(rc));
  PetscCall(RhxMeshGetDimension(rc->mesh, &dim));
  PetscCall(RhxMeshGetShortestEdge(rc->mesh, h));
  PetscCall(worth(rc, dim, &more));
  *creeps = (PetscBool)(ratio > more * PetscSqr(*h / length) && (set || *h >= FINE * length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dt: the length of Newton's steps where a flow is slow, else 0. */
static PetscErrorCode creeping_step(RhxCase rc, PetscBool to_rest, double *dt, size_t size, char *flow)
{
  const PetscBool polymer = (PetscBool)(rc->form->nmodes > 0);
  double viscous = 0.0, passing = 0.0, relaxation = 0.0, lasts = 0.0, longest = 0.0, h = 0.0, bound;
  PetscBool given, creeping;

  PetscFunctionBegin;
  *dt = 0.0;
  PetscCall(look_at_options(&given));
  PetscCall(RhxCaseTimesOfUnits_Private(rc->form, &viscous, &passing));
  PetscCall(RhxCaseLongestStep_Private(to_rest, &longest, sizeof(rc->step.why), rc->step.why));
  if (given || !(viscous > 0.0 && longest > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormRelaxationTime(rc->form, &relaxation));
  if (polymer && relaxation < LEAST_IN_RELAXATION * longest) {
    longest = RhxCaseRoundDown_Private(relaxation / LEAST_IN_RELAXATION);
    PetscCall(PetscStrncpy(rc->step.why, "1/" TEXT(LEAST_IN_RELAXATION) " of the longest relaxation time",
                           sizeof(rc->step.why)));
  }
  bound = longest;
  PetscCall(look_at_given(rc, &lasts, &bound));
  if (polymer)
    PetscCall(polymer_creeps(rc, bound, viscous, &creeping, &h));
  else if (to_rest)
    creeping = (PetscBool)(RHX_SETTLING * lasts > MANY_TO_REST * viscous);
  else
    creeping = (PetscBool)(PetscMin(bound, passing / RHX_LEAST_TO_REST) > CREEPING * viscous);
  if (creeping) *dt = longest;
  if (h > 0.0)
    PetscCall(PetscSNPrintf(
        flow, size, "a flow that is slow for its mesh (rho D^2/eta is %.2g s, the shortest edge %.2g m)", viscous, h));
  else
    PetscCall(PetscSNPrintf(flow, size, "a creeping flow (rho D^2/eta is %.2g s)", viscous));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An inlet, which from rest is abrupt but for a ramp. Before there is a mesh. */
static PetscErrorCode has_inlet(PetscBool *has)
{
  char **name, **value;
  PetscInt n;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value)); /* none has been read */
  for (PetscInt i = 0; i < n; i++) {
    const size_t length = strlen(name[i]);
    if (value[i] && !strncmp(name[i], "bc_", 3) && length > 5 && !strcmp(name[i] + length - 5, "_type"))
      *has = (PetscBool)(*has || !strcmp(value[i], "inlet"));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a fluid yield, so that the viscosity of the step before is no measure of the next one's? Then dt is the length of Newton's steps, else
 * 0; and where an abrupt inflow is none of Newton's. */
static PetscErrorCode yielding_step(RhxCase rc, PetscBool to_rest, double *dt, size_t size, char *flow)
{
  PetscReal velocity = 1.0, length = 1.0;
  double viscous, passing, slope, longest, lasts = 0.0, bound = PETSC_MAX_REAL;
  PetscBool given, inlet;

  PetscFunctionBegin;
  *dt = 0.0;
  PetscCall(has_inlet(&inlet));
  PetscCall(look_at_given(rc, &lasts, &bound));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_velocity", &velocity, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-case_length", &length, NULL));
  PetscCall(RhxFormLeastSlope(rc->form, velocity / length, &slope));
  PetscCall(look_at_options(&given));
  if (rc->form->nmodes || given || slope >= RHX_YIELDING || (inlet && !(lasts > 0.0)))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseLongestStep_Private(to_rest, &longest, sizeof(rc->step.why), rc->step.why));
  if (longest > 0.0) *dt = longest;
  PetscCall(RhxCaseTimesOfUnits_Private(rc->form, &viscous, &passing));
  PetscCall(PetscSNPrintf(flow, size, "a fluid that yields (rho D^2/eta is %.2g s)", viscous));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseSlowStep_Private(RhxCase rc, PetscBool to_rest, double *dt, size_t size, char *flow)
{
  PetscFunctionBegin;
  PetscCall(creeping_step(rc, to_rest, dt, size, flow));
  if (!(*dt > 0.0)) PetscCall(yielding_step(rc, to_rest, dt, size, flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}
