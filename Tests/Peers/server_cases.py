"""Codes of errors, and the form of the cases that provoke them."""

DAY = 86_400_000
LONG = "7" * 100
# Neither an id of a transaction that exists, nor one that could not exist.
UNKNOWN = "999999999999999"
NUMBER = "00000000-0000-4000-8000-000000000007"
NO_PRODUCT = "no such product"

BAD_REQUEST, REVISION, TRANSACTION, ORIGINAL = 4000000, 4000005, 4000006, 4000008
DAYS, REASON, REQUEST, TOO_EARLY, ORDER_OF_DATES = 4000009, 4000010, 4000011, 4000012, 4000013
PAGE, START, END, PAGE_EXPIRED, NOTIFICATION_TYPE, FILTERS = 4000014, 4000015, 4000016, 4000017, 4000018, 4000019
TEST_TOKEN, SORT, PRODUCT_TYPE, PRODUCT, GROUP, EXCLUDE_REVOKED = 4000020, 4000021, 4000022, 4000023, 4000024, 4000025
OWNERSHIP, NO_STOREFRONTS, STOREFRONT, REVOKED, STATUS = 4000026, 4000027, 4000028, 4000030, 4000031
CONSENTED, DELIVERY, SAMPLE, PREFERENCE = 4000035, 4000036, 4000041, 4000044
KIND, APP_TRANSACTION, TOKEN, FAMILY, NOT_ORIGINAL, PERCENTAGE = 4000047, 4000048, 4000183, 4000185, 4000187, 4000209
INELIGIBLE, EXTENDED, FAMILY_EXTENSION = 4030004, 4030005, 4030007
NO_ACCOUNT, NO_APP, NO_ORIGINAL, NO_URL, NO_TEST, NO_REQUEST = 4040001, 4040003, 4040005, 4040007, 4040008, 4040009
NOT_FOUND, NO_APP_TRANSACTION = 4040010, 4040019


def asks(id, code, method, *arguments, **more):
    """A case with a method of Apple's client."""
    return {"id": id, "code": code, "method": method, "arguments": list(arguments), **more}


def sends(id, code, method, path, **more):
    """A case that Apple's client would not send."""
    return {"id": id, "code": code, "send": [method, path], **more}


def without(values, *names):
    return {name: value for name, value in values.items() if name not in names}


def bodies(id, code, method, path):
    """Bodies that are no JSON object."""
    return [
        sends(f"{id} without body", code, method, path),
        sends(f"{id} with no JSON", code, method, path, text='{"'),
        sends(f"{id} with an array", code, method, path, body=[1]),
    ]
