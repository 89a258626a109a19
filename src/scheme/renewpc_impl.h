/* The PC `renew`: any other one, set up anew when it is due (renew_impl.h), inside splits too. */
#ifndef RHX_RENEWPC_IMPL_H
#define RHX_RENEWPC_IMPL_H
#include <petscpc.h>

#define RHXPCRENEW "renew"

PetscErrorCode RhxRenewPCRegister(void);
/* Of the PC, or of those of its splits: which solve of its step comes, and the Courant number of that. */
PetscErrorCode RhxRenewPCPlace(PC pc, PetscInt place, double cfl);
PetscErrorCode RhxRenewPCSay(PC pc); /* a line each: set-ups, applications, seconds */
#endif
