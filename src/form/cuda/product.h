/* Products with the derivatives of the form on a device, without a matrix. Sums over this rank's elements, in the order of
 * their colours, and its faces: the same bits every time. Memory of nodes is the device's, owned nodes and ghosts. */
#ifndef RHX_DEVICE_PRODUCT_H
#define RHX_DEVICE_PRODUCT_H
#include "form/cuda/matrix.h"

typedef struct _p_RhxFormProduct *RhxFormProduct;

/* source: whether the points have one. Collective. */
PetscErrorCode RhxFormProductCreate(RhxForm form, RhxDevice device, PetscBool source, RhxFormProduct *p);
PetscErrorCode RhxFormProductDestroy(RhxFormProduct *p);
/* r[nodes][bs] += dR/dx v + shift (M + dR/dx_t) v + dR/da a, v[nodes][bs], a[nodes][naux] or NULL: zero. */
PetscErrorCode RhxFormProductAdd(RhxFormProduct p, const RhxMatrixPoint *at, const void *v, const void *a, void *r);
/* a[nodes][naux] += scale (integral of N times the projected values)' v; scale[nodes] or NULL: 1 */
PetscErrorCode RhxFormProductProject(RhxFormProduct p, const RhxMatrixPoint *at, const void *scale, const void *v,
                                     void *a);
/* r[nodes][bs] += factor M v */
PetscErrorCode RhxFormProductMass(RhxFormProduct p, double factor, const void *v, void *r);
/* The program for one cell type without a device, for the compiler alone. Collective. */
PetscErrorCode RhxFormProductCompile(RhxForm form, const RhxCells *cells, const char *arch, RhxDeviceBinary *binary);
#endif
