/* Quadrature points of the faces of the form's terms, as records for the device (RHX_FACE_POINT). */
#ifndef RHX_DEVICE_FACE_POINTS_H
#define RHX_DEVICE_FACE_POINTS_H
#include "device/device.h"
#include "form/form.h"

typedef struct {
  PetscInt n, nn; /* points; nodes of the parents */
  PetscInt *conn; /* [n][nn] local nodes of the parents; owned */
  void *point;    /* device: the records; the caller's */
} RhxFacePoints;

typedef PetscErrorCode (*RhxFacePointFn)(const RhxFaceGroup *, const RhxFaceTerm *, PetscInt group, PetscInt f,
                                         PetscInt q, void *);

/* Every quadrature point of the faces on cells of this type, always in the same order. moving: of those terms alone that depend
 * on the state. */
PetscErrorCode RhxFacePointsVisit(RhxForm form, DMPolytopeType type, PetscBool moving, RhxFacePointFn visit, void *ctx);
/* The points of RhxFacePointsVisit. */
PetscErrorCode RhxFacePointsCreate(RhxForm form, RhxDevice device, const RhxCells *cells, PetscBool moving,
                                   RhxFacePoints *points);

typedef enum { RHX_FACE_TRACTION, RHX_FACE_SLOPE } RhxFaceGiven;
/* to[n][size]: what the terms prescribe at the points of RhxFacePointsVisit (RhxFaceTerm), size components each; 0 where one gives none. */
PetscErrorCode RhxFacePointsGather(RhxForm form, DMPolytopeType type, PetscBool moving, RhxFaceGiven what,
                                   PetscInt size, PetscReal *to);

/* For nodes of faces their entries (point * nn + a), ascending; memory of the device. */
typedef struct {
  PetscInt n; /* nodes */
  void *node, *start, *entry;
} RhxFaceEntries;

PetscErrorCode RhxFaceEntriesCreate(RhxForm form, RhxDevice device, const RhxFacePoints *points, RhxFaceEntries *out);
PetscErrorCode RhxFaceEntriesDestroy(RhxDevice device, RhxFaceEntries *entries);
#endif
