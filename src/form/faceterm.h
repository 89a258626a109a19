/* What boundary hands the form: terms of faces, the nodes of open ones, sources. */
#ifndef RHX_FACE_TERM_H
#define RHX_FACE_TERM_H
#include "form/ask.h"
#include "space/space.h"

/* A face term over the faces of a label, set by boundary. */
typedef struct {
  const RhxFaces *faces;
  int form;             /* RHX_FACE_... of kernels/pass.h */
  double backflow;      /* share of the momentum flux that is taken from flow that comes back in */
  PetscReal **traction; /* per face group [ngroups][nfq][dim][RHX_LANES] prescribed traction (Pa), or NULL: f0u -= it */
  PetscReal *
      *slope; /* [ngroups][nfq][dim][dim][RHX_LANES] its derivative with respect to the velocity there, or NULL: 0 */
} RhxFaceTerm;

/* Owned nodes where the pressure is given by the traction alone: integral N n over the faces of all ranks, and what the
 * matrix of the pressure has more on its diagonal: 2 |integral N n|^2 / integral N, of which half would be no bound of
 * (D M^-1 D^T)/2, beyond which the projection amplifies what it ought to remove. */
typedef struct {
  PetscInt n, nall, *node;
  PetscReal *normal, *diagonal; /* [n][dim], [n] */
  PetscReal *rise; /* [n] what the pressure behind the face rises by with the next pressure, Pa; NULL: nowhere */
} RhxOpenNodes;

/* Error where there are as many as a form can have. Of slopes that have changed, whoever keeps copies is told by form->slopes. */
PetscErrorCode RhxFormAddFaceTerm(RhxForm form, const RhxFaceTerm *term);
PetscErrorCode RhxFormSlopesChanged(RhxForm form);
PetscErrorCode RhxFormDropFaceTerms(RhxForm form); /* what is left is the share of the elements */
/* From now on there are sources of every row (body force in the velocity rows), and prescribed fluxes, each rank's part: [nlocal][bs],
 * zeros that are the form's, to be filled. */
PetscErrorCode RhxFormNeedSource(RhxForm form, PetscScalar **source);
PetscErrorCode RhxFormNeedLoad(RhxForm form, PetscScalar **load);
RhxOpenNodes *RhxFormGetOpenNodes(RhxForm form); /* the form's, to be filled; it frees the arrays */

#endif
