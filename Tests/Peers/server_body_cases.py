"""Errors that the fields of a body provoke."""

from server_cases import *


def account_token():
    """Setting the token of an account."""
    path, method = "/inApps/v1/transactions/{original}/appAccountToken", "set_app_account_token"
    good = {"appAccountToken": NUMBER}
    return [
        asks("token for letters", TRANSACTION, method, "abc", good),
        asks("token for an app transaction", APP_TRANSACTION, method, "{appTransaction}", good),
        asks("token for a family's purchase", FAMILY, method, "{family}", good),
        asks("token for a renewal", NOT_ORIGINAL, method, "{renewal}", good),
        asks("token for an unknown id", NO_ORIGINAL, method, UNKNOWN, good),
        asks("token that is no UUID", TOKEN, method, "{original}", {"appAccountToken": "abc"}),
        asks("empty token", TOKEN, method, "{original}", {"appAccountToken": ""}),
        asks("token without hyphens", TOKEN, method, "{original}", {"appAccountToken": NUMBER.replace("-", "")}),
        sends("token that is a number", TOKEN, "PUT", path, body={"appAccountToken": 7}),
        sends("no token", TOKEN, "PUT", path, body={}),
        *bodies("token", BAD_REQUEST, "PUT", path),
    ]


def consumption():
    """Consumption information, version 2."""
    path = "/inApps/v2/transactions/consumption/"
    good = {"customerConsented": True, "sampleContentProvided": False, "deliveryStatus": "DELIVERED"}

    def reports(what, code, id="{consumable}", **more):
        return asks(f"consumption {what}", code, "send_consumption_information", id, {**good, **more})

    def without_client(what, code, body):
        return sends(f"consumption {what}", code, "PUT", path + "{consumable}", body=body)

    return [
        reports("of letters", TRANSACTION, "abc"),
        reports("of an unknown id", NOT_FOUND, UNKNOWN),
        reports("of an app transaction", APP_TRANSACTION, "{appTransaction}"),
        reports("of a family's purchase", FAMILY, "{family}"),
        reports("of a subscription with a percentage", PERCENTAGE, "{subscription}", consumptionPercentage=50_000),
        reports("without consent", CONSENTED, customerConsented=False),
        without_client("that does not speak of consent", CONSENTED, without(good, "customerConsented")),
        without_client("with words as consent", CONSENTED, {**good, "customerConsented": "true"}),
        without_client("that does not speak of samples", SAMPLE, without(good, "sampleContentProvided")),
        without_client("with a number as sample", SAMPLE, {**good, "sampleContentProvided": 1}),
        reports("with an unknown delivery", DELIVERY, deliveryStatus="LOST"),
        without_client("that does not speak of delivery", DELIVERY, without(good, "deliveryStatus")),
        without_client("with a number as delivery", DELIVERY, {**good, "deliveryStatus": 0}),
        reports("with an unknown preference", PREFERENCE, refundPreference="MAYBE"),
        without_client("with a number as preference", PREFERENCE, {**good, "refundPreference": 1}),
        reports("of less than nothing", BAD_REQUEST, consumptionPercentage=-1),
        reports("of more than all", BAD_REQUEST, consumptionPercentage=100_001),
        without_client("with words as percentage", BAD_REQUEST, {**good, "consumptionPercentage": "5"}),
        without_client("with a fraction as percentage", BAD_REQUEST, {**good, "consumptionPercentage": 0.5}),
        reports("of what was not delivered", BAD_REQUEST, deliveryStatus="UNDELIVERED_OTHER", consumptionPercentage=1),
        *(reports(f"of {part}, prorated", BAD_REQUEST, refundPreference="GRANT_PRORATED", consumptionPercentage=part)
          for part in (0, 100_000)),
        *bodies("consumption", BAD_REQUEST, "PUT", path + "{consumable}"),
    ]


