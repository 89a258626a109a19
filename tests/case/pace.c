/* The time left by the last steps: a run that was slow and is fast, a rate that decays, and what is not known. */
#include "case/pace_impl.h"
#include <math.h>
#include <stdio.h>

static int faults;

static void near(const char *what, double got, double expected)
{
  if (fabs(got - expected) <= 1e-9 * fabs(expected)) return;
  printf("%s: got %.12g, expected %.12g\n", what, got, expected);
  faults++;
}

int main(void)
{
  RhxPace pace;
  double t = 100.0;

  RhxPaceBegin(&pace, t, 40);
  near("no step is done", RhxPaceOfSteps(&pace, 10), -1);
  for (int i = 1; i <= 20; i++) RhxPaceStep(&pace, t += 3.0, 40 + i, 7.0);
  near("slow", RhxPaceOfSteps(&pace, 10), 30);
  near("a rate that stays", RhxPaceOfDecay(&pace, 0.1), -1);
  for (int i = 1; i <= 60; i++) RhxPaceStep(&pace, t += 0.25, 60 + i, 7.0 * exp(-0.2 * 0.25 * i));
  near("fast", RhxPaceOfSteps(&pace, 10), 2.5);
  near("none is left", RhxPaceOfSteps(&pace, -0.5), 0);
  near("decay", RhxPaceOfDecay(&pace, 0.01), log(7.0 * exp(-0.2 * 15) / 0.01) / 0.2);
  near("reached", RhxPaceOfDecay(&pace, 1.0), -1);
  near("off", RhxPaceOfDecay(&pace, 0.0), -1);
  RhxPaceStep(&pace, t += 1.0, 121, 1e9);
  near("a rate that grows", RhxPaceOfDecay(&pace, 1.0), -1);
  RhxPaceBegin(&pace, t, 0);
  RhxPaceStep(&pace, t + 1.0, 1, 5.0);
  RhxPaceStep(&pace, t + 3.0, 2, 5.0 * exp(-0.3));
  near("two steps", RhxPaceOfSteps(&pace, 10), 15);
  near("decay of the first steps", RhxPaceOfDecay(&pace, 0.5), (log(10.0) - 0.3) / 0.1);
  return faults != 0;
}
