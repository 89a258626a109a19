/* Is a law what it says? Checks at a point, for parameters as they are; cheap enough for every set-up. */
#ifndef RHX_LAWCHECK_H
#define RHX_LAWCHECK_H
#include <petscsys.h>
#include <rheoplex/plugin.h>

/* A law with the parameters of one mode, of one dimension and tensor size. Borrowed. */
typedef struct {
  const RhxPlugin *law;
  const void *par;
  double slip; /* Gordon-Schowalter xi */
  PetscInt mode;
  int dim, ntens;
} RhxLawCase;

/* Error with one sentence (member, got, expected) at the first check that fails. hint: NULL, or a remark that is no fault.
 * Viscous: the viscosity is positive over twelve decades of the shear rate and does not change when the frame is turned.
 * Polymeric: properties are filled and positive; c = I is at rest; the linear spring is what it claims; eta_p, lambda and
 * the modulus of properties are those of small motions (unless RHX_OTHER_RESPONSE); c_zz = 1 stays so in plane flow (unless
 * RHX_OUT_OF_PLANE); rate, stress and properties turn with the frame. Not collective: the same on every rank. */
PetscErrorCode RhxLawCheck(MPI_Comm comm, const RhxLawCase *lc, size_t size, char *hint);
/* Of a polymeric law that passes RhxLawCheck: does its rate commute with c, as the equation of log c takes for granted? A slip that is written
 * into the rate, with D, does not. */
PetscErrorCode RhxLawCommutes(const RhxLawCase *lc, PetscBool *commutes);
/* Of a polymeric law that passes RhxLawCheck: rate, stress and properties are finite up to tr c = 1024. A run may never come there. */
PetscErrorCode RhxLawCheckFar(MPI_Comm comm, const RhxLawCase *lc);
#endif
