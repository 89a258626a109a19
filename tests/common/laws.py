"""Parameters that laws require, for tests to which any would do: none is 1, and modes differ."""
FIRST = {
    "newtonian": {"viscosity": 0.9},
    "carreau_yasuda": {"viscosity": 0.9, "lambda": 1.2, "n": 0.6},
    "cross": {"viscosity": 0.9, "lambda": 1.2, "m": 0.7},
    "power_law": {"consistency": 0.9, "n": 0.6, "viscosity_max": 800},
    "casson": {"viscosity": 0.9, "yield_stress": 0.8, "m": 100},
    "herschel_bulkley": {"consistency": 0.9, "n": 0.6, "yield_stress": 0.8, "m": 100, "viscosity_max": 800},
    "oldroydb": {"viscosity": 1.1, "lambda": 0.9},
    "ptt": {"viscosity": 1.1, "lambda": 0.9, "epsilon": 0.25},
    "giesekus": {"viscosity": 1.1, "lambda": 0.9, "alpha": 0.3},
    "fene_p": {"viscosity": 1.1, "lambda": 0.9, "L2": 90},
    "fene_cr": {"viscosity": 1.1, "lambda": 0.9, "L2": 90},
    "white_metzner": {"viscosity": 1.1, "lambda": 0.9, "time": 1.2, "n": 0.6},
    "johnson_segalman": {"viscosity": 1.1, "lambda": 0.9, "xi": 0.2},
}
POLYMERIC = ("oldroydb", "ptt", "giesekus", "fene_p", "fene_cr", "white_metzner", "johnson_segalman")
SECOND = {"viscosity": 0.7, "lambda": 1.3, "epsilon": 0.1, "alpha": 0.15, "L2": 60, "time": 0.8, "n": 0.7, "xi": 0.1}


def words(laws, modes=1):
    """Options of these laws (comma-separated); the polymeric ones take `modes` values of what has a second one."""
    options = []
    for law in laws.split(","):
        for name, value in FIRST[law].items():
            values = [value] + ([SECOND[name]] * (modes - 1) if law in POLYMERIC else [])
            options += [f"-physics_{law}_{name}", ",".join(map(str, values))]
    return options
