"""Compares what Vitrine has written with what other readers make of the original.

Reads lines "original<TAB>xml<TAB>binary" from standard input: a property list or JSON, and what Vitrine wrote of it in
each format (the XML may be "-"). Prints a line for each difference, then how many were compared with whom.
"""

import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from values import load, load_json, same  # noqa: E402

compared = {"plistlib": 0, "libplist": 0}
plistutil = shutil.which("plistutil")
for line in sys.stdin:
    original, xml, binary = line.rstrip("\n").split("\t")
    is_json = original.endswith(".json")
    expected = load_json(original) if is_json else load(original)
    if expected is not None:
        compared["plistlib"] += 1
        for written in [xml, binary]:
            if written != "-" and not same(expected, load(written)):
                print(f"{'json' if is_json else 'plistlib'} reads {original} otherwise than what was written of it: {written}")
    if plistutil and not is_json:
        result = subprocess.run([plistutil, "-i", original, "-f", "bin", "-o", binary + ".libplist"], capture_output=True)
        theirs = load(binary + ".libplist") if result.returncode == 0 else None
        if theirs is not None:
            compared["libplist"] += 1
            if not same(theirs, load(binary)):
                print(f"libplist reads {original} otherwise")
print("compared", compared["plistlib"], compared["libplist"])
