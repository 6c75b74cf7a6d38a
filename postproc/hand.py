#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold the loads of a wall against the hand formulas of silo design: Janssen in the bin, Walker in the hopper.

    hand.py RESULT [--probe NAME] [--angle DEGREES]

RESULT is the directory of a run with a probe wall_load. Angle: of internal friction, by default that of the material in
the plane or in compression. Walker's ratio of the normal stress to the mean vertical stress is that of EN 1991-4, steep
hoppers in discharge: both stresses of Mohr's circle at a wall that slides, the greater one across.
"""
import argparse
import csv
import json
import math
import os

VERTICAL, STEEP = 0.05, 0.866  # sine of the angle with the vertical: of a bin, and of a floor


def read(result, probe):
    for name in ("summary.json", os.path.join("profiles", probe + ".csv")):
        if not os.path.exists(os.path.join(result, name)):
            raise SystemExit(f"hand.py: error: '{result}' has no {name}: a run with a probe wall_load, whose name is --probe")
    with open(os.path.join(result, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    with open(os.path.join(result, "profiles", probe + ".csv"), encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
    if "s" not in rows[0]:
        raise SystemExit("hand.py: a wall of the plane, or about an axis")
    first, up = list(rows[0])[1:3]  # x, y, or r, z
    return summary, [{**row, "x": row[first], "y": row[up]} for row in rows]


def parts(rows):
    """Rows in straight pieces of the wall: (sine of the angle with the vertical, rows)."""
    pieces = []
    for a, b in zip(rows, rows[1:]):
        length = math.hypot(b["x"] - a["x"], b["y"] - a["y"])
        sine = (b["x"] - a["x"]) / length if length else math.nan
        if pieces and abs(pieces[-1][0] - sine) < 1e-3:
            pieces[-1][1].append(b)
        elif length:
            pieces.append((sine, [a, b]))
    return pieces


def mobilised(rows):
    """Friction of the wall, from rows that slide."""
    sliding = [abs(row["shear"]) / row["normal"] for row in rows if row["mobilised"] > 0.98 and row["normal"] > 0]
    return sorted(sliding)[len(sliding) // 2] if sliding else math.nan


def walker_ratio(phi, mu, beta):
    """F = p_n / p_v."""
    wall = math.atan(mu)
    if math.sin(wall) > math.sin(phi):
        return math.nan  # the wall is rougher than the grains
    e = wall + math.asin(math.sin(wall) / math.sin(phi))
    return (1 + math.sin(phi) * math.cos(e)) / (1 - math.sin(phi) * math.cos(2 * beta + e))


def walker(x, h, top, F, mu, beta, S, g=1.0):
    """p_n of Walker's slices, x from the apex."""
    n = S * (F * (1 + mu / math.tan(beta)) - 1)
    p = top * (x / h) ** n
    if abs(n - 1) < 1e-9:
        return F * (p + g * x * math.log(h / x))
    return F * (p + g * h / (n - 1) * (x / h - (x / h) ** n))


def rms(pairs):
    return math.sqrt(sum((a - b) ** 2 for a, b in pairs) / len(pairs)) / (sum(b for _, b in pairs) / len(pairs))


def bin_of(rows, load):
    rows = rows[1:-1]  # ends of the wall see half a side
    print(f"bin            K = {load['K']:.4f}, wall friction {mobilised(rows):.4f} mobilised; "
          f"rms off Janssen's curve {100 * rms([(r['normal'], r['janssen']) for r in rows]):.1f} %")
    for row in rows[:: max(1, len(rows) // 4)]:
        print(f"  height {row['y']:8.3f}   p_h = {row['normal']:.4f}, Janssen {row['janssen']:.4f} "
              f"({100 * (row['normal'] / row['janssen'] - 1):+.1f} %), p_v = {row['vertical']:.4f}")


def hopper_of(rows, sine, phi, S):
    """Rows from below to above."""
    rows = sorted(rows, key=lambda row: row["y"])
    beta, mu = math.asin(abs(sine)), mobilised(rows)
    apex = rows[0]["y"] - rows[0]["x"] / math.tan(beta)
    inner = rows[1:-1]
    top = inner[-1]
    own = sum(r["normal"] * r["vertical"] for r in inner) / sum(r["vertical"] ** 2 for r in inner)
    given = walker_ratio(phi, mu, beta)
    print(f"hopper         {math.degrees(beta):.1f} degrees, wall friction {mu:.4f} mobilised; F = p_n/p_v = {own:.4f}, "
          f"Walker's {given:.4f}")
    for name, F in (("F of Walker", given), ("F computed", own)):
        if math.isnan(F):
            continue
        curve = [(r, walker(r["y"] - apex, top["y"] - apex, top["vertical"], F, mu, beta, S)) for r in inner]
        print(f"  {name}: rms off Walker's curve {100 * rms([(r['normal'], p) for r, p in curve]):.1f} %")
        for row, p in curve[:: max(1, len(curve) // 4)]:
            print(f"    height {row['y']:8.3f}   p_n = {row['normal']:.4f}, Walker {p:.4f} "
                  f"({100 * (row['normal'] / p - 1):+.1f} %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result")
    parser.add_argument("--probe", default="load", help="the wall load (default: load)")
    parser.add_argument("--angle", type=float, help="of internal friction, degrees")
    args = parser.parse_args()
    summary, rows = read(args.result, args.probe)
    load = summary["wall_loads"][args.probe]
    angle = args.angle
    if angle is None:
        angle = summary["material"].get("friction_angle")
        angle = angle["compression"] if isinstance(angle, dict) else angle
    if not isinstance(angle, (int, float)):
        raise SystemExit("hand.py: the friction of this material is no number; say --angle")
    print(f"weight         {load['weight']:.6g}, bottom {load['bottom'] if load['bottom'] is not None else 'none'}")
    for sine, piece in parts(rows):
        if len(piece) < 4:
            continue
        if abs(sine) <= VERTICAL:
            bin_of(piece, load)
        elif abs(sine) < STEEP:
            hopper_of(piece, sine, math.radians(angle), 1 if summary["geometry"] == "plane" else 2)
    if load["note"]:
        print("note           " + load["note"])


if __name__ == "__main__":
    main()
