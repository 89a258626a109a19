#include "boundary/types/shared.h"

const RhxConditionType RhxConditionType_free_slip = {
    RHX_CONDITION_ENTRY("free_slip",
                        "no flow through the label and no shear stress on it, of any shape: a far field, a "
                        "frictionless wall, a plane of symmetry oblique to the axes"),
    .priority = 3, .flags = RHX_TYPE_NORMAL, .shared = " type "};
