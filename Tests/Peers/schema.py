"""Says of JSON documents whether a JSON Schema accepts them.

Reads {"schema": path, "documents": [path]} on standard input, and writes, for each document, null or the reason why the schema
refuses it.

Example: echo '{"schema": "s.json", "documents": ["a.json"]}' | .build/peers/bin/python3 Tests/Peers/schema.py
"""

import json
import sys

from jsonschema import Draft202012Validator

question = json.load(sys.stdin)
with open(question["schema"]) as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
reasons = []
for path in question["documents"]:
    with open(path) as file:
        error = next(validator.iter_errors(json.load(file)), None)
    reasons.append(error and f"{error.json_path}: {error.message}"[:200])
json.dump(reasons, sys.stdout)
