#!/usr/bin/env python3
"""Fits the polynomials of compiler/target/common (ExpLog.cpp, Trig.cpp, TanhErf.cpp, Pow.cpp) and prints them.

Each is a weighted least-squares fit on Chebyshev nodes, close to minimax; its coefficients are rounded to the type one after
the other, the rest fitted again each time, so that the roundings compensate. Needs mpmath. Run it to see where a number comes
from or to change a degree; the sources hold its output.
"""
import sys
from mpmath import mp, mpf, mpf as M, matrix, qr_solve, cos, pi, exp, log, erf, erfc, sin, sqrt, ldexp, frexp, inf

mp.dps = 50


def rounded(v, bits):
    if v == 0:
        return v
    m, e = frexp(v)
    return ldexp(mp.nint(ldexp(m, bits)), e - bits)


def fit(q, degree, lo, hi, weight, bits, nodes=None):
    """Coefficients c0.. of sum c_i x^i ~ q(x) on [lo, hi], error weighted by weight(x), each a number of `bits` bits."""
    n = nodes or 4 * (degree + 1)
    xs = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    target = [q(x) for x in xs]
    w = [weight(x) for x in xs]
    done = []
    for first in range(degree + 1):
        a = matrix(n, degree + 1 - first)
        r = matrix(n, 1)
        for i, x in enumerate(xs):
            for j in range(first, degree + 1):
                a[i, j - first] = w[i] * x ** j
            r[i] = w[i] * (target[i] - sum(c * x ** k for k, c in enumerate(done)))
        solution, _ = qr_solve(a, r)
        done.append(rounded(solution[0], bits))
    worst = max(abs(w[i] * (target[i] - sum(c * x ** k for k, c in enumerate(done)))) for i, x in enumerate(xs))
    return done, worst


def show(name, result, bits):
    coefficients, worst = result
    print(f"// {name}: error 2^{float(mp.log(worst, 2)):.1f}")
    text = ", ".join(float(c).hex() if bits == 53 else float(c).hex().replace("0000000p", "p") for c in coefficients)
    print("{" + text + "}\n", flush=True)


def around_zero(f, series):
    """f with its removable singularity at 0 filled in."""
    return lambda x: series if abs(x) < mpf(10) ** -20 else f(x)


ln2h = log(2) / 2 * M("1.01")
third = M(1) / 3
root2 = (sqrt(2) - 1) / (sqrt(2) + 1) * M("1.001")
quarter = pi / 4 * M("1.001")
expm1 = lambda x: mp.expm1(x)


def exp_tail(degree, bits):
    return fit(around_zero(lambda r: (mp.expm1(r) - r) / r ** 2, M(1) / 2), degree, -ln2h, ln2h, lambda r: abs(r) + mpf(10) ** -9, bits)


def exp2_tail(degree, bits):
    return fit(around_zero(lambda r: mp.expm1(r * log(2)) / r, log(2)), degree, -M(1) / 2, M(1) / 2, lambda r: abs(r) + M("0.01"), bits)


def atanh_tail(degree, bits):
    """2 atanh(s) = 2 s + s^3 (2/3 + s^2 q(s^2)); q, against its part of the result."""
    f = lambda z: ((2 * mp.atanh(sqrt(z)) - 2 * sqrt(z)) / (sqrt(z) * z) - M(2) / 3) / z
    return fit(lambda z: f(z) if z > mpf(10) ** -12 else M(2) / 5 + M(2) / 7 * z, degree, M(0), root2 ** 2, lambda z: z * z / 2 + mpf(10) ** -9, bits)


def erf_small(degree, bits, hi):
    return fit(lambda z: erf(sqrt(z)) / sqrt(z) - 1 if z > mpf(10) ** -30 else 2 / sqrt(pi) - 1, degree, M(0), hi ** 2, lambda z: M(1), bits)


def sin_tail(degree, bits):
    f = lambda z: (sin(sqrt(z)) - sqrt(z)) / (sqrt(z) * z)
    return fit(lambda z: f(z) if z > mpf(10) ** -15 else -M(1) / 6 + z / 120, degree, M(0), quarter ** 2, lambda z: z + mpf(10) ** -6, bits)


def cos_tail(degree, bits):
    """cos = 1 - z/2 + z^2 q(z)"""
    f = lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2
    return fit(lambda z: f(z) if z > mpf(10) ** -15 else M(1) / 24 - z / 720, degree, M(0), quarter ** 2, lambda z: z * z + mpf(10) ** -6, bits)


wanted = sys.argv[1:]


def section(name, make, bits):
    if not wanted or any(w in name for w in wanted):
        show(name, make(), bits)


section("f32 exp tail: e^r = 1 + r + r^2 q(r)", lambda: exp_tail(4, 24), 24)
section("f32 exp2: 2^r = 1 + r q(r)", lambda: exp2_tail(5, 24), 24)
section("f32 log: log(1+f) = f + f^2 q(f)", lambda: fit(
    around_zero(lambda f: (mp.log1p(f) - f) / f ** 2, -M(1) / 2), 8, -third, third, lambda f: abs(f) + M("1e-3"), 24), 24)
section("f32 log2: log2(1+f) = f log2(e) + f^2 q(f)", lambda: fit(
    around_zero(lambda f: (mp.log1p(f) / log(2) - f / log(2)) / f ** 2, -M(1) / 2 / log(2)), 8, -third, third, lambda f: abs(f) + M("1e-3"), 24), 24)
section("f32 erf small: erf(x) = x + x q(x^2), x <= 1", lambda: erf_small(6, 24, M("1.0")), 24)
section("f32 erf large: -log(erfc(t)), t in [0.99, 4]", lambda: fit(
    lambda t: -log(erfc(t)), 6, M("0.99"), M("4.0"), lambda t: erfc(t), 24), 24)
section("f32 sin: sin r = r + r^3 q(r^2)", lambda: sin_tail(2, 24), 24)
section("f32 cos: cos r = 1 - z/2 + z^2 q(z)", lambda: cos_tail(2, 24), 24)
section("f32 pow: atanh tail", lambda: atanh_tail(2, 24), 24)
section("f64 exp tail", lambda: exp_tail(10, 53), 53)
section("f64 exp2", lambda: exp2_tail(11, 53), 53)
section("f64 atanh tail", lambda: atanh_tail(7, 53), 53)
section("f64 erf small, x <= 1", lambda: erf_small(13, 53, M("1.0")), 53)
K = M("3.0")


def erfcx_of_t(t):
    x = K * (1 + t) / (1 - t)
    return exp(x * x) * erfc(x) * (1 + 2 * x)


section("f64 erf large: erfc(x) e^(x^2) (1 + 2x) as a polynomial of (x - 3)/(x + 3), x in [0.99, 6]", lambda: fit(
    erfcx_of_t, 17, (M("0.99") - K) / (M("0.99") + K), (6 - K) / (6 + K),
    lambda t: M(1), 53), 53)
section("f64 sin", lambda: sin_tail(5, 53), 53)
section("f64 cos", lambda: cos_tail(5, 53), 53)
