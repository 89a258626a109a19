/* The numbers of a step in the memory of a device: kernels read them there and are given none, so that a step that was recorded once is
 * that of every dt. The host writes them before a step begins; what is of a stage the first kernel of the stage sets. */
#ifndef RHX_KERNELS_CLOCK_H
#define RHX_KERNELS_CLOCK_H
#include <kernels/dialect.h>

/* What passes over the elements read. */
typedef struct {
  double t, dt;
} RhxTime;
RHX_SIZE_IS(RhxTime, 16);

typedef struct {
  RhxTime stage; /* t of its rates, and the part of the step that they are taken for */
  RhxTime step;
  double follow; /* time that tracked subscales follow for, s: dt, or infinite before the first step */
  double lead,
      late; /* of implicit momentum: its rate at the end is lead times that of the step less late times that before it */
  double kept;  /* s: times the last rate of the pressure, the increment that tracked subscales begin with */
  double known; /* s: length of the step before, whose subscales are known; 0: they are not */
  double share; /* of what the balance of that step lacked, what this one takes over; 0: nothing is known of it */
  double
      bend; /* s: times the change of the velocity's rate in the step before, what `bend` adds to a predicted velocity */
} RhxClock;
RHX_SIZE_IS(RhxClock, 88);
#define RHX_CLOCK_DOUBLES 11
#endif
