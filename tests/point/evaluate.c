/* Runs the operations of a loaded plugin at a state; compiled once a variant. */
#include "state.h"
#include <stdlib.h>

void NAMED(evaluate, RHX_DIM, RHX_NTENS, RHX_KIND)(const Setting *set, const double *in, const double *direction,
                                                   double *out, double *derivative);
int NAMED(fields, RHX_DIM, RHX_NTENS, RHX_KIND)(int output, Field *list);

static void run_stabiliser(const RhxStabiliserOps *op, const Setting *set, State *e)
{
  for (int row = 0; row < set->plugin->naux; row++) {
    if (set->stage.off[row] < 0) continue;
    if (set->of[row] == RHX_OF_SCALAR)
      op->project_scalar(set->par, &set->stage, row, &e->pt, &e->sc, e->projected + set->stage.off[row]);
    else if (set->of[row] == RHX_OF_MODE)
      op->project_mode(set->par, &set->stage, row, &e->pt, &e->md, e->projected + set->stage.off[row]);
    else
      op->project(set->par, &set->stage, row, &e->pt, e->projected + set->stage.off[row]);
  }
  if (op->kinematics) op->kinematics(set->par, &set->stage, &e->pt);
  if (op->add_flow) op->add_flow(set->par, &set->stage, &e->pt);
  if (op->add_mode) op->add_mode(set->par, &set->stage, &e->pt, &e->md);
  if (op->add_scalar) op->add_scalar(set->par, &set->stage, &e->pt, &e->sc);
  if (op->pressure_tau) op->pressure_tau(set->par, &set->stage, &e->pt, &e->tau1);
  if (op->diffusion) op->diffusion(set->par, &set->stage, &e->pt, &e->df);
}

static void run_scalars(const RhxScalarOps *op, const Setting *set, State *e)
{
  if (op->diffusivity) op->diffusivity(set->par, &e->pt, &e->sc, 0, &e->diffused);
  if (op->source) op->source(set->par, &e->pt, &e->sc, 0, &e->supplied);
  if (op->shift) op->shift(set->par, &e->pt, &e->sc, &e->pt.shift);
  if (op->reaction) op->reaction(set->par, &e->pt, &e->sc, 0, &e->reacted);
}

static void run_polymeric(const RhxPolymericOps *op, const Setting *set, State *e)
{
  op->properties(set->par, &e->kin, e->md.c, &e->prop);
  op->rate(set->par, &e->kin, e->md.c, e->rate);
  op->stress(set->par, &e->kin, e->md.c, e->stress);
}

void NAMED(evaluate, RHX_DIM, RHX_NTENS, RHX_KIND)(const Setting *set, const double *in, const double *direction,
                                                   double *out, double *derivative)
{
  static State e;
  const int size = RHX_DIM == 3 ? 2 : RHX_NTENS == 4;
  const void *op =
      RHX_KIND == RHX_KIND_DUAL_LANES ? set->plugin->dual[size] : set->plugin->variant[3 * size + RHX_KIND % 3];
  state_load(set, in, direction, &e);
  switch (set->plugin->kind) {
  case RHX_VISCOUS:
    ((const RhxViscousOps *)op)->viscosity(set->par, &e.kin, &e.eta_s);
    break;
  case RHX_POLYMERIC:
    run_polymeric((const RhxPolymericOps *)op, set, &e);
    break;
  case RHX_SCALARS:
    run_scalars((const RhxScalarOps *)op, set, &e);
    break;
  case RHX_STABILISER:
    run_stabiliser((const RhxStabiliserOps *)op, set, &e);
    break;
  }
  state_store(&e, out, derivative);
}

int NAMED(fields, RHX_DIM, RHX_NTENS, RHX_KIND)(int output, Field *list) { return state_fields(output, list); }
