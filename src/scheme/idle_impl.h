/* Options of PETSc that a scheme with a Newton's method would read to no effect, or to none that is wanted. */
#ifndef RHX_SCHEME_IDLE_IMPL_H
#define RHX_SCHEME_IDLE_IMPL_H
#include "scheme/type_impl.h"

/* Each of them is an error, numbers of -pc_renew's other rules a warning. Collective. */
PetscErrorCode RhxIdleOptionsCheck(MPI_Comm comm, const RhxSchemeType *type);
#endif
