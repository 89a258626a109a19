/* What a case asks for, and what of it is not done together: one table (ask.c), by which cases are refused, -scheme auto and
 * -device auto choose and share/doc/combinations.md is written. */
#ifndef RHX_ASK_H
#define RHX_ASK_H
#include <petscviewer.h>

/* Name in messages' places and in the document, what it is. */
#define RHX_EACH_ASK(X)                                                                                         \
  X(NONLINEAR, "nonlinear", "a polymer stress that is not linear in the unknown (-physics, -polymer_variable)") \
  X(SPACE, "3d", "a mesh in 3D")                                                                                \
  X(NO_SIMPLICES, "no_simplices", "a mesh without triangles and tetrahedra")                                    \
  X(PLANE, "plane", "no -form_axisymmetric")                                                                    \
  X(AXISYMMETRIC, "axisymmetric", "-form_axisymmetric true")                                                    \
  X(NO_SWIRL, "no_swirl", "-form_axisymmetric true without the field of u_theta (-physics)")                    \
  X(SWIRL, "swirl", "the azimuthal velocity of axisymmetric flow (-physics)")                                   \
  X(FELT, "felt", "a scalar field that drives the flow or shifts its laws (-physics)")                          \
  X(SHIFTED, "shifted", "a scalar field that shifts the laws (-physics)")                                       \
  X(OUTFLOW, "outflow", "an outlet with the developed polymer stress of its profile (-bc_<label>_polymer)")     \
  X(WOMERSLEY, "womersley", "-bc_<label>_profile womersley")                                                    \
  X(CENTROID, "centroid", "-form_quadrature centroid")                                                          \
  X(RATE_OF_VELOCITY, "rate_of_velocity", "a stabiliser's part of momentum whose residual holds u_t")           \
  X(RATE_OF_STRESS, "rate_of_stress", "a stabiliser's part of stress whose residual holds its rate")            \
  X(RATE_OF_SCALAR, "rate_of_scalar", "a stabiliser's part of scalar fields whose residual holds their rate")   \
  X(DIVERGENCE, "divergence", "a stabiliser's part of div u")                                                   \
  X(TURNS, "turns", "-device_passes turns")                                                                     \
  X(COUPLED, "coupled", "a stabiliser whose terms of a mode read more of the flow than its velocity")           \
  X(SOURCELESS, "sourceless", "a plugin without its source beside it")                                          \
  X(MEAN_VELOCITY, "mean_velocity", "-form_mean_velocity")                                                      \
  X(MOVES, "moves", "a condition with a state of its own that moves on with the steps")                         \
  X(FOLLOWS, "follows", "a condition whose pressure follows the flux")                                          \
  X(TRACTION, "traction", "-bc_<label>_pressure_at traction")                                                   \
  X(ROTATING, "rotating", "-bc_<label>_type rotating_wall")                                                     \
  X(DEVELOPED, "developed", "inflow with developed polymer stress (-bc_<label>_polymer or _polymer_inflow)")    \
  X(DISSIPATION, "dissipation", "-scheme lumped with a pressure by dissipation")                                \
  X(BDF2, "bdf2", "-scheme fractional_step with -scheme_fractional_step_integrator bdf2")                       \
  X(CORRECTIONS, "corrections", "-scheme_<name>_mass_corrections")                                              \
  X(STEADY, "steady", "-scheme steady")                                                                         \
  X(NEWTON, "newton", "Newton's method: -scheme steady or monolithic")                                          \
  X(ELIMINATED, "eliminated", "-scheme_<name>_dirichlet symmetric with sides oblique to the axes")              \
  X(LINEARISED, "linearised", "spectra (rheoplex eigen) or -sensitivity of a steady state")                     \
  X(MOMENTUM_SOLVER, "momentum_solver",                                                                         \
    "options -momentum_..., -transport_... besides bcgs with jacobi and its tolerances")                        \
  X(DEVICE, "device", "-device cuda")
#define RHX_ASK_(id, name, meaning) RHX_ASK_##id,
typedef enum { RHX_EACH_ASK(RHX_ASK_) RHX_NASKS } RhxAsk;

/* What is not done together. {name} and {name.2} stand for texts of what is asked for. */
typedef struct {
  uint64_t together;
  const char *brief; /* after "-device auto: ", or NULL */
  const char *sentence;
} RhxRefusal;

typedef struct _p_RhxForm *RhxForm;
/* The case asks for it too; an error, by its sentence, if that is not done with what it asks for already. Collective. */
PetscErrorCode RhxFormAsk(RhxForm form, RhxAsk what, const char *text, const char *second);
PetscBool RhxFormHasAsked(RhxForm form, RhxAsk what);
/* What the case asks for that is not done together with this; NULL: it is done. */
const RhxRefusal *RhxFormFindRefusal(RhxForm form, RhxAsk with);
/* A row's brief with its texts. */
void RhxFormSayRefusal(RhxForm form, const char *sentence, size_t size, char *text);
/* What the form asks for before there is a mesh: plugins and parts of stabilisers. */
PetscErrorCode RhxFormAskPlugins(RhxForm form);
/* `rheoplex --help combinations` */
PetscErrorCode RhxAsksView(PetscViewer viewer);
#endif
