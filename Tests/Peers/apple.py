"""Apple's own library for servers, asked over standard input and output: JSON in, JSON out.

usage: apple.py verify | make | offers
"""

import base64
import datetime
import json
import sys
import uuid

import jwt
from appstoreserverlibrary.jws_signature_creator import (
    AdvancedCommerceAPIInAppSignatureCreator,
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.AdvancedCommerceOneTimeChargeCreateRequest import (
    AdvancedCommerceOneTimeChargeCreateRequest,
)
from appstoreserverlibrary.models.AdvancedCommerceOneTimeChargeItem import AdvancedCommerceOneTimeChargeItem
from appstoreserverlibrary.models.AdvancedCommerceRequestInfo import AdvancedCommerceRequestInfo
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LEAF_MARK = "1.2.840.113635.100.6.11.1"
INTERMEDIATE_MARK = "1.2.840.113635.100.6.2.1"
BUNDLE = "com.example.app"
APP = 1234
SIGNED = datetime.datetime(2026, 6, 1, tzinfo=datetime.timezone.utc)


def verdict(token, kind, root, bundle, environment, app=None):
    """What Apple's library makes of a token: "OK", or the name of its status."""
    verifier = SignedDataVerifier([root], False, Environment(environment), bundle, app)
    verify = {
        "transaction": verifier.verify_and_decode_signed_transaction,
        "renewal": verifier.verify_and_decode_renewal_info,
        "appTransaction": verifier.verify_and_decode_app_transaction,
        "notification": verifier.verify_and_decode_notification,
    }[kind]
    try:
        verify(token)
        return "OK"
    except VerificationException as error:
        return error.status.name


class Chain:
    """A chain of the store's shape, but for what a case wants otherwise."""

    def __init__(self, leaf_mark=True, intermediate_mark=True, days=(-30, 30), leaf_days=None, curve=ec.SECP384R1):
        self.keys = [ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(curve()),
                     ec.generate_private_key(curve())]
        names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Peer {name}")])
                 for name in ("Leaf", "Intermediate", "Root")]
        marks = [LEAF_MARK if leaf_mark else None, INTERMEDIATE_MARK if intermediate_mark else None, None]
        self.certificates = []
        for level in range(3):
            issuer = min(level + 1, 2)
            begin, end = leaf_days if level == 0 and leaf_days else days
            builder = (
                x509.CertificateBuilder()
                .subject_name(names[level])
                .issuer_name(names[issuer])
                .public_key(self.keys[level].public_key())
                .serial_number(x509.random_serial_number())
                .not_valid_before(SIGNED + datetime.timedelta(days=begin))
                .not_valid_after(SIGNED + datetime.timedelta(days=end))
                .add_extension(x509.BasicConstraints(level > 0, level - 1 if level > 0 else None), critical=True)
                .add_extension(
                    x509.KeyUsage(level == 0, False, False, False, False, level > 0, level > 0, False, False),
                    critical=True,
                )
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(self.keys[level].public_key()), critical=False)
                .add_extension(
                    x509.AuthorityKeyIdentifier.from_issuer_public_key(self.keys[issuer].public_key()), critical=False
                )
            )
            if marks[level]:
                builder = builder.add_extension(
                    x509.UnrecognizedExtension(x509.ObjectIdentifier(marks[level]), b"\x05\x00"), critical=False
                )
            self.certificates.append(builder.sign(self.keys[issuer], hashes.SHA384()))

    @property
    def x5c(self):
        return [base64.b64encode(self.der(level)).decode() for level in range(3)]

    def der(self, level):
        return self.certificates[level].public_bytes(serialization.Encoding.DER)

    def token(self, payload, x5c=None, algorithm="ES256", key=None):
        return jwt.encode(payload, key or self.keys[0], algorithm, headers={"x5c": x5c or self.x5c})


def milliseconds(date):
    return int(date.timestamp() * 1000)


def transaction(**changes):
    return {
        "transactionId": "7", "originalTransactionId": "7", "bundleId": BUNDLE, "productId": "com.example.app.coins",
        "purchaseDate": milliseconds(SIGNED), "originalPurchaseDate": milliseconds(SIGNED), "quantity": 1,
        "type": "Consumable", "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
        "signedDate": milliseconds(SIGNED), **changes,
    }


def renewal(**changes):
    return {
        "originalTransactionId": "7", "productId": "p", "autoRenewProductId": "p", "autoRenewStatus": 1,
        "environment": "Sandbox", "signedDate": milliseconds(SIGNED), **changes,
    }


