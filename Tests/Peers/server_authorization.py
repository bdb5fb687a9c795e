"""Tokens good and bad, and how the server answers to each."""

import base64
import hashlib
import hmac
import json
import re
import time

import jwt
import requests
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

MINUTE = 60
UNAUTHENTICATED = re.compile(r"Unauthenticated\s*\n\s*\nRequest ID: [A-Z0-9]{26}\.0\.0\s*")


def encoded(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Tokens:
    """Makes tokens for a question, right but for what a case wants otherwise."""

    def __init__(self, asked):
        self.asked = asked
        self.key = serialization.load_pem_private_key(asked["key"].encode(), None)
        self.now = int(time.time())

    def claims(self, **changes):
        """The claims, without those that are None."""
        claims = {
            "iss": self.asked["issuer"], "aud": "appstoreconnect-v1", "bid": self.asked["bundle"],
            "exp": self.now + 5 * MINUTE, **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def header(self, **changes):
        header = {"alg": "ES256", "kid": self.asked["keyID"], "typ": "JWT", **changes}
        return {name: value for name, value in header.items() if value is not None}

    def signed(self, header=None, key=None, payload=None, **claims):
        """A token, and nothing of it checked by a library that makes tokens."""
        text = f"{encoded(header or self.header())}.{encoded(payload or self.claims(**claims))}"
        return f"{text}.{encoded(self.signature(text, key or self.key))}"

    def signature(self, text, key):
        der = key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        return jwt.utils.der_to_raw_signature(der, key.curve)

    def shared_secret(self):
        """A token whose secret is the public key, as a verifier that believes the header would have it."""
        public = self.key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        text = f"{encoded(self.header(alg='HS256'))}.{encoded(self.claims())}"
        return f"{text}.{encoded(hmac.new(public, text.encode(), hashlib.sha256).digest())}"

    def der(self):
        text = self.signed().rsplit(".", 1)[0]
        return f"{text}.{encoded(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))}"

    def es384(self):
        text = f"{encoded(self.header(alg='ES384'))}.{encoded(self.claims())}"
        return f"{text}.{encoded(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA384())))}"


def headers(asked):
    """Values of the header Authorization, each with the statuses that are right."""
    tokens = Tokens(asked)
    good, now = tokens.signed(), tokens.now
    head, payload, signature = good.split(".")
    other = ec.generate_private_key(ec.SECP256R1())
    public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(tokens.key.public_key()))
    accepted = {
        "as Apple's libraries make it": tokens.signed(),
        "with a time of issue": tokens.signed(iat=now),
        "for an hour": tokens.signed(iat=now - MINUTE, exp=now + 59 * MINUTE),
        "with other claims": tokens.signed(nonce="7", scope=["GET /inApps"]),
    }
    refused = {
        "not a token": "abc",
        "two segments": f"{head}.{payload}",
        "four segments": f"{good}.AAAA",
        "a header that is no JSON": f"{encoded(b'abc')}.{payload}.{signature}",
        "claims that are no JSON": tokens.signed(payload=b"abc"),
        "claims in an array": tokens.signed(payload=b"[1]"),
        "a shared secret": tokens.shared_secret(),
        "no algorithm": f"{encoded(tokens.header(alg='none'))}.{payload}.",
        "no algorithm, and a signature": tokens.signed(tokens.header(alg="none")),
        "ES384": tokens.es384(),
        "an algorithm in lower case": tokens.signed(tokens.header(alg="es256")),
        "an unknown key identifier": tokens.signed(tokens.header(kid="AAAAAAAAAA")),
        "no key identifier": tokens.signed(tokens.header(kid=None)),
        "a number as key identifier": tokens.signed(tokens.header(kid=7)),
        "a key of its own": tokens.signed(tokens.header(jwk=public), key=other),
        "another key": tokens.signed(key=other),
        "no signature": f"{head}.{payload}.",
        "a changed signature": f"{head}.{payload}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}",
        "a signature in DER": tokens.der(),
        "zeros as signature": f"{head}.{payload}.{encoded(bytes(64))}",
        "other claims than signed": f"{head}.{encoded(tokens.claims(bid='com.example.not.ours'))}.{signature}",
        "another issuer": tokens.signed(iss="00000000-0000-4000-8000-000000000007"),
        "no issuer": tokens.signed(iss=None),
        "another audience": tokens.signed(aud="appstoreconnect-v2"),
        "no audience": tokens.signed(aud=None),
        "expired": tokens.signed(exp=now - 5 * MINUTE),
        "expired in 1970": tokens.signed(exp=1),
        "for over an hour": tokens.signed(exp=now + 70 * MINUTE),
        "for over an hour since its issue": tokens.signed(iat=now - 30 * MINUTE, exp=now + 45 * MINUTE),
        "in milliseconds": tokens.signed(exp=(now + 5 * MINUTE) * 1000),
        "an enormous expiry": tokens.signed(exp=1e300),
        "no expiry": tokens.signed(exp=None),
        "words as expiry": tokens.signed(exp="tomorrow"),
    }
    cases = [("no header", None, (401,)), ("Basic", "Basic YTpi", (401,)), ("no scheme", good, (401,)),
             ("an empty token", "Bearer ", (401,))]
    cases += [(name, f"Bearer {token}", (200, 404)) for name, token in accepted.items()]
    cases += [(name, f"Bearer {token}", (401,)) for name, token in refused.items()]
    # The team has no such app, or the token names none: the documentation tells of the first alone.
    return cases + [
        ("another's app", f"Bearer {tokens.signed(bid='com.example.not.ours')}", (404,)),
        ("no app", f"Bearer {tokens.signed(bid=None)}", (401, 404)),
    ]


def try_all(asked):
    """The answer to each, about a transaction of the ids or about one that does not exist."""
    id = (asked.get("ids") or {}).get("transaction", "7")
    address = f"{asked['url'].rstrip('/')}/inApps/v1/transactions/{id}"
    answers = []
    for name, value, statuses in headers(asked):
        response = requests.get(address, headers={} if value is None else {"Authorization": value}, timeout=30)
        kind = response.headers.get("Content-Type")
        answers.append({
            "id": name, "expected": list(statuses), "status": response.status_code, "contentType": kind,
            "body": response.text[:300],
            "ok": response.status_code in statuses and has_form(response, kind or "", foreign=name == "another's app"),
        })
    return {"cases": answers, "failed": [answer["id"] for answer in answers if not answer["ok"]]}


def has_form(response, kind, foreign):
    """Indicates that an answer has the form of its status, and the code of an app that the team does not have."""
    if response.status_code == 401:
        return kind.partition(";")[0] == "text/plain" and UNAUTHENTICATED.fullmatch(response.text) is not None
    if response.status_code == 404:
        code = response.json().get("errorCode") if kind == "application/json" else None
        return code == 4040003 if foreign else code is not None
    return kind.partition(";")[0] == "application/json"
