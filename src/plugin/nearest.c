/* "Did you mean": edit distance with swaps of neighbours. */
#include "plugin/option.h"
#include <string.h>

#define LONGEST 200

static int least(int a, int b, int c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }

/* Insertions, deletions, replacements and swaps from a to b. */
static int distance(const char *a, const char *b)
{
  static int row[3][LONGEST + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > LONGEST || nb > LONGEST) return na + nb;
  for (int j = 0; j <= nb; j++) row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      now[j] = least(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
        now[j] = before[j - 2] + 1;
    }
  }
  return row[na % 3][nb];
}

const char *RhxNearest(const char *name, PetscInt n, const char *const *names)
{
  const char *best = NULL;
  int length = (int)strlen(name), limit = length / 3 > 2 ? length / 3 : 2;
  for (PetscInt i = 0; i < n; i++) {
    int d = distance(name, names[i]);
    if (d > limit || d >= length) continue;
    best = names[i];
    limit = d - 1;
    if (d == 0) break;
  }
  return best;
}
