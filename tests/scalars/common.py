"""What the tests of scalar fields share: a creeping flow in solid-body rotation with a drift, which is exact in linear elements, so that the scalar alone is
computed; the manufactured concentration that it carries."""
import sympy as sp

X = sp.symbols("x y z")
T = sp.symbols("t")
RHO, D, DECAY, SUPPLY = 3.0, 0.3, 0.7, 0.4
LABELS = {2: ("left", "right", "bottom", "top"), 3: ("left", "right", "bottom", "top", "front", "back")}


def formula(expression):
    """A sympy expression in the formula language of rheoplex (muParser)."""
    return str(sp.N(expression, 17)).replace("**", "^").replace(" ", "")


def velocity(dim):
    x, y, z = X
    u = [-2.5 * (y - 0.4) + 0.6, 2.5 * (x - 0.5) - 0.3]
    return u if dim == 2 else [*u, sp.Float(0.8)]


def concentration(dim):
    x, y, z = X
    shape = sp.sin(2 * x + 1) * sp.cos(2 * y - sp.Rational(1, 2))
    return 2 + (1 + sp.sin(3 * T) / 2) * (shape if dim == 2 else shape * sp.cos(z + sp.Rational(3, 10)))


def source(dim, u, c, d=D, decay=DECAY, supply=SUPPLY):
    """What c_t + u.grad c = div(D grad c) + supply - decay c + source leaves."""
    x = X[:dim]
    return (sp.diff(c, T) + sum(u[i] * sp.diff(c, x[i]) for i in range(dim)) - sum(sp.diff(d * sp.diff(c, v), v) for v in x) - supply + decay * c)


def fluid(stabiliser="split_oss"):
    """`scalar` at the end: another stabiliser for the scalar than for the flow."""
    return ["-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.2, "-form_density", RHO, "-form_convection", "false", "-stabiliser", stabiliser,
            *(["-stabiliser_split_oss_parts", "momentum,pressure,tensor", "-stabiliser_gls_parts", "scalar"] if "gls" in stabiliser else []),
            "-physics_passive_diffusivity", D, "-physics_passive_decay", DECAY, "-physics_passive_supply", SUPPLY]


def carried(dim, value=None):
    """The velocity on the whole boundary and inside; value: of the concentration at the boundary, by sides."""
    u = ",".join(formula(v) for v in velocity(dim))
    words = ["-initial_velocity", " " + u]
    for label in LABELS[dim]:
        words += [f"-bc_{label}_type", "moving_wall", f"-bc_{label}_velocity", " " + u]
        if value:
            words += [f"-bc_{label}_concentration", value(label)]
    return words
