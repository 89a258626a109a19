# sh explain-plugin.sh <compiler> <arguments>: compiles a file of a plugin; where the compiler complains about a lane (RhxReal
# is a vector of doubles there), says what the dialect of point.h has in its place. Exit code and output are the compiler's.
text=$(mktemp) || exec "$@"
trap 'rm -f "$text"' EXIT
"$@" 2> "$text"
code=$?
cat "$text" >&2
[ $code -ne 0 ] || exit 0
say() { echo "rheoplex: $*" >&2; }
plain=$(sed 's/\x1b\[[0-9;]*[mK]//g' "$text")
if echo "$plain" | grep -Eq "used vector type where scalar is required|requires expression of scalar type|where arithmetic or pointer type is required|wrong type argument to unary exclamation|invalid argument type .*(RhxMask|RhxReal|vector)|used type .*(RhxMask|RhxReal|vector)"; then
  say "if, ?:, !, && and || do not take a RhxReal, each of whose lanes would have its own answer: write RHX_SELECT(RHX_LT(a, b), x, y) for a < b ? x : y, & and | between masks, and RHX_MAX, RHX_MIN, RHX_ABS"
fi
for name in $(echo "$plain" | sed -n "s/.*incompatible type for argument [0-9]* of .\([a-z0-9]*\).*/\1/p" | sort -u); do
  case $name in
    sqrt | exp | log | pow | tanh) say "$name() does not take a RhxReal: write RHX_$(echo $name | tr a-z A-Z)" ;;
    fabs | abs) say "$name() does not take a RhxReal: write RHX_ABS" ;;
    fmax) say "fmax() does not take a RhxReal: write RHX_MAX" ;;
    fmin) say "fmin() does not take a RhxReal: write RHX_MIN" ;;
    *) say "$name() does not take a RhxReal: of mathematics there are RHX_SQRT, RHX_EXP, RHX_LOG, RHX_POW, RHX_TANH, RHX_ABS, RHX_MAX and RHX_MIN" ;;
  esac
done
if echo "$plain" | grep -Eq "passing .*to parameter of incompatible type 'double'"; then
  say "functions of <math.h> do not take a RhxReal: write RHX_SQRT, RHX_EXP, RHX_LOG, RHX_POW, RHX_TANH, RHX_ABS, RHX_MAX, RHX_MIN"
fi
if echo "$plain" | grep -Eq "initializing type .const char \*. using type|initializing 'const char \*(const)?' with an expression of incompatible type|cannot convert .(double|int). to .const char ?\*|invalid conversion from .int. to .const char ?\*"; then
  say "the default of a parameter is text, as a user writes it: \"0.1\", or RHX_REQUIRED"
fi
exit $code
