#include "law/pointlaw.h"

extern const RhxPointLaw rhx_pointlaw_d2t3k0, rhx_pointlaw_d2t4k0, rhx_pointlaw_d3t6k0;
extern const RhxPointLaw rhx_pointlaw_d2t3k2, rhx_pointlaw_d2t4k2, rhx_pointlaw_d3t6k2;

const RhxPointLaw *RhxPointLawGet(int dim, int ntens, int kind)
{
  const RhxPointLaw *const table[2][3] = {{&rhx_pointlaw_d2t3k0, &rhx_pointlaw_d2t4k0, &rhx_pointlaw_d3t6k0},
                                          {&rhx_pointlaw_d2t3k2, &rhx_pointlaw_d2t4k2, &rhx_pointlaw_d3t6k2}};
  return table[kind == RHX_KIND_COMPLEX][dim == 3 || ntens == 6 ? 2 : ntens == 4 ? 1 : 0];
}
