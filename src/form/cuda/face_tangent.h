/* Derivatives of the form's face terms on a device, by their own text (kernels/face_tangent.cuh): what products and matrices of the
 * elements (product.h, matrix.h) take up. */
#ifndef RHX_DEVICE_FACE_TANGENT_H
#define RHX_DEVICE_FACE_TANGENT_H
#include "form/cuda/matrix_impl.h"

typedef struct _p_RhxFaceTangent *RhxFaceTangent;

/* Of terms that depend on the state. block and map NULL: of products; else of the matrix of these components, laid out by the map,
 * which is borrowed. Collective. */
PetscErrorCode RhxFaceTangentCreate(RhxForm form, RhxDevice device, PetscBool rate, PetscBool source,
                                    const RhxMatrixBlock *block, const RhxMatrixMap *map, RhxFaceTangent *ft);
PetscErrorCode RhxFaceTangentDestroy(RhxFaceTangent *ft);
/* r[nodes][bs] += the terms' part of RhxFormProductAdd. */
PetscErrorCode RhxFaceTangentProduct(RhxFaceTangent ft, const RhxMatrixPoint *at, const void *v, const void *a,
                                     void *r);
/* values += their part of the matrix; start: device, first block of every row. The same bits every time. */
PetscErrorCode RhxFaceTangentMatrix(RhxFaceTangent ft, const RhxMatrixPoint *at, const void *start, void *values);
/* The program of products or of a matrix for faces of cells of a type. */
PetscErrorCode RhxFaceTangentSource(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                    const RhxMatrixBlock *block, RhxDeviceSource *program);
#endif
