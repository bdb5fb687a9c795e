"""Comparison of values that two readers have read."""

import json
import math
import plistlib


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
    """Returns the property list in a file; None for a file that plistlib does not read."""
    try:
        with open(path, "rb") as file:
            return plistlib.load(file)
    except Exception:
        return None


def load_json(path):
    """Returns the JSON in a file; None for a file that Python refuses."""
    try:
        with open(path, "rb") as file:
            return json.loads(file.read())
    except (ValueError, RecursionError):
        return None
