/* The azimuthal velocity u_theta(z, r) of axisymmetric flow: a field of its own, whose momentum core computes with that of the
 * others (kernels/pipeline.h). */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW)
#define RHX_FIELDS(ROW) \
  ROW(swirl, "m/s", RHX_ANY, 0, 0, "0", "value 0", "given", "azimuthal velocity of axisymmetric flow")
#define RHX_OPERATIONS(OP) OP(diffusivity)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

/* What stabilisers weigh convection with. */
RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)par;
  (void)sc;
  (void)k;
  *D = (pt->eta_s + pt->eta_p) / pt->rho;
}

RHX_SCALAR_PLUGIN("swirling", "azimuthal velocity of axisymmetric flow (-form_axisymmetric)",
                  "Bird, Stewart and Lightfoot, Transport Phenomena, table B.5", RHX_IS_SWIRL);
