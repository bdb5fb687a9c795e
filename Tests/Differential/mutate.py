"""Compares what the tool reads of mutated files with what Python's plistlib and json read.

Takes the property lists of this repository, and the same in binary and in JSON, mutates them at random, and has `vitrine convert`
write each in binary. Where both readers accept a file, the values must be equal. JSON that the tool accepts must be accepted by
Python, which is less strict, and what it refuses and Python accepts must have one of the reasons below. Property lists are
refused by both for many reasons, which are not compared: plistlib passes over much that is no property list.

Prints a line for each difference, with the file, which is kept; then how many files were compared. Ends with 1 if there is a
difference, or if fewer than a tenth of the files were compared.

Options:
  --seed N     the seed of all mutations (default: 56)
  --count N    how many files to compare (default: 5000)

Example: python3 Tests/Differential/mutate.py --seed 56 .build/debug/vitrine
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import plistlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from values import load, load_json, same  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# What RFC 8259 or a property list refuses, and Python accepts.
STRICTER = re.compile(
    r"has no null|is not a 64-bit integer|is out of range|half of a surrogate pair|nested more than|in another encoding"
    r'|expected a value, but found "[NI]"|a digit is missing after a minus sign'
)
TOKENS = {
    "xml": b"<array> </array> <dict> </dict> <key> </key> <string> </string> <true/> <false/> <integer> </integer> 0x1F -1 "
    b"18446744073709551615 <real> </real> 1e3 nan <date>2030-03-01T00:00:00Z</date> <data>AAEC</data> &amp; &#65; &lt; <!-- --> "
    b"<![CDATA[ ]]> \xc3\xa4 \xf0\x9f\x98\x80 \r\n".split(b" "),
    "json": b'{ } [ ] , : " \\ "a" "a":1, null true false 0 -0 1.5 1e3 1E-400 1e400 -1 18446744073709551615 18446744073709551616 NaN '
    b"Infinity \\u0041 \\ud83d\\ude00 \\ud83d \\n \\/ // /* \xc3\xa4 \xf0\x9f\x98\x80 \xff \xef\xbb\xbf 01 \r\n \t".split(b" "),
    "binary": [bytes([byte]) for byte in (0, 1, 8, 9, 0x10, 0x13, 0x22, 0x23, 0x33, 0x4F, 0x51, 0x61, 0x80, 0xA1, 0xD1, 0xFF)],
}


def without_dates_and_data(value):
    """Returns the part of a property list that any reader of JSON reads as the same."""
    if isinstance(value, dict):
        return {key: without_dates_and_data(entry) for key, entry in value.items() if is_in_json(entry)}
    if isinstance(value, list):
        return [without_dates_and_data(element) for element in value if is_in_json(element)]
    return value


def is_in_json(value):
    return isinstance(value, (dict, list, str, int, float, bool))


def fixtures():
    """Returns the property lists of the repository in each format, with the name of the format."""
    found = []
    for path in sorted(ROOT.glob("Catalogs/*.plist")) + sorted(ROOT.glob("HostedContent/**/*.plist")) + sorted(
        ROOT.glob("Tests/Fixtures/**/*.plist")
    ):
        value = load(path)
        if value is None or path.stat().st_size > 65536:
            continue
        plain = without_dates_and_data(value)
        found.append(("xml", plistlib.dumps(value)))
        found.append(("xml", path.read_bytes()))
        found.append(("binary", plistlib.dumps(value, fmt=plistlib.FMT_BINARY)))
        found.append(("json", json.dumps(plain, indent=1).encode()))
        found.append(("json", json.dumps(plain, ensure_ascii=False).encode()))
    return found


def mutated(content, tokens, chance):
    content = bytearray(content)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        if not content:
            break
        at = chance.randrange(len(content))
        end = min(len(content), at + chance.choice([1, 2, 8, 40]))
        match chance.randrange(6):
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at:end]
            case 2:
                content[at:at] = chance.choice(tokens)
            case 3:
                content[at:end] = chance.choice(tokens)
            case 4:
                content[at:at] = content[at:end]
            case 5:
                # A number or letter becomes another, which leaves more files readable than any other byte does.
                content[at] = ord(chance.choice("0123456789abcdefghijklmnopqrstuvwxyz"))
    return bytes(content)


def compare(tool, kind, path):
    """Returns whether both readers accept a file, and the difference between them, if there is one."""
    copy = path.with_suffix(".copy")
    result = subprocess.run(
        [tool, "convert", str(path), "--to", "binary", "-o", str(copy)], capture_output=True, text=True, timeout=60
    )
    if result.returncode not in (0, 65):
        return False, f"the tool ended with {result.returncode}: {result.stderr.strip()}"
    ours = load(copy) if result.returncode == 0 else None
    copy.unlink(missing_ok=True)
    if result.returncode == 0 and ours is None:
        return False, "plistlib does not read what the tool has written"
    if kind == "json":
        theirs = load_json(path)
        if ours is None:
            is_explained = STRICTER.search(result.stderr) or not isinstance(theirs, (dict, list))
            return False, None if is_explained else f"json reads what the tool refuses: {result.stderr.strip()}"
        if theirs is None:
            return False, "json refuses what the tool reads"
        return True, None if same(theirs, ours) else "json reads other values"
    theirs = load(path)
    if ours is None or theirs is None:
        return False, None
    try:
        return True, None if same(theirs, ours) else "plistlib reads other values"
    except RecursionError:
        return False, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--seed", type=int, default=56)
    parser.add_argument("--count", type=int, default=5000)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    sources = fixtures()
    kept = pathlib.Path(tempfile.mkdtemp(prefix="vitrine-differential-"))
    files = []
    for number in range(options.count):
        kind, content = sources[number % len(sources)]
        path = kept / f"{number}.{kind}"
        path.write_bytes(mutated(content, TOKENS[kind], chance))
        files.append((kind, path))
    compared = dict.fromkeys(TOKENS, 0)
    differences = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda file: compare(options.tool, *file), files)
        for (kind, path), (is_compared, difference) in zip(files, results):
            compared[kind] += is_compared
            if difference:
                differences += 1
                print(f"{path}: {difference}")
            else:
                path.unlink()
    if not differences:
        kept.rmdir()
    total = sum(compared.values())
    counts = ", ".join(f"{count} in {kind}" for kind, count in compared.items())
    print(f"{options.count} files with seed {options.seed}: {total} compared ({counts}), {differences} differences")
    return 1 if differences or total * 10 < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