# Fields of version 1 that are numbers, with their greatest value and their code.
VERSION_1 = {
    "accountTenure": (7, 4000032), "consumptionStatus": (3, 4000034), "deliveryStatus": (5, DELIVERY),
    "lifetimeDollarsPurchased": (7, 4000037), "lifetimeDollarsRefunded": (7, 4000038), "platform": (2, 4000039),
    "playTime": (7, 4000040), "userStatus": (4, 4000042), "refundPreference": (3, PREFERENCE),
}
OTHER_CODES = {"appAccountToken": 4000033, "customerConsented": CONSENTED, "sampleContentProvided": SAMPLE}


def consumption_version_1():
    """Consumption information, version 1: each field has a code."""
    path = "/inApps/v1/transactions/consumption/{consumable}"
    good = {name: 0 for name in VERSION_1} | {
        "appAccountToken": "", "customerConsented": True, "sampleContentProvided": False}

    def reports(what, code, id="{consumable}", body=None, **more):
        return asks(f"consumption v1 {what}", code, "send_consumption_data", id, body or {**good, **more})

    cases = [
        reports("of letters", TRANSACTION, "abc"),
        reports("of an unknown id", NOT_FOUND, UNKNOWN),
        reports("of a kind that is not consumed", KIND, "{nonConsumable}"),
        reports("without consent", CONSENTED, customerConsented=False),
        reports("with a token that is no UUID", OTHER_CODES["appAccountToken"], appAccountToken="abc"),
        *bodies("consumption v1", BAD_REQUEST, "PUT", path),
    ]
    for name, (most, code) in VERSION_1.items():
        cases += [
            reports(f"with {name} above its range", code, **{name: most + 1}),
            reports(f"with {name} below its range", code, **{name: -1}),
            sends(f"consumption v1 with words as {name}", code, "PUT", path, body={**good, name: "1"}),
        ]
    required = {name: code for name, (_, code) in VERSION_1.items() if name != "refundPreference"} | OTHER_CODES
    return cases + [reports(f"without {name}", code, body=without(good, name)) for name, code in required.items()]


def extension_fields(what, path, method, good):
    """The fields that both extensions have."""
    wrong = [("extendByDays", value, DAYS) for value in (0, 91, -1, 1.5, "5", None)]
    wrong += [("extendReasonCode", value, REASON) for value in (4, -1, "1", None)]
    cases = [
        sends(f"{what} with {value!r} as {name}", code, method, path, body={**good, name: value})
        for name, value, code in wrong
    ]
    return cases + [
        sends(f"{what} without {name}", code, method, path, body=without(good, name))
        for name, code in (("extendByDays", DAYS), ("extendReasonCode", REASON), ("requestIdentifier", REQUEST))
    ] + bodies(what, BAD_REQUEST, method, path)


def extension():
    """Extending a subscription."""
    path = "/inApps/v1/subscriptions/extend/{subscription}"
    good = {"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": "5 days"}

    def extends(what, code, id="{subscription}", **more):
        return asks(f"extension {what}", code, "extend_subscription_renewal_date", id, {**good, **more})

    return [
        extends("of letters", ORIGINAL, "abc"),
        extends("of an unknown id", NO_ORIGINAL, UNKNOWN),
        extends("of no days", DAYS, extendByDays=0),
        extends("of 91 days", DAYS, extendByDays=91),
        extends("without a request", REQUEST, requestIdentifier=""),
        extends("of a request with a long name", REQUEST, requestIdentifier="x" * 129),
        *extension_fields("extension", path, "PUT", good),
        extends("of a subscription that has expired", INELIGIBLE, "{expired}"),
        extends("of a free offer", INELIGIBLE, "{trial}"),
        extends("in the billing retry", INELIGIBLE, "{retry}"),
        extends("of a refunded subscription", INELIGIBLE, "{refunded}"),
        extends("for the third time", EXTENDED, "{extended}"),
        extends("of a family's subscription", FAMILY_EXTENSION, "{family}"),
    ]


