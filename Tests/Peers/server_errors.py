"""The errors that requests can provoke, each provoked and read as Apple's client reads it.

A case has an `id` and the expected `code`, or null and the expected `status`. It says what is asked in one of two forms:

{"method": "get_transaction_info", "arguments": ["abc"]}
    A method of Apple's client. Its arguments are made of JSON by the types that the method declares.
{"send": ["GET", "/inApps/v1/subscriptions/7"], "query": {"status": "9"}, "body": {…}, "text": "…"}
    A request that the client would not send: `query`, `body` (JSON) and `text` (a body as it is) may be absent.

A name in braces stands for the id of this name in the question; a case whose id the question lacks is skipped. A case
may also have:

needs    Names of ids without which it is skipped, although it does not ask with them.
given    For each name, another such request with a `field`, whose value in the reply becomes the id of this name.
bundle   The bundle identifier that the token names.

The question's own `cases` take the place of the table in `server_error_cases.py`, unless `table` is true. `now` is the
time in milliseconds, if it is not that of the machine. The ids of the table:

transaction, original       A purchase of the customer's own, and the first transaction of one.
consumable, nonConsumable   A purchase of either kind.
subscription, product       The original id of an active, paid subscription, and its product.
renewal                     A later transaction of a subscription.
family                      The original id of a subscription that the customer has through the family.
expired, trial, retry, refunded, extended
                            Original ids of subscriptions in these states; the last was extended twice.
appTransaction              The customer's `appTransactionId`.
otherCustomer               A purchase of another customer.
gone, noAppTransaction      Purchases of a customer who is gone, and of one without an app transaction.
otherEnvironment            A purchase of the other environment.
expiredToken                A `paginationToken` of long ago.
noURL                       Anything: the app has no address for notifications.
"""

import re
import time
import typing
from uuid import UUID

import attr
from appstoreserverlibrary.api_client import APIException
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from server_error_cases import error_cases
from server_peer import Client


class Missing(Exception):
    """An id that the question does not have."""


def provoke(asked):
    """What became of each case."""
    cases = list(asked.get("cases") or [])
    if not cases or asked.get("table"):
        cases += error_cases(asked.get("now") or int(time.time() * 1000))
    answers = [answer(case, asked) for case in cases]
    return {
        "cases": answers,
        "failed": [case["id"] for case in answers if not case["ok"] and "skipped" not in case],
        "skipped": [case["id"] for case in answers if "skipped" in case],
        "codes": sorted({case["code"] for case in answers if case["ok"] and case["code"]}),
    }


def answer(case, asked):
    said = {"id": case["id"], "expected": case["code"], "code": None, "name": None, "ok": False}
    client = Client({**asked, "bundle": case.get("bundle", asked["bundle"])})
    try:
        ids = dict(asked["ids"])
        for name in case.get("needs", []):
            found(name, ids)
        for name, request in case.get("given", {}).items():
            ids[name] = value_of(client, request, ids)
        ask(client, case, ids)
        said["error"] = f"no error: {client.response.status_code} {client.response.text[:200]}"
    except Missing as missing:
        said["skipped"] = str(missing)
    except APIException as error:
        said["code"], said["status"], said["message"] = (
            error.raw_api_error, error.http_status_code, error.error_message)
        said["name"] = error.api_error and error.api_error.name
        said["retryAfter"] = client.response.headers.get("Retry-After")
        doubt = doubt_about(error, case, client.response)
        said["ok"] = doubt is None
        if doubt:
            said["error"] = doubt
    except Exception as error:  # Whatever it is, the answer tells it.
        said["error"] = repr(error)
    return said


def doubt_about(error, case, response):
    """What is wrong with an error, if anything is."""
    code = case["code"]
    status = case["status"] if code is None else code // 10000
    if (error.raw_api_error, error.http_status_code) != (code, status):
        kind = response.headers.get("Content-Type")
        return f"{error.http_status_code} {error.raw_api_error} {kind}: {response.text[:200]}"
    if code is None:
        return None
    if set(response.json()) != {"errorCode", "errorMessage"} or not error.error_message:
        return f"has another form: {response.text[:200]}"
    return None if isinstance(error.raw_api_error, int) else "has a code that is no integer"


def value_of(client, request, ids):
    """The value of a field of a reply."""
    ask(client, request, ids)
    value = client.response.json().get(request["field"])
    if value is None:
        raise Missing(f"a reply with {request['field']}")
    return value


def ask(client, request, ids):
    """Asks for the one or the other."""
    request = filled(request, ids)
    if "send" in request:
        client.send(*request["send"], request.get("query"), request.get("body"), request.get("text"))
    else:
        method = getattr(client, request["method"])
        types = [kind for name, kind in typing.get_type_hints(method).items() if name != "return"]
        method(*(typed(value, kind) for value, kind in zip(request["arguments"], types)))


def typed(value, kind):
    """A value of JSON as the type of a parameter."""
    kinds = [inner for inner in typing.get_args(kind) if inner is not type(None)]
    if typing.get_origin(kind) is typing.Union:
        return None if value is None else typed(value, kinds[0])
    if typing.get_origin(kind) is list:
        return [typed(item, kinds[0]) for item in value]
    if attr.has(kind):
        return _get_cattrs_converter(kind).structure(value, kind)
    return UUID(value) if kind is UUID else value.encode() if kind is bytes else kind(value)


def filled(value, ids):
    """A value of JSON with the ids in place of their names."""
    if isinstance(value, dict):
        return {name: filled(inner, ids) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(item, ids) for item in value]
    return re.sub(r"\{(\w+)\}", lambda match: found(match[1], ids), value) if isinstance(value, str) else value


def found(name, ids):
    if ids.get(name) is None:
        raise Missing(name)
    return str(ids[name])
