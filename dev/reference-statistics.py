#!/usr/bin/env python3
"""Writes crates/model/tests/reference-statistics.json: what numpy and scipy make of a few samples.

The table is committed and the tests read it, so they need neither Python nor a network. To write
it again (the versions are part of the file, and the tests do not depend on them):

    python3 -m venv target/reference
    target/reference/bin/pip install numpy==2.4.6 scipy==1.17.1
    target/reference/bin/python dev/reference-statistics.py

Nothing here follows toll's own derivation: the interval of an odd sample is taken from the
incomplete beta function, that of an even sample from the joint distribution of the two middle
order statistics, summed over all pairs of ranks without any shortcut.
"""

import json
import pathlib
import platform

import numpy as np
import scipy
from scipy import special, stats

TABLE = pathlib.Path(__file__).parent.parent / "crates/model/tests/reference-statistics.json"
TAIL = 0.025


def ideal_bootstrap(samples):
    """Values and probabilities of the median over all n^n resamples."""
    x = np.sort(samples)
    n = len(x)
    i = np.arange(0, n + 1)
    if n % 2:
        k = (n + 1) // 2
        return x, np.diff(special.betainc(k, n - k + 1, i / n))
    m = n // 2
    # joint[a, b] = P(the m-th draw in order has rank <= a and the (m+1)-th has rank <= b).
    joint = np.zeros((n + 1, n + 1))
    for a in range(1, n + 1):
        draws = np.arange(m, n + 1)
        chance = stats.binom.pmf(draws, n, a / n)
        for b in range(a, n + 1):
            of_rest = (b - a) / (n - a) if b > a else 0.0
            joint[a, b] = np.sum(chance * stats.binom.sf(m - draws, n - draws, of_rest))
        joint[a, :a] = np.diag(joint)[:a]  # the (m+1)-th never comes before the m-th
    chances = np.diff(np.diff(joint, axis=0), axis=1)
    return ((x[:, None] + x[None, :]) / 2).ravel(), chances.ravel()


def percentile_interval(values, chances):
    """Smallest v with P(<= v) >= TAIL, and its mirror image."""
    assert abs(chances.sum() - 1) < 1e-9 and chances.min() > -1e-12, "not a distribution"
    order = np.argsort(values, kind="stable")
    values, chances = values[order], chances[order]
    distinct = np.unique(values)
    each = np.array([chances[values == v].sum() for v in distinct])
    up, down = np.cumsum(each), np.cumsum(each[::-1])[::-1]
    # A sum this close to the tail could fall on either side by rounding: choose other samples.
    assert min(np.abs(up - TAIL).min(), np.abs(down - TAIL).min()) > 1e-9
    return [distinct[up >= TAIL][0], distinct[down >= TAIL][-1]]


def one_sample(name, samples):
    percents = [0, 1, 12.5, 25, 50, 75, 90, 99, 99.9, 100]
    case = {
        "name": name,
        "samples": samples.tolist(),
        "median": float(np.median(samples)),
        "percentiles": [[p, float(np.percentile(samples, p))] for p in percents],
    }
    if len(samples) > 1:
        case["median_ci95"] = [float(v) for v in percentile_interval(*ideal_bootstrap(samples))]
    return case


def two_samples(name, a, b, method):
    test = stats.mannwhitneyu(a, b, alternative="two-sided", method=method)
    outcome = {"u": float(test.statistic), "p": float(test.pvalue)}
    return {"name": name, "a": a.tolist(), "b": b.tolist(), **outcome}


def bootstrapped(name, a, b, statistic, paired):
    def of_medians(a, b, axis):
        a, b = np.median(a, axis=axis), np.median(b, axis=axis)
        return a - b if statistic == "difference" else a / b

    interval = stats.bootstrap(
        (a, b), of_medians, n_resamples=100_000, paired=paired, method="percentile",
        vectorized=True, batch=2_000, rng=np.random.default_rng(20),
    ).confidence_interval
    return {
        "name": name, "a": a.tolist(), "b": b.tolist(), "statistic": statistic, "paired": paired,
        "ci95": [float(interval.low), float(interval.high)],
    }


def main():
    rng = np.random.default_rng(19)
    blocks = lambda n: np.round(22 + rng.exponential(0.3, n) + 9 * (rng.random(n) < 0.05), 3)
    singles = [one_sample("one", np.array([22.25]))]
    for n in (2, 3, 4, 5, 6, 9, 10, 31, 32, 80, 101):
        singles.append(one_sample(f"blocks {n}", blocks(n)))
    singles.append(one_sample("lognormal 60", np.round(rng.lognormal(0, 2, 60), 6)))
    singles.append(one_sample("lognormal 75", np.round(rng.lognormal(0, 2, 75), 6)))
    singles.append(one_sample("tied 40", rng.integers(0, 6, 40).astype(float)))
    singles.append(one_sample("tied 41", rng.integers(0, 6, 41).astype(float)))
    singles.append(one_sample("negative 50", np.round(rng.normal(-3, 5, 50), 4)))

    normal = lambda n, at: np.round(rng.normal(at, 1, n), 4)
    ints = lambda n, top: rng.integers(0, top, n).astype(float)
    splits = stats.PermutationMethod(n_resamples=np.inf)
    pairs = [
        two_samples("3 and 4, exact", normal(3, 0), normal(4, 1), "exact"),
        two_samples("12 and 9, exact", normal(12, 0), normal(9, 0.8), "exact"),
        two_samples("20 and 20, exact", normal(20, 0), normal(20, 0.5), "exact"),
        two_samples("7 and 7, tied, every split", ints(7, 5), ints(7, 5) + 1, splits),
        two_samples("30 and 50, limit", normal(30, 0), normal(50, 0.4), "asymptotic"),
        two_samples("40 and 41, tied, limit", ints(40, 8), ints(41, 8) + 1, "asymptotic"),
        two_samples("200 and 300, far apart", normal(200, 0), normal(300, 1), "asymptotic"),
    ]

    drift = np.cumsum(rng.normal(0, 0.2, 201))
    a, b = (np.round(at + drift + rng.exponential(0.3, 201), 4) for at in (26, 22))
    skewed_a, skewed_b = (np.round(rng.lognormal(at, 0.5, n), 4) for at, n in ((1, 180), (0.5, 151)))
    bootstraps = [
        bootstrapped("independent difference", skewed_a, skewed_b, "difference", False),
        bootstrapped("independent ratio", skewed_a, skewed_b, "ratio", False),
        bootstrapped("paired difference", a, b, "difference", True),
        bootstrapped("paired ratio", a, b, "ratio", True),
    ]
    table = {
        "written_by": "dev/reference-statistics.py",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "one_sample": singles,
        "mann_whitney": pairs,
        "bootstraps": bootstraps,
    }
    cases = lambda key: ",\n".join("    " + json.dumps(case) for case in table[key])
    lines = [
        f'  "{key}": ' + (json.dumps(value) if isinstance(value, str) else f"[\n{cases(key)}\n  ]")
        for key, value in table.items()
    ]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
