"""Says whether Apple's own library for servers accepts a signed transaction with online checks, for which it asks the
OCSP responder that the certificates name.

Reads {"root": base64, "token": JWS, "bundle": text, "environment": text} on standard input, and writes "OK" or the name
of the library's status.

Example: .build/peers/bin/python3 Tests/Peers/online.py < question.json
"""

import base64
import json
import sys

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

question = json.load(sys.stdin)
verifier = SignedDataVerifier(
    [base64.b64decode(question["root"])], True, Environment(question["environment"]), question["bundle"])
try:
    verifier.verify_and_decode_signed_transaction(question["token"])
    print("OK")
except VerificationException as error:
    print(error.status.name)