def mass_extension():
    """Extending all subscriptions of a product."""
    path = "/inApps/v1/subscriptions/extend/mass"
    good = {"extendByDays": 5, "extendReasonCode": 1, "requestIdentifier": NUMBER, "productId": "{product}"}

    def extends(what, code, **more):
        return asks(f"mass extension {what}", code, "extend_renewal_date_for_all_active_subscribers", {**good, **more})

    status = "get_status_of_subscription_renewal_date_extensions"
    return [
        extends("of 91 days", DAYS, extendByDays=91),
        extends("of a request without UUID", REQUEST, requestIdentifier="5 days"),
        extends("of no product", PRODUCT, productId=""),
        extends("of an unknown product", PRODUCT, productId=NO_PRODUCT),
        sends("mass extension without product", PRODUCT, "POST", path, body=without(good, "productId")),
        extends("in no storefront", NO_STOREFRONTS, storefrontCountryCodes=[]),
        *(extends(f"in {code or 'an empty storefront'}", STOREFRONT, storefrontCountryCodes=["USA", code])
          for code in ("US", "usa", "ZZZ", "USAA", "")),
        sends("mass extension in a number", STOREFRONT, "POST", path, body={**good, "storefrontCountryCodes": [840]}),
        *extension_fields("mass extension", path, "POST", good),
        asks("mass status of no UUID", REQUEST, status, "5 days", "{product}"),
        asks("mass status of an unknown product", PRODUCT, status, NUMBER, NO_PRODUCT),
        asks("mass status of an unknown request", NO_REQUEST, status, NUMBER, "{product}"),
    ]


def notification_history(now):
    """The history of notifications."""
    path, good = "/inApps/v1/notifications/history", {"startDate": now - 29 * DAY, "endDate": now}

    def reads(what, code, token=None, given=None, **more):
        request = {**good, **more}
        return asks(
            f"notification history {what}", code, "get_notification_history", token, request, given=given or {})

    def without_client(what, code, body):
        return sends(f"notification history {what}", code, "POST", path, body=body)

    given = {
        "token": {"method": "get_notification_history", "arguments": [None, good], "field": "paginationToken"},
    }
    return [
        without_client("without start", START, without(good, "startDate")),
        without_client("with words as the start", START, {**good, "startDate": "yesterday"}),
        without_client("without end", END, without(good, "endDate")),
        without_client("with words as the end", END, {**good, "endDate": "tomorrow"}),
        reads("of 200 days", TOO_EARLY, startDate=now - 200 * DAY),
        reads("of no time", ORDER_OF_DATES, startDate=now - DAY, endDate=now - DAY),
        reads("backwards", ORDER_OF_DATES, startDate=now - DAY, endDate=now - 2 * DAY),
        reads("with no token", PAGE, "not a token"),
        reads("with a longer token", PAGE, "{token}x", given),
        reads("with the token of another body", PAGE, "{token}", given, onlyFailures=True),
        reads("with a token of long ago", PAGE_EXPIRED, "{expiredToken}"),
        without_client("of an unknown type", NOTIFICATION_TYPE, {**good, "notificationType": "NEWS"}),
        without_client("of an unknown subtype", NOTIFICATION_TYPE, {
            **good, "notificationType": "SUBSCRIBED", "notificationSubtype": "NEWS"}),
        without_client("of a number as type", NOTIFICATION_TYPE, {**good, "notificationType": 7}),
        reads("of a subtype alone", NOTIFICATION_TYPE, notificationSubtype="INITIAL_BUY"),
        reads("of a subtype that does not fit", NOTIFICATION_TYPE, notificationType="TEST",
              notificationSubtype="INITIAL_BUY"),
        reads("of a type and a transaction", FILTERS, notificationType="TEST", transactionId="{transaction}"),
        reads("of letters", TRANSACTION, transactionId="abc"),
        reads("of an unknown id", NOT_FOUND, transactionId=UNKNOWN),
        reads("of no account", NO_ACCOUNT, transactionId="{gone}"),
        without_client("of a number", TRANSACTION, {**good, "transactionId": 7}),
        without_client("with words for failures", BAD_REQUEST, {**good, "onlyFailures": "maybe"}),
        *bodies("notification history", BAD_REQUEST, "POST", path),
    ]