def app_transaction(**changes):
    return {
        "receiptType": "Sandbox", "bundleId": BUNDLE, "applicationVersion": "2", "originalApplicationVersion": "1",
        "originalPurchaseDate": milliseconds(SIGNED), "receiptCreationDate": milliseconds(SIGNED), **changes,
    }


def notification(data=None, **changes):
    return {
        "notificationType": "TEST", "notificationUUID": str(uuid.UUID(int=7)), "version": "2.0",
        "signedDate": milliseconds(SIGNED),
        "data": {"bundleId": BUNDLE, "environment": "Sandbox", **(data or {})}, **changes,
    }


def swap(token, segment, value):
    segments = token.split(".")
    segments[segment] = value
    return ".".join(segments)


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def make():
    """Tokens good and bad, each with what Apple's library says of it."""
    good, other = Chain(), Chain()
    token = good.token(transaction())
    x5c = good.x5c
    signature = token.split(".")[2]
    broken = ("A" if signature[10] != "A" else "B")
    p256 = Chain(curve=ec.SECP256R1)
    unmarked_leaf, unmarked_intermediate = Chain(leaf_mark=False), Chain(intermediate_mark=False)
    expired, early = Chain(leaf_days=(-20, -10)), Chain(leaf_days=(10, 20))
    cases = [
        ("transaction", "transaction", token, good, {}),
        ("renewal", "renewal", good.token(renewal()), good, {}),
        ("app transaction", "appTransaction", good.token(app_transaction()), good, {}),
        ("notification", "notification", good.token(notification()), good, {}),
        ("notification with a transaction", "notification",
         good.token(notification({"signedTransactionInfo": token, "signedRenewalInfo": good.token(renewal())})),
         good, {}),
        ("issuers with P-256 keys", "transaction", p256.token(transaction()), p256, {}),
        ("production", "transaction", good.token(transaction(environment="Production")), good,
         {"environment": "Production"}),
        ("app identifier", "appTransaction", good.token(app_transaction(receiptType="Production", appAppleId=APP)),
         good, {"environment": "Production"}),
        ("notification's app identifier", "notification",
         good.token(notification({"environment": "Production", "appAppleId": APP})), good,
         {"environment": "Production"}),
        ("wrong app identifier", "appTransaction",
         good.token(app_transaction(receiptType="Production", appAppleId=APP + 1)), good,
         {"environment": "Production"}),
        ("notification's wrong app identifier", "notification",
         good.token(notification({"environment": "Production", "appAppleId": APP + 1})), good,
         {"environment": "Production"}),
        ("unknown fields", "transaction", good.token(transaction(news={"a": [1, None]}, price=990)), good, {}),
        ("wrong bundle", "transaction", good.token(transaction(bundleId="com.example.other")), good, {}),
        ("wrong environment", "transaction", good.token(transaction(environment="Production")), good, {}),
        ("wrong environment of a renewal", "renewal", good.token(renewal(environment="Production")), good, {}),
        ("wrong bundle of an app transaction", "appTransaction",
         good.token(app_transaction(bundleId="com.example.other")), good, {}),
        ("wrong environment of a notification", "notification",
         good.token(notification({"environment": "Production"})), good, {}),
        ("claims to be Xcode's", "transaction", good.token(transaction(environment="Xcode")), good, {}),
        ("algorithm none", "transaction",
         f"{encoded({'alg': 'none', 'x5c': x5c})}.{encoded(transaction())}.", good, {}),
        ("algorithm HS256 with the public key", "transaction",
         good.token(transaction(), algorithm="HS256", key=base64.b64encode(good.der(0)).decode()), good, {}),
        ("algorithm ES384", "transaction",
         other.token(transaction(), x5c=x5c, algorithm="ES384", key=ec.generate_private_key(ec.SECP384R1())), good, {}),
        ("no certificates", "transaction",
         f"{encoded({'alg': 'ES256'})}.{token.split('.')[1]}.{signature}", good, {}),
        ("one certificate", "transaction", good.token(transaction(), x5c=x5c[:1]), good, {}),
        ("two certificates", "transaction", good.token(transaction(), x5c=x5c[:2]), good, {}),
        ("four certificates", "transaction", good.token(transaction(), x5c=x5c + x5c[2:]), good, {}),
        ("swapped certificates", "transaction", good.token(transaction(), x5c=[x5c[0], x5c[2], x5c[1]]), good, {}),
        ("reversed certificates", "transaction", good.token(transaction(), x5c=x5c[::-1]), good, {}),
        ("a leaf of another chain", "transaction",
         other.token(transaction(), x5c=[other.x5c[0]] + x5c[1:]), good, {}),
        ("another chain", "transaction", other.token(transaction()), good, {}),
        ("another chain with the trusted root", "transaction",
         other.token(transaction(), x5c=other.x5c[:2] + [x5c[2]]), good, {}),
        ("another root sent", "transaction", good.token(transaction(), x5c=x5c[:2] + [other.x5c[2]]), good, {}),
        ("unmarked leaf", "transaction", unmarked_leaf.token(transaction()), unmarked_leaf, {}),
        ("unmarked intermediate", "transaction", unmarked_intermediate.token(transaction()), unmarked_intermediate,
         {}),
        ("expired leaf", "transaction", expired.token(transaction()), expired, {}),
        ("leaf not valid yet", "transaction", early.token(transaction()), early, {}),
        ("signed after the chain", "transaction",
         good.token(transaction(signedDate=milliseconds(SIGNED + datetime.timedelta(days=60)))), good, {}),
        ("broken signature", "transaction",
         swap(token, 2, signature[:10] + broken + signature[11:]), good, {}),
        ("empty signature", "transaction", swap(token, 2, ""), good, {}),
        ("another payload", "transaction", swap(token, 1, encoded(transaction(quantity=100))), good, {}),
        ("another header", "transaction",
         swap(token, 0, encoded({"alg": "ES256", "typ": "JWT", "x5c": other.x5c})), good, {}),
        ("two segments", "transaction", token.rsplit(".", 1)[0], good, {}),
        ("four segments", "transaction", token + ".AAAA", good, {}),
        ("no token", "transaction", "hello", good, {}),
        ("nothing", "transaction", "", good, {}),
    ]
    result = []
    for name, kind, text, chain, changes in cases:
        environment = changes.get("environment", "Sandbox")
        app = APP if environment == "Production" else None
        root = chain.der(2)
        result.append({
            "name": name, "kind": kind, "token": text, "root": base64.b64encode(root).decode(), "bundle": BUNDLE,
            "environment": environment, "app": app, "verdict": verdict(text, kind, root, BUNDLE, environment, app),
        })
    return result


