/* What is shown of a state: named fields at the points of a rank's piece of the mesh. */
#ifndef RHX_OUTPUT_FIELDS_IMPL_H
#define RHX_OUTPUT_FIELDS_IMPL_H
#include "output/quantity.h"
#include "output/vtu.h"

typedef struct RhxPointFields_s *RhxPointFields;
struct RhxPointFields_s {
  RhxForm form; /* borrowed, as vtu */
  RhxVtu *vtu;
  RhxQuantities *all;
  PetscInt n, *which; /* [n] numbers in all */
  RhxVtuField *field; /* [n] */
  double dt;          /* of the last step, which `cfl` asks for, s */
  PetscScalar *x, *L; /* [nlocal][bs] between Gather and Release; [nlocal][dim][dim] grad u, where it is wanted */
  double *nodal;      /* [nlocal][6] room */
};

PetscErrorCode RhxPointFieldsCreate(RhxForm form, RhxVtu *vtu, RhxPointFields *fields);
/* Other fields than `default`: names as of -output_fields; an unknown one is an error of this option. Collective. */
PetscErrorCode RhxPointFieldsSelect(RhxPointFields fields, const char *option, const char *names);
PetscErrorCode RhxPointFieldsDestroy(RhxPointFields *fields);
/* Components [*first, *end) of the state's node block that the wanted fields are made from (first = end: none). wanted: [n], or
 * NULL: all. */
void RhxPointFieldsRange(RhxPointFields fields, const PetscBool *wanted, PetscInt *first, PetscInt *end);
/* Takes the state x, of which only the components of that range are read; then Fill writes values[points or cells][components]
 * of a wanted field (ctx: the RhxPointFields). Collective. */
PetscErrorCode RhxPointFieldsGather(RhxPointFields fields, const PetscBool *wanted, Vec x);
PetscErrorCode RhxPointFieldsFill(void *ctx, PetscInt field, double *values);
PetscErrorCode RhxPointFieldsRelease(RhxPointFields fields);
#endif
