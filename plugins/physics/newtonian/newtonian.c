/* Newtonian solvent: tau_s = 2 eta_s D. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, viscosity, RHX_REQUIRED, RHX_GT, 0, 0, "Pa s", "solvent viscosity eta_s")
RHX_DECLARE_PARAMETERS();

RHX_POINTWISE void viscosity(const RhxParams *par, const RhxKin *kin, RhxReal *eta_s)
{
  (void)kin;
  *eta_s = RHX_CONST(par->viscosity);
}

RHX_VISCOUS_LAW("newtonian", "constant viscosity", "Stokes, Trans. Camb. Phil. Soc. 8 (1845) 287");
