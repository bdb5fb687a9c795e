"""Reads Tests/Simulator/OpenStoreKitTests/surface.tsv, the list of Apple's declarations of StoreKit 2 and StoreKitTest."""

import collections
import pathlib
import re

LIST = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Simulator" / "OpenStoreKitTests" / "surface.tsv"
TYPES = ("struct", "enum", "class", "protocol")

# A declaration: its facts are the conformances of a type, or the type of anything else. Versions are a dictionary of
# platforms, with None for an unavailable one, or else with the versions that introduce and deprecate.
Row = collections.namedtuple("Row", "kind facts versions reason", defaults=[""])


def split(text, separator):
    """Returns the parts between the separators that are outside brackets."""
    parts, depth = [""], 0
    for previous, character in zip(" " + text, text):
        depth += (character in "([{<") - (character in ")]}" or character == ">" and previous != "-")
        if depth == 0 and character == separator:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def bracketed(text):
    """Returns the text in the brackets at the beginning, and the rest."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}" or character == ">" and text[index - 1] != "-")
        if depth == 0:
            return text[1:index], text[index + 1:].strip()
    raise ValueError(text)


def parsed(text):
    """Returns the versions of a text such as `iOS 15.0-18.4, macOS no`."""
    of_platforms = re.findall(r"(\w+) (?:no|([\d.]+)(?:-([\d.]+))?)(?:,? |$)", text)
    return {platform: (first, last) if first else None for platform, first, last in of_platforms}


def read():
    """Returns the comments of the list, its rows by name, and the reasons of added names."""
    header, listed, added = [], {}, {}
    for line in LIST.read_text().splitlines():
        name, kind, facts, versions, reason = (line.split("\t") + [""] * 4)[:5]
        if line.startswith("#"):
            header.append(line)
        elif name.startswith("+"):
            added[name[1:]] = reason
        else:
            listed.setdefault(name, []).append(Row(kind, facts, parsed(versions), reason))
    return header, listed, added
