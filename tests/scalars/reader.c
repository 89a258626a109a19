/* A stabiliser that would read a scalar field by its name, which it may not. */
#include <rheoplex/plugin.h>

#define RHX_PARAMETERS(ROW) ROW(FIELD, heat, "temperature", "what is read")
#define RHX_PARTS(PART) PART(scalar, RHX_PROVIDES_SCALAR, "nothing")
#define RHX_AUX(ROW)
#define RHX_STAGES(OP)
RHX_DECLARE_PARAMETERS();
RHX_DECLARE_STABILISER();

RHX_POINTWISE unsigned needs(const RhxParams *par, unsigned parts)
{
  (void)par;
  (void)parts;
  return 0u;
}

RHX_STABILISER_PLUGIN("reader", "a stabiliser that reads a field", "a test", 0);
