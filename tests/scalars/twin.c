/* A plugin with a field of a name that another one, or a file of fields, has. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(REAL, diffusivity, "0.3", RHX_GE, 0, 0, "m^2/s", "diffusivity D")
#ifdef TWIN_OF_OUTPUT
#define TWIN_NAME "taken"
#define RHX_FIELDS(ROW) ROW(shear_rate, "1", RHX_ANY, 0, 0, "0", "natural", "given", "a field")
#else
#define TWIN_NAME "twin"
#define RHX_FIELDS(ROW) ROW(concentration, "1", RHX_ANY, 0, 0, "0", "natural", "given", "another concentration")
#endif
#define RHX_OPERATIONS(OP) OP(diffusivity)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_SCALARS();

RHX_POINTWISE void diffusivity(const RhxParams *par, const RhxPoint *pt, const RhxScalar *sc, int k, RhxReal *D)
{
  (void)pt;
  (void)sc;
  (void)k;
  *D = RHX_CONST(par->diffusivity);
}

RHX_SCALAR_PLUGIN(TWIN_NAME, "substance whose field is called as that of passive", "", 0);
