"""The table of errors that requests can provoke, without the store's faults.

`server_errors.py` explains the form of a case.
"""

from server_body_cases import (
    account_token, consumption, consumption_version_1, extension, mass_extension, notification_history,
)
from server_cases import *


# Methods that take one id alone, with the codes for ids that are none, and for ids that no transaction has.
BY_ID = [
    ("get_transaction_info", "GET", "/inApps/v1/transactions/", "", TRANSACTION, NOT_FOUND),
    ("history v1", "GET", "/inApps/v1/history/", "", TRANSACTION, NOT_FOUND),
    ("history v2", "GET", "/inApps/v2/history/", "", TRANSACTION, NOT_FOUND),
    ("get_all_subscription_statuses", "GET", "/inApps/v1/subscriptions/", "", TRANSACTION, NOT_FOUND),
    ("refund history v1", "GET", "/inApps/v1/refund/lookup/", "", ORIGINAL, NO_ORIGINAL),
    ("refund history v2", "GET", "/inApps/v2/refund/lookup/", "", TRANSACTION, NOT_FOUND),
    ("get_app_transaction_info", "GET", "/inApps/v1/transactions/appTransactions/", "", TRANSACTION, NOT_FOUND),
    ("finish_transaction", "POST", "/inApps/v1/transactions/", "/finish", TRANSACTION, NOT_FOUND),
]
# What cannot be an id; the third are digits, but not those of ASCII.
NO_IDS = [
    ("letters", "abc"), ("a sign", "-7"), ("Arabic digits", "\u0667\u0668"), ("a blank", "7%207"),
    ("a hundred digits", LONG),
]


def error_cases(now):
    """All cases, at a time in milliseconds."""
    return [
        *identifiers(), *accounts(), *history("v1"), *history("v2"), *refund_history(), *statuses(), *orders(),
        *account_token(), *consumption(), *consumption_version_1(), *extension(), *mass_extension(),
        *notification_history(now), *tests(), *apps(),
    ]


def identifiers():
    """Ids of transactions."""
    cases = []
    for name, method, before, after, malformed, unknown in BY_ID:
        cases += [sends(f"{name} of {what}", malformed, method, before + id + after) for what, id in NO_IDS]
        cases.append(sends(f"{name} of an unknown id", unknown, method, before + UNKNOWN + after))
    return cases + [
        asks("transaction info of letters", TRANSACTION, "get_transaction_info", "abc"),
        asks("transaction info of an unknown id", NOT_FOUND, "get_transaction_info", UNKNOWN),
        asks("transaction info of an app transaction", APP_TRANSACTION, "get_transaction_info", "{appTransaction}"),
        asks("transaction info of the other environment", NOT_FOUND, "get_transaction_info", "{otherEnvironment}"),
        asks("finishing letters", TRANSACTION, "finish_transaction", "abc"),
        asks("finishing an unknown id", NOT_FOUND, "finish_transaction", UNKNOWN),
        asks("finishing an app transaction", APP_TRANSACTION, "finish_transaction", "{appTransaction}"),
        asks("app transaction of letters", TRANSACTION, "get_app_transaction_info", "abc"),
        asks("no app transaction", NO_APP_TRANSACTION, "get_app_transaction_info", "{noAppTransaction}"),
    ]


def accounts():
    """A customer who is gone."""
    return [
        asks("history of no account", NO_ACCOUNT, "get_transaction_history", "{gone}", None, {}, "v2"),
        asks("statuses of no account", NO_ACCOUNT, "get_all_subscription_statuses", "{gone}", None),
    ]


