#include "boundary/types/shared.h"

const RhxConditionType RhxConditionType_symmetry = {
    RHX_CONDITION_ENTRY("symmetry", "plane of symmetry: normal velocity and shear components of the tensors are zero"),
    .priority = 3, .flags = RHX_TYPE_SYMMETRY, .shared = " type "};
