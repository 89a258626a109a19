#include "case/pace_impl.h"
#include <math.h>

void RhxPaceBegin(RhxPace *pace, double seconds, double step)
{
  pace->now = (RhxPaceMark){.seconds = seconds, .steps = step, .rate = 0.0};
  pace->mark[0] = pace->mark[1] = pace->now;
}

void RhxPaceStep(RhxPace *pace, double seconds, double step, double rate)
{
  pace->now = (RhxPaceMark){.seconds = seconds, .steps = step, .rate = rate};
  for (int i = 0; i < 2; i++)
    if (!(pace->mark[i].rate > 0)) pace->mark[i].rate = rate; /* a run begins without one */
  if (!(seconds - pace->mark[1].seconds >= RHX_PACE_WINDOW)) return;
  pace->mark[0] = pace->mark[1];
  pace->mark[1] = pace->now;
}

double RhxPaceOfSteps(const RhxPace *pace, double steps)
{
  const double done = pace->now.steps - pace->mark[0].steps;

  return done > 0 ? (pace->now.seconds - pace->mark[0].seconds) / done * PetscMax(steps, 0.0) : -1.0;
}

double RhxPaceOfDecay(const RhxPace *pace, double tol)
{
  const RhxPaceMark *a = &pace->mark[0], *b = &pace->now;

  if (!(tol > 0 && b->rate > tol && a->rate > b->rate && b->seconds > a->seconds)) return -1.0;
  return log(b->rate / tol) / log(a->rate / b->rate) * (b->seconds - a->seconds);
}
