/* Integrals and extreme values of fields over all nodes. */
#ifndef RHX_DIAGNOSTICS_NODAL_IMPL_H
#define RHX_DIAGNOSTICS_NODAL_IMPL_H
#include "diagnostics/sample_impl.h"

/* Of a component, over all ranks. */
typedef struct {
  double integral; /* by the lumped mass, which is the integral of N: of the field that is linear in elements */
  double value[2], at[2][3]; /* least and greatest nodal value, their places */
} RhxNodalTotal;

/* total[n] of m[n] of this rank's nodes. Collective. */
PetscErrorCode RhxNodalShare(RhxSpace space, PetscInt n, const RhxNodalMeasure *m, RhxNodalTotal *total);
/* total[sample->ncomponents] at the present state. Components of the state are reduced where it is; of other fields what they are made
 * from is fetched. Collective. */
PetscErrorCode RhxFieldSampleMeasure(RhxDiagnostic *d, RhxFieldSample *sample, RhxNodalTotal *total);
#endif
