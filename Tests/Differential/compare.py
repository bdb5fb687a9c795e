"""Compares what Vitrine has written with what other readers make of the original.

Reads lines "original<TAB>xml<TAB>binary" from standard input: a property list, and what Vitrine wrote of it in each
format (the XML may be "-"). Prints a line for each difference, then how many were compared with whom.
"""

import math
import plistlib
import shutil
import subprocess
import sys


def same(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isnan(one) and math.isnan(other)
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def load(path):
    try:
        with open(path, "rb") as file:
            return plistlib.load(file)
    except Exception:
        return None


compared = {"plistlib": 0, "libplist": 0}
plistutil = shutil.which("plistutil")
for line in sys.stdin:
    original, xml, binary = line.rstrip("\n").split("\t")
    expected = load(original)
    if expected is not None:
        compared["plistlib"] += 1
        for written in [xml, binary]:
            if written != "-" and not same(expected, load(written)):
                print(f"plistlib reads {original} otherwise than what was written of it: {written}")
    if plistutil:
        result = subprocess.run([plistutil, "-i", original, "-f", "bin", "-o", binary + ".libplist"], capture_output=True)
        theirs = load(binary + ".libplist") if result.returncode == 0 else None
        if theirs is not None:
            compared["libplist"] += 1
            if not same(theirs, load(binary)):
                print(f"libplist reads {original} otherwise")
print("compared", compared["plistlib"], compared["libplist"])