def offers(asked):
    """Signatures of Apple's creators with our key, and what the public key says of ours."""
    pem = asked["key"].encode()
    key, issuer, bundle = asked["keyIdentifier"], asked["issuer"], asked["bundle"]
    public = serialization.load_pem_private_key(pem, None).public_key()
    offer = asked["offer"]
    nonce = uuid.UUID(offer["nonce"])
    message = "\u2063".join([
        bundle, key, offer["product"], offer["offer"], offer["account"].lower(), str(nonce), str(offer["timestamp"]),
    ]).encode()
    public.verify(base64.b64decode(offer["signature"], validate=True), message, ec.ECDSA(hashes.SHA256()))
    charge = AdvancedCommerceOneTimeChargeCreateRequest(
        currency="USD", taxCode="C1", requestInfo=AdvancedCommerceRequestInfo(uuid.UUID(int=7)),
        item=AdvancedCommerceOneTimeChargeItem(SKU="sku", description="words", displayName="name", price=990))
    return {
        "signature": PromotionalOfferSignatureCreator(pem, key, bundle).create_signature(
            offer["product"], offer["offer"], offer["account"], nonce, offer["timestamp"]),
        "promotional": PromotionalOfferV2SignatureCreator(pem, key, issuer, bundle).create_signature(
            "product", "offer", None),
        "introductory": IntroductoryOfferEligibilitySignatureCreator(pem, key, issuer, bundle).create_signature(
            "product", True, "7"),
        "advanced": AdvancedCommerceAPIInAppSignatureCreator(pem, key, issuer, bundle).create_signature(charge),
        "read": [
            {
                "header": jwt.get_unverified_header(token),
                "claims": jwt.decode(token, public, ["ES256"], audience=audience, issuer=issuer, leeway=60),
            }
            for token, audience in asked["requests"]
        ],
    }


def main():
    command = sys.argv[1]
    asked = json.load(sys.stdin) if command != "make" else None
    if command == "verify":
        root = base64.b64decode(asked["root"])
        said = [
            verdict(case["token"], case["kind"], root, asked["bundle"], asked["environment"])
            for case in asked["cases"]
        ]
    elif command == "make":
        said = make()
    else:
        said = offers(asked)
    json.dump(said, sys.stdout, default=str)


main()
