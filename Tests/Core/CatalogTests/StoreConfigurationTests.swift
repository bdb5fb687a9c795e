import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct StoreConfigurationTests {
    @Test func `the sample .storekit file is read`() throws {
        let configuration = try StoreConfiguration(data: Data(contentsOf: Repository.sample("Voyager.storekit")))

        #expect(configuration.version == (4, 0))
        #expect(configuration.storefront == "USA")
        #expect(configuration.locale == "en_US")
        #expect(configuration.subscriptions.isEmpty)
        #expect(configuration.unknownKeys.isEmpty)
        #expect(configuration.items.count == 11)
        let item = try #require(configuration.items.first)
        #expect(item.identifier == .voyager("lisbon"))
        #expect(item.kind == .nonConsumable)
        #expect(item.price == Decimal(string: "4.99"))
        #expect(item.isFamilyShareable)
        #expect(item.localizations.map(\.locale) == ["en_US", "de"])
    }

    @Test func `values that are missing in a .storekit file have the defaults of Xcode`() throws {
        let configuration = try StoreConfiguration(data: Data(#"{"version": {"major": 1, "minor": 0}}"#.utf8))

        #expect(configuration.items.isEmpty)
        #expect(configuration.groups.isEmpty)
        #expect(configuration.omissions.isEmpty)
        #expect(configuration.storefront == "USA")
        #expect(configuration.locale == "en_US")
        #expect(configuration.settings.timeRate == 0)
        #expect(configuration.settings.failingCalls.isEmpty)
        #expect(configuration.offersKeyPair == nil)
    }

    @Test func `non-renewing subscriptions are read from either list of a .storekit file that may contain them`() throws
    {
        let configuration = try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 9, "minor": 1},
                 "products": [{"productID": "a", "type": "NonRenewingSubscription", "displayPrice": ""}],
                 "nonRenewingSubscriptions": [{"productID": "b", "type": "NonRenewingSubscription"}]}
                """.utf8))

        #expect(configuration.items.map(\.identifier) == ["a", "b"])
        #expect(configuration.items.allSatisfy { $0.kind == .nonRenewingSubscription && $0.price == nil })
    }

    @Test func `subscriptions are read from a .storekit file with their group, level and offers, each once`() throws {
        let configuration = try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 5, "minor": 0}, "subscriptionGroups": [{"id": "7", "name": "Club", "subscriptions": [
                  {"productID": "club.month", "type": "RecurringSubscription", "displayPrice": "2.99", "groupNumber": 2,
                   "recurringSubscriptionPeriod": "P1M", "familySharable": true, "subscriptionGroupID": "7",
                   "introductoryOffer": {"internalID": "A", "paymentMode": "free", "subscriptionPeriod": "P1W",
                                         "displayPrice": "0.99"},
                   "introductoryOffers": [{"internalID": "A", "paymentMode": "free", "subscriptionPeriod": "P1W"}],
                   "adHocOffers": [{"offerID": "back", "paymentMode": "payAsYouGo", "subscriptionPeriod": "P1M",
                                    "numberOfPeriods": 3, "displayPrice": "0.49"}],
                   "winbackOffers": [{"offerID": "w", "paymentMode": "payUpFront", "subscriptionPeriod": "P1Y",
                                      "displayPrice": "19.99"}],
                   "codeOffers": [{"referenceName": "code", "paymentMode": "free", "subscriptionPeriod": "P3D"}]}]}]}
                """.utf8))
        let subscription = try #require(configuration.subscriptions.first)

        #expect(configuration.items.isEmpty)
        #expect(configuration.unknownKeys.isEmpty)
        #expect(configuration.subscriptions.count == 1)
        #expect(subscription.item.identifier == "club.month")
        #expect(subscription.item.kind == .autoRenewableSubscription)
        #expect(subscription.item.isFamilyShareable)
        #expect(subscription.group == "Club")
        #expect(subscription.level == 2)
        #expect(subscription.groupID == "7")
        #expect(subscription.period == RenewalPeriod(count: 1, unit: .month))
        #expect(subscription.offers.map(\.kind) == [.introductory, .promotional, .winBack, .code])
        #expect(subscription.offers.map(\.identifier) == ["A", "back", "w", "code"])
        #expect(subscription.offers.map(\.periodCount) == [1, 3, 1, 1])
        #expect(subscription.offers.map(\.price) == [nil, Decimal(string: "0.49"), Decimal(string: "19.99"), nil])
        #expect(subscription.offers.map(\.period.description) == ["P1W", "P1M", "P1Y", "P3D"])
        #expect(subscription.offers.map(\.duration.description) == ["P1W", "P3M", "P1Y", "P3D"])
    }

    @Test func `unknown keys of a .storekit file are listed by path, except the keys of its settings`() throws {
        let configuration = try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 4, "minor": 0}, "nonRenewableSubscriptions": [], "settings": {"_new": 1},
                 "subscriptionOffersKeyPair": {"id": "A", "privateKey": "MIGTAgEA"},
                 "products": [{"productID": "a", "type": "Consumable", "pricing": {"b": 1}}],
                 "subscriptionGroups": [{"id": "1", "performanceData": 1, "subscriptions": [
                   {"productID": "c", "type": "RecurringSubscription", "trial": true}]}]}
                """.utf8))

        #expect(
            configuration.unknownKeys == [
                "nonRenewableSubscriptions", "products[0].pricing", "subscriptionGroups[0].performanceData",
                "subscriptionGroups[0].subscriptions[0].trial",
            ])
        #expect(!String(describing: configuration).contains("MIGTAgEA"))
    }

    @Test(
        arguments: [
            ("", "the file is not JSON"),
            ("book\0\0\0\0mark", "1:1: the file is not JSON"),
            ("{\n\"version\": x}", "2:12: the file is not JSON"),
            ("{}", "version is missing"),
            (#"{"version": 1}"#, #"version must be an object such as {"major": 4, "minor": 0}"#),
            (#"{"version": {"major": "4", "minor": 0}}"#, "version.major must be a whole number"),
            (#"{"version": {"major": 1}}"#, "version.minor is missing"),
            ("[]", "the file is not a JSON object"),
            (
                "{\n<<<<<<< HEAD\n\"version\": 1\n=======\n>>>>>>> a\n}",
                "2:1: the file has conflict markers of a merge"
            ),
        ]
    )
    func `a file that is not a .storekit configuration is refused with a reason`(text: String, reason: String) {
        let error = #expect(throws: StoreConfigurationError.self) { try StoreConfiguration(data: Data(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `a .storekit file with a million nested brackets is refused`() {
        let bytes = Data(String(repeating: "[", count: 1_000_000).utf8)
        #expect(throws: StoreConfigurationError.self) { try StoreConfiguration(data: bytes) }
    }
}
