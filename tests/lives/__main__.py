"""Judges the forecast in several worlds: python -m tests.lives [--lives 1000] [--seeds 11 12] [--laws ...]"""

import argparse

import numpy as np

from tests.lives.fleet import LAWS, World
from tests.lives.judge import HEAD, Judge

parser = argparse.ArgumentParser()
parser.add_argument("--lives", type=int, default=1000)
parser.add_argument("--seeds", type=int, nargs="+", default=[11])
parser.add_argument("--laws", nargs="+", default=list(LAWS))
parser.add_argument("--moments", type=float, nargs="+", default=[0.0, 0.25, 0.5, 0.75, 1.0])
parser.add_argument("--true-life", type=float, default=0.8)
chosen = parser.parse_args()
for law in chosen.laws:
    for seed in chosen.seeds:
        judge = Judge(World(law, true_life=chosen.true_life, seed=seed), lives=chosen.lives)
        ends = judge.lives.end_hours
        found = judge.calibration
        print(f"\n{law}, seed {seed}: life {np.median(ends):.0f} h, variation {ends.std() / ends.mean():.2f}")
        print(f"  {found.failures} failed, {found.censored} censored; catalogue is off by {found.bias}")
        print("  " + ", ".join(f"{name} {weight:.2f}" for name, weight in found.weights.items()))
        print(f"  shape {found.shape}; severity {judge.prior.severity}")
        print(HEAD)
        for share in chosen.moments:
            print(judge.verdict(f"used life {share:g}", judge.at_used_life(share)).line(), flush=True)
        print(judge.verdict("half of the true life", judge.at_true_share(0.5)).line(), flush=True)
