"""Calls each method of Apple's client once, in an order in which each can succeed."""

import asyncio
import inspect
import time
import uuid

from appstoreserverlibrary.api_client import APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from appstoreserverlibrary.signed_data_verifier import VerificationException
from server_peer import differences

DAY = 86_400_000
WAIT = 10
MOST_PAGES = 100


async def call_all(client, signed, asked, kind):
    """The calls of a client, each with its verdict."""
    journal = Journal(client, signed, kind)
    ids = {"appTransaction": asked["ids"]["transaction"], **asked["ids"]}
    await journal.read(ids)
    await journal.change(ids)
    await journal.notifications(asked.get("now") or int(time.time() * 1000))
    await journal.messaging(ids)
    if hasattr(client, "async_close"):
        await client.async_close()
    return journal.calls


class Journal:
    """Calls methods, and notes what became of each call."""

    def __init__(self, client, signed, kind):
        self.client, self.signed, self.kind, self.calls = client, signed, kind, []

    async def read(self, ids):
        """The methods that change nothing."""
        everything = TransactionHistoryRequest()
        await self.call("get_transaction_info", ids["transaction"])
        for version in GetTransactionHistoryVersion:
            await self.pages(
                "get_transaction_history", lambda revision, version=version: (
                    ids["appTransaction"], revision, everything, version), "revision", note=version.value)
        await self.call("get_all_subscription_statuses", ids["subscription"])
        await self.pages("get_refund_history", lambda revision: (ids["transaction"], revision), "revision")
        await self.call("look_up_order_id", ids["order"])
        await self.call("get_app_transaction_info", ids["appTransaction"])

    async def change(self, ids):
        """The methods that change purchases. Done again, they ask for the same."""
        extension = {"extendByDays": 1, "extendReasonCode": ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE}
        request = str(uuid.uuid5(uuid.NAMESPACE_URL, ids["product"]))
        token = UpdateAppAccountTokenRequest(appAccountToken=str(uuid.UUID(int=7)))
        await self.call("set_app_account_token", ids["original"], token)
        await self.call("finish_transaction", ids["consumable"])
        await self.call(
            "send_consumption_data", ids["consumable"], ConsumptionRequestV1(
                customerConsented=True, sampleContentProvided=False, appAccountToken="", rawConsumptionStatus=1,
                rawPlatform=1, rawDeliveryStatus=0, rawAccountTenure=2, rawPlayTime=3, rawLifetimeDollarsRefunded=1,
                rawLifetimeDollarsPurchased=2, rawUserStatus=1, rawRefundPreference=2))
        await self.call(
            "send_consumption_information", ids["consumable"], ConsumptionRequest(
                customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED,
                consumptionPercentage=50_000))
        await self.call(
            "extend_subscription_renewal_date", ids["subscription"],
            ExtendRenewalDateRequest(requestIdentifier=f"extend {ids['subscription']}", **extension))
        await self.call(
            "extend_renewal_date_for_all_active_subscribers", MassExtendRenewalDateRequest(
                requestIdentifier=request, productId=ids["product"], storefrontCountryCodes=["USA"], **extension))
        await self.call("get_status_of_subscription_renewal_date_extensions", request, ids["product"])

    async def notifications(self, now):
        """The methods about notifications."""
        answer = await self.call("request_test_notification")
        if answer:
            # Until the first attempt is over, there is no status of it.
            await self.call(
                "get_test_notification_status", answer.testNotificationToken, until=time.monotonic() + WAIT)
        request = NotificationHistoryRequest(startDate=now - 7 * DAY, endDate=now + DAY)
        await self.pages("get_notification_history", lambda token: (token, request), "paginationToken")

    async def messaging(self, ids):
        """The methods of Retention Messaging, each of which is refused."""
        number, product = uuid.UUID(int=7), (ids["product"], "en-US")
        message = UploadMessageRequestBody(header="Before you go", body="There is more to come.")
        for name, arguments in [
            ("upload_image", (number, b"\x89PNG\r\n\x1a\n", ImageSize.FULL_SIZE)),
            ("get_image_list", ()),
            ("delete_image", (number,)),
            ("upload_message", (number, message)),
            ("get_message_list", ()),
            ("delete_message", (number,)),
            ("configure_default_message", (*product, DefaultConfigurationRequest(messageIdentifier=number))),
            ("get_default_message", product),
            ("delete_default_message", product),
            ("configure_realtime_url", (RealtimeUrlRequest(realtimeURL="https://example.com/retention"),)),
            ("get_realtime_url", ()),
            ("delete_realtime_url", ()),
            ("initiate_performance_test", (PerformanceTestRequest(originalTransactionId=ids["subscription"]),)),
            ("get_performance_test_results", (str(number),)),
        ]:
            await self.call(name, *arguments, refused=True)

    async def pages(self, name, arguments, field, note=""):
        """Calls a method for each page, each with what the page before has in a field."""
        reply = await self.call(name, *arguments(None), note=note)
        for page in range(2, MOST_PAGES + 1):
            if not reply or not reply.hasMore:
                return
            reply = await self.call(name, *arguments(getattr(reply, field)), note=f"{note} page {page}".strip())

    async def call(self, name, *arguments, note="", refused=False, until=0.0):
        """The reply, or nothing after an error. Until a time, what is not found is asked for again."""
        noted = {"method": name, "note": note, "client": self.kind, "ok": False, "verified": 0}
        self.calls.append(noted)
        try:
            reply = await self.answer(name, arguments, until)
        except APIException as error:
            noted["status"], noted["code"] = error.http_status_code, error.raw_api_error
            noted["name"] = error.api_error and error.api_error.name
            noted["ok"] = refused and isinstance(error.raw_api_error, int) and bool(error.error_message)
            if not noted["ok"]:
                noted["error"] = self.described(error)
            return None
        except Exception as error:  # Whatever it is, the answer tells it.
            noted["error"] = repr(error)
            return None
        try:
            kinds, doubts = self.signed.check_inside(reply)
            noted["verified"] = len(kinds)
            doubts += self.doubts(reply)
        except VerificationException as error:
            doubts = [error.status.name]
        if refused:
            doubts.append("is not refused")
        noted["ok"] = not doubts
        if doubts:
            noted["error"] = "; ".join(doubts[:8])
        return reply

    async def answer(self, name, arguments, until):
        while True:
            try:
                reply = getattr(self.client, name)(*arguments)
                return await reply if inspect.isawaitable(reply) else reply
            except APIException as error:
                if error.http_status_code != 404 or time.monotonic() >= until:
                    raise
                await asyncio.sleep(0.02)

    def doubts(self, reply):
        """What the reply has otherwise than the documentation says."""
        sent = self.client.response
        if reply is None:
            return [f"has a body of {len(sent.content)} bytes"] if sent.content else []
        found, asked = differences(sent.json(), reply), self.signed.asked
        expected = {
            "bundleId": asked["bundle"], "rawEnvironment": asked["environment"],
            "appAppleId": asked.get("app") if asked["environment"] == "Production" else None,
        }
        return found + [
            f"{name} is {getattr(reply, name)!r}" for name, value in expected.items()
            if getattr(reply, name, value) != value
        ]

    def described(self, error):
        response = self.client.response
        kind = response.headers.get("content-type")
        return f"{error.http_status_code} {error.raw_api_error} {error.error_message!r} {kind}: {response.text[:200]}"
