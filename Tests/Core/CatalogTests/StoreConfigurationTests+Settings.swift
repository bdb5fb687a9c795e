import Foundation
import Testing
import VitrineCatalog

extension StoreConfigurationTests {
    private static func configuration(settings: String = "", keys: String = "") throws -> StoreConfiguration {
        try StoreConfiguration(
            data: Data(#"{"version": {"major": 4, "minor": 0}, "settings": {\#(settings)}\#(keys)}"#.utf8))
    }

    @Test func `the settings of a .storekit file are read`() throws {
        let configuration = try Self.configuration(
            settings: """
                "_timeRate": 1003, "_compatibilityTimeRate": {"3": 6}, "_billingGracePeriodEnabled": true,
                "_renewalBillingIssuesEnabled": true, "_askToBuyEnabled": true, "_failTransactionsEnabled": true,
                "_storefront": "JPN", "_locale": "ja", "_lastSynchronizedDate": 0.5, "_disableDialogs": true,
                "_storeKitErrors": [{"name": "Purchase", "enabled": true, "current": {"type": "generic", "index": 2}},
                  {"name": "Load Products", "enabled": false, "current": null}, {"name": "Refund Request Sheet", "enabled": true}]
                """)

        #expect(configuration.settings.timeRate == 1_003)
        #expect(configuration.settings.isGracePeriodEnabled)
        #expect(configuration.settings.hasBillingIssuesOnRenewal)
        #expect(configuration.settings.isAskToBuyEnabled)
        #expect(configuration.settings.failsTransactions)
        #expect(configuration.settings.failingCalls == [.purchase, .refundRequestSheet])
        #expect(configuration.storefront == "JPN")
        #expect(configuration.locale == "ja")
        #expect(
            configuration.omissions.map(\.description) == [
                "settings._storeKitErrors[0].current is ignored: the call fails with a general error"
            ])
    }

    @Test func `each StoreKit call that a .storekit file can make fail is read by its name in Xcode`() throws {
        let names = [
            "Load Products", "Purchase", "Verification", "App Store Sync", "Subscription Status", "App Transaction",
            "Manage Subscriptions Sheet", "Refund Request Sheet", "Offer Code Redeem Sheet",
        ]
        let errors = names.map { #"{"name": "\#($0)", "enabled": true}"# }.joined(separator: ",")
        let configuration = try Self.configuration(settings: #""_storeKitErrors": [\#(errors)]"#)

        #expect(configuration.settings.failingCalls == Set(StoreConfiguration.StoreKitCall.allCases))
        #expect(configuration.omissions.isEmpty)
    }

    @Test(arguments: [
        (#""_timeRate": 7"#, "settings._timeRate is ignored: the rate 7 is unknown"),
        (#""_timeRate": "fast""#, "settings._timeRate is ignored: it is not a whole number"),
        (#""_askToBuyEnabled": "yes""#, "settings._askToBuyEnabled is ignored: it is not true or false"),
        (#""_storefront": 5"#, "settings._storefront is ignored: it is not text"),
        (#""_storefront": "US""#, #"settings._storefront is ignored: "US" is not a country code like USA"#),
        (#""_storefront": "XXX""#, #"settings._storefront is ignored: "XXX" is not a country code like USA"#),
        (#""_locale": {}"#, "settings._locale is ignored: it is not text"),
        (#""_storeKitErrors": {}"#, "settings._storeKitErrors is ignored: it is not a list"),
        (
            #""_storeKitErrors": [{"name": "Teleport", "enabled": true}, {"name": "Levitate", "enabled": false}]"#,
            #"settings._storeKitErrors[0] is ignored: the name "Teleport" is unknown"#
        ),
    ])
    func `a setting of a .storekit file with an invalid value is reported and replaced by its default`(
        setting: String, reason: String
    ) throws {
        let configuration = try Self.configuration(settings: setting)

        #expect(configuration.omissions.map(\.description) == [reason])
        #expect(configuration.omissions.map(\.kind) == [.value])
        #expect(configuration.settings == (try Self.configuration().settings))
        #expect(configuration.storefront == "USA")
        #expect(configuration.locale == "en_US")
    }

    @Test func `an error that is chosen for a failing call is reported, because another one is thrown`() throws {
        let errors = """
            "_storeKitErrors": [{"name": "Purchase", "enabled": true, "current": {"index": 2, "type": "generic"}},
             {"name": "Load Products", "enabled": false, "current": {"index": 2, "type": "generic"}}]
            """
        let configuration = try Self.configuration(settings: errors)

        #expect(configuration.settings.failingCalls == [.purchase])
        #expect(
            configuration.omissions.map(\.description)
                == ["settings._storeKitErrors[0].current is ignored: the call fails with a general error"])
    }

    @Test func `missing or invalid settings of a .storekit file are replaced by the default settings`() throws {
        for settings in ["", #", "settings": null"#, #", "settings": []"#] {
            let data = Data(#"{"version": {"major": 1, "minor": 0}\#(settings)}"#.utf8)
            #expect(try StoreConfiguration(data: data).settings == (try Self.configuration().settings))
        }
    }

    @Test func `the private key for offers is read from a .storekit file and never shown in descriptions`() throws {
        let configuration = try Self.configuration(
            keys: #", "subscriptionOffersKeyPair": {"id": "A1B2", "privateKey": "MIGHAgEA-secret"}"#)
        let pair = try #require(configuration.offersKeyPair)

        #expect(pair.id == "A1B2")
        #expect(pair.privateKey == "MIGHAgEA-secret")
        var dumped = ""
        dump(configuration, to: &dumped)
        dump(pair, to: &dumped)
        for text in [
            dumped, "\(configuration)", String(reflecting: configuration), "\(pair)", String(reflecting: pair),
        ] {
            #expect(!text.contains("secret"))
        }
        #expect(dumped.contains("A1B2"))
        #expect(configuration == (try Self.configuration()))
    }

    @Test(arguments: [
        #"{"id": "A1B2"}"#, #"{"privateKey": "MIGHAgEA-secret"}"#, #"{"id": 5, "privateKey": "MIGHAgEA-secret"}"#,
        #""MIGHAgEA-secret""#,
    ])
    func `an incomplete key pair for offers is ignored, and its private key is not shown`(pair: String) throws {
        let configuration = try Self.configuration(keys: #", "subscriptionOffersKeyPair": \#(pair)"#)

        #expect(configuration.offersKeyPair == nil)
        #expect(
            configuration.omissions.last?.description
                == "subscriptionOffersKeyPair is ignored: it needs an id and a privateKey")
        #expect(!"\(configuration)".contains("secret"))
    }

    @Test func `the eligibility and stackability of offers are read from a .storekit file`() throws {
        let offer = #""paymentMode": "free", "subscriptionPeriod": "P1M""#
        let configuration = try Self.configuration(
            keys: """
                , "subscriptionGroups": [{"id": "7", "name": "Club", "localizations": [
                    {"locale": "en_US", "displayName": "Travel Club", "description": "Every guide"}],
                  "subscriptions": [{"productID": "s", "type": "RecurringSubscription", "displayPrice": "2.99",
                    "recurringSubscriptionPeriod": "P1M", "groupNumber": 0,
                    "codeOffers": [
                      {"referenceName": "c1", "eligibility": ["expired", "new"], "isStackable": true, \(offer)},
                      {"referenceName": "c2", "eligibility": ["new", "famous"], \(offer)},
                      {"referenceName": "c3", \(offer)}],
                    "winbackOffers": [{"offerID": "w1", "isEligible": false, \(offer)}, {"offerID": "w2", \(offer)}]}]},
                  {"name": "Empty"}, {}]
                """)
        let offers = try #require(configuration.subscriptions.first?.offers)

        #expect(offers.map(\.identifier) == ["w1", "w2", "c1", "c2", "c3"])
        #expect(offers.map(\.isEligible) == [false, true, true, true, true])
        #expect(offers.map(\.isStackable) == [false, false, true, false, false])
        #expect(
            offers.dropFirst(2).map(\.eligibility) == [[.new, .expired], [.new], [.new, .existing, .expired]])
        #expect(configuration.subscriptions.first?.level == 1)
        #expect(
            configuration.omissions.map(\.description) == [
                "subscriptionGroups[0].subscriptions[0].groupNumber is ignored: 0 is less than 1",
                #"the eligibility "famous" of an offer of "s" is ignored: it is unknown"#,
            ])
        #expect(configuration.groups.map(\.id) == ["7", "Empty", "subscriptionGroups[2]"])
        #expect(configuration.groups.map(\.name) == ["Club", "Empty", "subscriptionGroups[2]"])
        #expect(configuration.groups.first?.localizations.map(\.displayName) == ["Travel Club"])
    }
}
