/* Which stabilisers leave a mode a pass of its own on a device: those whose terms and projections of a mode read nothing of the
 * flow but geometry, time, u and its gradient. */
#include "law/pointlaw.h"
#include "plugin/registry.h"
#include <stdio.h>

static void by_velocity(const void *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md)
{
  const RhxReal *own = md->aux + st->off[1];
  (void)par;
  for (int k = 0; k < RHX_NTENS; k++)
    md->f0[k] += rhx_ugu(pt) * pt->ih2 * md->prop.lambda * md->conv[k] + pt->dt * pt->L[0][1] * own[k];
}

static void by_viscosity(const void *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md)
{
  by_velocity(par, st, pt, md);
  md->f1[RHX_NTENS - 1][RHX_DIM - 1] += pt->eta_p;
}

static void by_projection(const void *par, const RhxStage *st, const RhxPoint *pt, RhxMode *md)
{
  by_velocity(par, st, pt, md);
  md->f0[0] += pt->aux[st->off[0]];
}

static void own_convection(const void *par, const RhxStage *st, int row, const RhxPoint *pt, const RhxMode *md,
                           RhxReal *out)
{
  (void)par, (void)st, (void)row;
  for (int k = 0; k < RHX_NTENS; k++) out[k] = md->conv[k] + pt->conv[0];
}

static void of_pressure(const void *par, const RhxStage *st, int row, const RhxPoint *pt, const RhxMode *md,
                        RhxReal *out)
{
  own_convection(par, st, row, pt, md, out);
  out[1] += pt->gp[0];
}

static void no_kinematics(const void *par, const RhxStage *st, RhxPoint *pt) { (void)par, (void)st, (void)pt; }

static int failures;

static void expect(const char *what, int apart, unsigned flags, RhxStabiliserOps ops)
{
  static const RhxAuxRow rows[] = {{"flow", RHX_AUX_VECTOR, RHX_OF_FLOW, ""}, {"own", RHX_AUX_TENSOR, RHX_OF_MODE, ""}};
  const RhxStage stage = {1u, {0, 0}};
  RhxPlugin plugin = {.kind = RHX_STABILISER, .flags = flags, .naux = 2, .aux = rows};
  plugin.variant[RhxVariantIndex(RHX_DIM, RHX_NTENS, RHX_KIND_DOUBLE)] = &ops;
  if (RhxPointLawGet(RHX_DIM, RHX_NTENS, RHX_KIND_DOUBLE)->modes_apart(&plugin, NULL, &stage, 3u) == apart) return;
  printf("%s: got %d, expected %d\n", what, !apart, apart);
  failures++;
}

int main(void)
{
  expect("nothing", 1, 0, (RhxStabiliserOps){0});
  expect("u and a projection of its own", 1, 0,
         (RhxStabiliserOps){.add_mode = by_velocity, .project_mode = own_convection});
  expect("eta_p in a flux", 0, 0, (RhxStabiliserOps){.add_mode = by_viscosity});
  expect("a projection of the flow", 0, 0, (RhxStabiliserOps){.add_mode = by_projection});
  expect("grad p in a projection", 0, 0, (RhxStabiliserOps){.project_mode = of_pressure});
  expect("kinematics of its own", 0, 0, (RhxStabiliserOps){.kinematics = no_kinematics});
  expect("projections of the law", 0, RHX_PROJECTS_LAW, (RhxStabiliserOps){0});
  return failures != 0;
}
