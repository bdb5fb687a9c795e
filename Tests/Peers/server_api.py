"""Apple's client for servers, set upon a server that answers in place of the App Store: JSON in, JSON out.

usage: server_api.py methods | errors | verify | authorization

All but `verify` ask the server at `url` with the In-App Purchase key `key` (PEM), `keyID`, `issuer` and `bundle`. What
the store has signed is verified with the certificate `root` (PEM), for the `environment`, for the `app` of this number
(or null), and, if `online` is true, with questions about revocation too. `ids` names what the server knows.

methods        Calls each method of the client, and of the client for asyncio where httpx is installed.
errors         Provokes each error that a request can provoke: see `server_errors.py`.
verify         Verifies `payloads`: a `kind` (transaction, renewal, appTransaction, notification) and a `text` each.
authorization  Sends tokens of all kinds: see `server_authorization.py`.
"""

import asyncio
import json
import os
import sys

# The sources' folder stays as it is.
sys.dont_write_bytecode = True

import server_authorization
import server_errors
from server_methods import call_all
from server_peer import Client, Signed, asynchronous


def methods(asked):
    """What each client sees: its calls, and how many signed strings were verified."""
    calls = asyncio.run(call_all(Client(asked), Signed(asked), asked, "sync"))
    client = asynchronous(asked)
    if client:
        calls += asyncio.run(call_all(client, Signed(asked), asked, "async"))
    return {"calls": calls, "verified": sum(call["verified"] for call in calls), "async": client is not None}


def verify(asked):
    """The verdict on each payload."""
    signed = Signed(asked)
    payloads = [signed.verdict(payload["kind"], payload["text"]) for payload in asked["payloads"]]
    return {"payloads": payloads, "verified": sum(payload["verified"] for payload in payloads)}


def main():
    # A proxy of the machine is not asked about a server on the same machine.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"
    commands = {
        "methods": methods, "errors": server_errors.provoke, "verify": verify,
        "authorization": server_authorization.try_all,
    }
    json.dump(commands[sys.argv[1]](json.load(sys.stdin)), sys.stdout)


main()
