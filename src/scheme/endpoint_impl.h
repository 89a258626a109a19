/* The end of a step by theta, cn or alpha, whose formula is met inside the step or by both ends together:
 *
 *   theta, alpha: x+ = x + (x_stage - x)/c;  theta with an endpoint (cn): theta F(x+) + (1 - theta) F(x) = 0
 *
 * What is given is so at an end, but for dt^2, only where it is at the other: one that is further beside it, as behind a jump or a restart with
 * another value, would be so for ever, and gets it. A pressure that is extrapolated swings: an end has that of the stage. */
#ifndef RHX_SCHEME_ENDPOINT_IMPL_H
#define RHX_SCHEME_ENDPOINT_IMPL_H
#include "scheme/newton_impl.h"

typedef struct _RhxEndpoint *RhxEndpoint;

PetscErrorCode RhxEndpointCreate(RhxNewton nt, TS ts,
                                 RhxEndpoint *ep); /* both borrowed; ts: one of the three, set up */
PetscErrorCode RhxEndpointDestroy(RhxEndpoint *ep);
/* The integrator's state at t, before a step, and as it leaves it after one. End tells, once, what swings from step to step. Collective. */
PetscErrorCode RhxEndpointBegin(RhxEndpoint ep, double t, double dt);
PetscErrorCode RhxEndpointEnd(RhxEndpoint ep);
/* The residual's rate in the step's, which with an endpoint is the end's over theta: the start has the rest. */
PetscErrorCode RhxEndpointRate(RhxEndpoint ep, PetscReal *rate);
#endif
