"""Tokens for the App Store Server API, asked over standard input and output: JSON in, JSON out.

usage: server_token.py make | read
"""

import json
import sys
import time

import jwt
from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def make(question):
    """A token of Apple's own client, with the key in the question or a new one."""
    if "pem" in question:
        key = serialization.load_pem_private_key(question["pem"].encode(), password=None)
    else:
        key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public_key = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    client = AppStoreServerAPIClient(
        pem, question["kid"], question["issuer"], question["bundle"], Environment.SANDBOX)
    return {
        "pem": pem.decode(), "publicKey": public_key.decode(), "token": client._generate_token(),
        "seconds": time.time(),
    }


def read(question):
    """Header and claims of a token, verified at the current date with everything that Apple demands of it."""
    claims = jwt.decode(
        question["token"], question["publicKey"], algorithms=["ES256"], audience="appstoreconnect-v1",
        issuer=question["issuer"], options={"require": ["exp", "iat", "iss", "aud", "bid"]})
    return {"header": jwt.get_unverified_header(question["token"]), "claims": claims}


if __name__ == "__main__":
    print(json.dumps({"make": make, "read": read}[sys.argv[1]](json.load(sys.stdin))))
