"""Apple's client upon another server, and what it reads: verified, and compared with what the server sent."""

import enum
import importlib.util
import re

import attr
import jwt
import requests
from appstoreserverlibrary.api_client import AppStoreServerAPIClient, AsyncAppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

# Fields of replies and payloads that hold what the store has signed.
SIGNED_FIELDS = {
    "signedTransactionInfo": "transaction", "signedTransactions": "transaction", "signedRenewalInfo": "renewal",
    "signedAppTransactionInfo": "appTransaction", "signedPayload": "notification",
}

# Fields that each payload has, but for the number of the storefront, which the simulated store does not know.
ALWAYS = {
    "transaction": (
        "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "originalPurchaseDate",
        "signedDate", "type", "inAppOwnershipType", "environment", "quantity", "storefront"),
    "renewal": (
        "originalTransactionId", "productId", "autoRenewProductId", "autoRenewStatus", "renewalDate",
        "recentSubscriptionStartDate", "signedDate", "environment"),
    "appTransaction": (
        "receiptType", "bundleId", "applicationVersion", "originalApplicationVersion", "originalPurchaseDate",
        "receiptCreationDate", "appTransactionId"),
    "notification": ("notificationType", "notificationUUID", "version", "signedDate"),
}

# Documented, but not in the library: it keeps none of the fields, and the values in raw fields alone.
OTHER_FIELDS = {"firstSendAttemptResult", "tokenType", "tokenExpirationDate"}
OTHER_VALUES = {"CREATED", "ACTIVE_TOKEN_REMINDER", "ASSIGNMENT_REVOKE"}


def _connection(asked):
    return asked["key"].encode(), asked["keyID"], asked["issuer"], asked["bundle"], Environment(asked["environment"])


class Client(AppStoreServerAPIClient):
    """Apple's client at the question's address. `response` is the latest response, unread."""

    def __init__(self, asked):
        super().__init__(*_connection(asked))
        self._base_url = asked["url"].rstrip("/")

    def _execute_request(self, *arguments):
        self.response = super()._execute_request(*arguments)
        return self.response

    def send(self, method, path, query=None, body=None, text=None):
        """Sends a request that no method of Apple's client would send, and reads the reply as they do."""
        headers = self._get_headers()
        if text is not None:
            headers["Content-Type"] = "application/json"
        self.response = requests.request(
            method, self._get_full_url(path), params=query, headers=headers, json=body,
            data=None if text is None else text.encode(), timeout=30)
        return self._parse_response(self.response.status_code, self.response.headers, self.response.json, None)


def asynchronous(asked):
    """Apple's client for asyncio, or nothing where httpx is not installed."""
    if importlib.util.find_spec("httpx") is None:
        return None

    class AsyncClient(AsyncAppStoreServerAPIClient):
        def __init__(self):
            super().__init__(*_connection(asked))
            self._base_url = asked["url"].rstrip("/")

        async def _execute_request(self, *arguments):
            self.response = await super()._execute_request(*arguments)
            return self.response

    return AsyncClient()


class Signed:
    """Verifies what the store has signed, and all that is signed inside of it."""

    def __init__(self, asked):
        root = x509.load_pem_x509_certificate(asked["root"].encode()).public_bytes(Encoding.DER)
        self.asked = asked
        self.verifiers = [
            SignedDataVerifier([root], online, Environment(asked["environment"]), asked["bundle"], asked.get("app"))
            for online in ([False, True] if asked.get("online") else [False])
        ]

    def decoded(self, kind, text):
        """The decoded payload; an exception where it is not verified."""
        for verifier in self.verifiers:
            payload = {
                "transaction": verifier.verify_and_decode_signed_transaction,
                "renewal": verifier.verify_and_decode_renewal_info,
                "appTransaction": verifier.verify_and_decode_app_transaction,
                "notification": verifier.verify_and_decode_notification,
            }[kind](text)
        return payload

    def check(self, kind, text):
        """The decoded payload, the kinds of all that was verified, and what the library reads otherwise than sent."""
        payload = self.decoded(kind, text)
        kinds, doubts = self.check_inside(payload)
        sent = jwt.decode(text, options={"verify_signature": False})
        missing = [f".{name} is missing" for name in ALWAYS[kind] if name not in sent]
        return payload, [kind] + kinds, missing + differences(sent, payload) + doubts

    def check_inside(self, value):
        """The same of all signed strings in a reply or a payload."""
        kinds, doubts = [], []
        for kind, text in signed_strings(value):
            _, inner, more = self.check(kind, text)
            kinds, doubts = kinds + inner, doubts + more
        return kinds, doubts

    def verdict(self, kind, text):
        """The answer about one payload."""
        answer = {"verdict": "OK", "verified": 0, "kinds": [], "doubts": []}
        try:
            payload, answer["kinds"], answer["doubts"] = self.check(kind, text)
            answer["verified"] = len(answer["kinds"])
            if kind == "notification":
                for name in ("notificationType", "subtype"):
                    value = getattr(payload, name)
                    answer[name] = value and value.name
                answer["notificationUUID"] = payload.notificationUUID
        except VerificationException as error:
            answer["verdict"] = error.status.name
        return answer


def signed_strings(value):
    """Kind and text of each signed string in a value of the library's types."""
    if isinstance(value, list):
        for item in value:
            yield from signed_strings(item)
    elif attr.has(type(value)):
        for field in attr.fields(type(value)):
            inner = getattr(value, field.name)
            if field.name not in SIGNED_FIELDS:
                yield from signed_strings(inner)
            elif inner is not None:
                for text in inner if isinstance(inner, list) else [inner]:
                    yield SIGNED_FIELDS[field.name], text


def differences(sent, read):
    """What the server sent and the library did not read, read as another type, or has no name for.

    The library ignores fields that it does not know and converts values of other types, which hides mistakes.
    """
    again = _get_cattrs_converter(type(read)).unstructure(read)
    return _differences(sent, again, "") + [f"{path} has no name: {value}" for path, value in _unnamed(read, "")]


def _differences(sent, read, path):
    if isinstance(sent, dict) and isinstance(read, dict):
        found = []
        for name, value in sent.items():
            if name in read:
                found += _differences(value, read[name], f"{path}.{name}")
            elif name not in OTHER_FIELDS:
                found.append(f"{path}.{name} is not read")
        return found
    if isinstance(sent, list) and isinstance(read, list) and len(sent) == len(read):
        return [
            text for index, pair in enumerate(zip(sent, read)) for text in _differences(*pair, f"{path}[{index}]")
        ]
    if isinstance(read, enum.Enum):
        read = read.value
    return [] if type(sent) is type(read) and sent == read else [f"{path} is read as {read!r}, and sent as {sent!r}"]


def _unnamed(value, path):
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unnamed(item, f"{path}[{index}]")
    elif attr.has(type(value)):
        for field in attr.fields(type(value)):
            inner = getattr(value, field.name)
            if field.metadata.get("typeOfField") != "raw":
                yield from _unnamed(inner, f"{path}.{field.name}")
            elif inner is not None and inner not in OTHER_VALUES and getattr(value, _named(field.name)) is None:
                yield f"{path}.{_named(field.name)}", inner


def _named(raw):
    """The name of the field that has the value of a raw field with its type."""
    name = re.sub("^raw", "", raw)
    return name[0].lower() + name[1:]
