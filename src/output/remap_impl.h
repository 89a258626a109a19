/* A state on another mesh at the nodes of a form's. */
#ifndef RHX_OUTPUT_REMAP_IMPL_H
#define RHX_OUTPUT_REMAP_IMPL_H
#include "form/form.h"
#include "space/locate.h"

typedef struct RhxRemap {
  RhxForm form;      /* at whose nodes */
  RhxSpace from;     /* of the other mesh, owned */
  RhxPlaces *places; /* [nodes of all ranks, by global number] in it */
  PetscInt noutside; /* nodes outside the other mesh, which take the values of its nearest node */
} RhxRemap;

PetscErrorCode RhxRemapCreate(RhxForm form, RhxMesh mesh, RhxRemap *remap);
PetscErrorCode RhxRemapDestroy(RhxRemap *remap);
/* to, of the form's space, from x of the other one, both of block size bs. Collective. */
PetscErrorCode RhxRemapApply(const RhxRemap *remap, PetscInt bs, Vec x, Vec to);
#endif
