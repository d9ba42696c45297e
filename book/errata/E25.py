"""E25: Figure 7, the sparse pattern of attention is said to freeze; its winners keep changing."""

import json
from pathlib import Path

table = Path(__file__).parents[1] / "data" / "figure_07.json"
runs = json.loads(table.read_text(encoding="utf-8"))["runs"]
last = [
    gap
    for run in runs
    if run["cell"] == "one layer"
    for gap in run["gaps"]
    if gap["iteration"] == 1500
]
mean = lambda name: sum(gap[name] for gap in last) / len(last)
print("WikiText-2, 8,000 types, one layer, iteration 1000 against 1500, mean over seeds:")
print(f"{mean('same_argmax'):.0%} of the queries keep their largest key")
print("l1 distance of a row to itself; printed: a frozen row does not move; corrected: all mass")
print("on one key, 2 for each query whose key has changed; measured: the distance itself")
print("printed 0")
print(f"corrected {2 * (1 - mean('same_argmax')):.12g}")
print(f"measured {mean('change'):.12g}")
