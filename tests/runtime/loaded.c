// Compiled to an object that the loader's test loads: a constant table, data, a call outside.
#include <string.h>
static const float table[4] = {1, 2, 3, 4};
static long counter[4];
long bump(long i) { return ++counter[i & 3]; }
float pick(int i) { return table[i & 3]; }
int copy(char *d, const char *s, long n) {
  memcpy(d, s, n);
  return 7;
}
