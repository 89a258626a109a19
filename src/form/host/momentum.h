/* The scalar matrix of implicit momentum, which all components of the velocity share:
 *   A = m M + C(u) + K + S(u),  C = (w, rho a u.grad), K = (grad w, eta_s grad), S = (u.grad w, s a u.grad)
 * M consistent, s what the stabilisers weight the convection with (RhxDiffusion.streamline). K has 1.5 eta_s where what is
 * extrapolated beside it asks for that (form/implicit_impl.h). The radial component of axisymmetric flow has beside it the hoop
 * H = (w_r/r, eta_s u_r/r) with the eta_s of K, lumped by rows, which makes it no smaller. Host. */
#ifndef RHX_FORM_MOMENTUM_H
#define RHX_FORM_MOMENTUM_H
#include "form/form.h"

typedef struct _p_RhxMomentumMatrix *RhxMomentumMatrix;

PetscErrorCode RhxMomentumMatrixCreate(RhxForm form, RhxMomentumMatrix *matrix);
PetscErrorCode RhxMomentumMatrixDestroy(RhxMomentumMatrix *matrix);
/* A at the flow x[nlocal][bs], with its projections aux[nlocal][naux]; mass: m, kg/(m^3 s). Collective. */
PetscErrorCode RhxMomentumMatrixAssemble(RhxMomentumMatrix matrix, double t, double dt, double mass,
                                         const PetscScalar *x, const PetscScalar *aux);
/* Instead of it that of implicit transport of a mode's components, m in 1/s:
 *   A = m M + (w, u.grad) + (w, a) + S(u),
 * a the rate of relaxation and s of S by kernels/transport.h; inward[nowned]: added to the diagonal, or NULL. Collective. */
PetscErrorCode RhxMomentumMatrixAssembleMode(RhxMomentumMatrix matrix, PetscInt mode, double t, double dt, double mass,
                                             const PetscScalar *x, const PetscScalar *aux, const PetscScalar *inward);
/* A of the last assembly, rows of global nodes, and the diagonal H[nowned], NULL where flow is not axisymmetric; borrowed. */
PetscErrorCode RhxMomentumMatrixGet(RhxMomentumMatrix matrix, Mat *A, const PetscScalar **hoop);
#endif
