/* Rheometer: laws in homogeneous flows, without a mesh. */
#ifndef RHX_APP_RHEOMETER_H
#define RHX_APP_RHEOMETER_H
#include "form/form.h"
#include "law/pointlaw.h"

typedef enum {
  RHX_PROTOCOL_STEADY,
  RHX_PROTOCOL_STARTUP,
  RHX_PROTOCOL_CESSATION,
  RHX_PROTOCOL_RELAXATION,
  RHX_PROTOCOL_SAOS,
  RHX_PROTOCOL_LAOS
} RhxProtocol;
typedef enum { RHX_FLOW_SHEAR, RHX_FLOW_UNIAXIAL, RHX_FLOW_BIAXIAL, RHX_FLOW_PLANAR } RhxFlow;

typedef struct {
  RhxForm form; /* the laws, their modes and parameters; owned */
  RhxProtocol protocol;
  RhxFlow flow;
  double tolerance;
  double unit[9]; /* velocity gradient at rate 1 */
} RhxRheometer;

/* A conformation a mode, one after the other. */
typedef double RhxRheometerState[6 * RHX_MAX_MODES];

/* The verb: law[,law] takes the place of -physics. */
PetscErrorCode RhxAppRheometer(const char *laws);
PetscErrorCode RhxAppRheometerRegisterOptions(void);

/* c = I in every mode. */
void RhxRheometerRest(const RhxRheometer *rm, double *c);
/* c after a sudden strain: F F^T, F = exp(strain (L - xi D)) with L the unit gradient. */
void RhxRheometerStrain(const RhxRheometer *rm, double strain, double *c);
/* Steady states at a rate; c: in, those at the rate `from`. *found: false where a mode has none, *reached: the rate it has. */
PetscErrorCode RhxRheometerSteady(const RhxRheometer *rm, double from, double rate, double *c, PetscBool *found,
                                  double *reached);
/* Moves c over the times t[n], t[0] being its own, with the rate rate * cos(frequency t); calls record (or NULL) at each. */
typedef PetscErrorCode (*RhxRecordFn)(const RhxRheometer *rm, double t, double rate, const double *c, void *ctx);
PetscErrorCode RhxRheometerIntegrate(const RhxRheometer *rm, double rate, double frequency, PetscInt n, const double *t,
                                     double *c, RhxRecordFn record, void *ctx);
/* Storage and loss modulus, Pa: the laws linearised about rest, exactly. */
PetscErrorCode RhxRheometerModuli(const RhxRheometer *rm, double frequency, double *storage, double *loss);
/* Total stress, polymers and solvent: xx yy zz yz xz xy. */
void RhxRheometerStress(const RhxRheometer *rm, double rate, const double *c, double *tau);
/* Longest relaxation time at rest; 0 without modes. */
double RhxRheometerLongest(const RhxRheometer *rm);
#endif