def history(version):
    """The parameters of the history."""
    path = f"/inApps/{version}/history/{{transaction}}"

    def filtered(what, code, **query):
        return sends(f"history {version} with {what}", code, "GET", path, query=query)

    def reads(what, code, revision="{revision}", request=None, **more):
        return asks(
            f"history {version} with {what}", code, "get_transaction_history", "{transaction}", revision, request or {},
            version, **more)

    def revision(method, *arguments):
        return {"revision": {"method": method, "arguments": list(arguments), "field": "revision"}}

    given = revision("get_transaction_history", "{transaction}", None, {}, version)
    others = revision("get_transaction_history", "{otherCustomer}", None, {}, version)
    refunds = revision("get_refund_history", "{transaction}", None)
    return [
        reads("no revision", REVISION, "not a revision"),
        filtered("an empty revision", REVISION, revision=""),
        reads("a longer revision", REVISION, "{revision}x", given=given),
        reads("the revision of another order", REVISION, request={"sort": "DESCENDING"}, given=given),
        reads("the revision of other products", REVISION, request={"productIds": ["a"]}, given=given),
        reads("the revision of another customer", REVISION, given=others),
        reads("the revision of refunds", REVISION, given=refunds),
        filtered("words as the start", START, startDate="yesterday"),
        filtered("a fraction as the start", START, startDate="1.5"),
        filtered("an enormous start", START, startDate=LONG),
        filtered("an empty start", START, startDate=""),
        filtered("words as the end", END, endDate="tomorrow"),
        filtered("an enormous end", END, endDate=LONG),
        filtered("an empty end", END, endDate=""),
        reads("an end at the start", END, None, {"startDate": 7, "endDate": 7}),
        filtered("an unknown order", SORT, sort="UPWARD"),
        filtered("an order in lower case", SORT, sort="ascending"),
        filtered("an unknown type", PRODUCT_TYPE, productType="SUBSCRIPTION"),
        filtered("an unknown type among others", PRODUCT_TYPE, productType=["CONSUMABLE", "Consumable"]),
        reads("an empty product", PRODUCT, None, {"productIds": [""]}),
        reads("an empty group", GROUP, None, {"subscriptionGroupIdentifiers": [""]}),
        filtered("an old filter that is no Boolean", EXCLUDE_REVOKED, excludeRevoked="maybe"),
        filtered("an unknown ownership", OWNERSHIP, inAppOwnershipType="STOLEN"),
        filtered("a filter that is no Boolean", REVOKED, revoked="maybe"),
        filtered("an empty filter", REVOKED, revoked=""),
    ]


def refund_history():
    """The history of refunds, whose only parameter is its revision."""
    read = {"method": "get_refund_history", "arguments": ["{transaction}", None], "field": "revision"}
    return [
        asks("refund history with no revision", REVISION, "get_refund_history", "{transaction}", "not a revision"),
        asks("refund history with a longer revision", REVISION, "get_refund_history", "{transaction}", "{revision}x",
             given={"revision": read}),
        asks("refund history of letters", TRANSACTION, "get_refund_history", "abc", None),
        asks("refund history of an unknown id", NOT_FOUND, "get_refund_history", UNKNOWN, None),
    ]


def statuses():
    """The filter of statuses."""
    path = "/inApps/v1/subscriptions/{transaction}"
    return [
        sends(f"statuses with {value or 'an empty one'}", STATUS, "GET", path, query={"status": value})
        for value in ("0", "6", "active", "1.5", "", LONG)
    ] + [
        sends("statuses with a wrong one among others", STATUS, "GET", path, query={"status": ["1", "9"]}),
        asks("statuses of letters", TRANSACTION, "get_all_subscription_statuses", "abc", [1, 2]),
    ]


def orders():
    return [asks("a long order", BAD_REQUEST, "look_up_order_id", LONG)]


def tests():
    """Test notifications."""
    return [
        asks("test without an address", NO_URL, "request_test_notification", needs=["noURL"]),
        asks("test status of no token", TEST_TOKEN, "get_test_notification_status", "not a token"),
        asks("test status of an unknown token", NO_TEST, "get_test_notification_status", NUMBER),
    ]


def apps():
    """An app that the team does not have."""
    foreign = {"bundle": "com.example.not.ours"}
    return [
        asks("transaction of another's app", NO_APP, "get_transaction_info", "{transaction}", **foreign),
        asks("history of another's app", NO_APP, "get_transaction_history", "{transaction}", None, {}, "v2", **foreign),
        asks("statuses of another's app", NO_APP, "get_all_subscription_statuses", "{transaction}", None, **foreign),
        asks("test of another's app", NO_APP, "request_test_notification", **foreign),
    ]
