/* What outlets have in common: those whose pressure follows the flux take the rest of `outlet`. */
#ifndef RHX_OUTLET_H
#define RHX_OUTLET_H
#include "boundary/impl.h"

PetscErrorCode RhxOutletCheck(RhxCondition *c);
unsigned RhxOutletGives(const RhxCondition *c);
/* tau.n of the developed flow where it is asked for, less the pressure of the type, and the given traction. */
PetscErrorCode RhxOutletTraction(RhxCondition *c, double t, PetscInt n, const PetscReal *x, const PetscReal *normal,
                                 PetscReal *values);
/* Is its developed flow that of the flux that arrives? That flux at t, out of the domain. */
PetscBool RhxOutletIsArriving(const RhxCondition *c);
double RhxOutletGetArriving(const RhxCondition *c, double t);
/* Is its pressure, by the traction, one with that of the given traction along the normal? p[n] -= T(t).N, N the label's normal. */
PetscBool RhxOutletLoads(const RhxCondition *c);
PetscErrorCode RhxOutletLoad(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p);
/* Does its pressure, or its traction along the normal, depend on time, whatever the flow does? */
PetscBool RhxOutletRises(const RhxCondition *c);
/* Of its pressure at nodes where values are asked for at t: the same in all stages of a step. */
double RhxOutletPressureTime(const RhxCondition *c, double t);
/* Of an outlet that follows its flux: the checks of `outlet`, and of the scheme. */
PetscErrorCode RhxFollowerCheck(RhxCondition *c);
/* A run begins: its flux, of which the first step's stress is developed. */
PetscErrorCode RhxFollowerBegin(RhxCondition *c);
/* The pressure of the state, the same everywhere. */
PetscErrorCode RhxFollowerPressure(RhxCondition *c, double t, PetscInt n, const PetscReal *x, PetscReal *p);
/* A part of the descriptor of such a type. */
#define RHX_FOLLOWER_TYPE                                                                                         \
  .priority = 4, .flags = RHX_TYPE_PRESSURE | RHX_TYPE_OPEN | RHX_TYPE_TRACTION,                                  \
  .shared = " type pressure_at traction backflow tangential form polymer polymer_inflow stress velocity profile " \
            "mean_velocity maximum_velocity "                                                                     \
            "flow_rate flow_rate_scale flow_rate_time_scale flow_rate_interpolation flow_rate_rows ramp ",        \
  .polymer = " open developed zero ", .gives = RhxOutletGives, .pressure = RhxFollowerPressure,                   \
  .traction = RhxOutletTraction, .begin = RhxFollowerBegin
#endif
