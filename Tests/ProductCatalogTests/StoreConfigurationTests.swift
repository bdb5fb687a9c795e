import Foundation
import ProductCatalog
import TestSupport
import Testing

@Suite struct StoreConfigurationTests {
    @Test func `the sample store is read`() throws {
        let configuration = try StoreConfiguration(data: Data(contentsOf: Repository.sample("Voyager.storekit")))

        #expect(configuration.version == (4, 0))
        #expect(configuration.storefront == "USA")
        #expect(configuration.locale == "en_US")
        #expect(configuration.subscriptionCount == 0)
        #expect(configuration.items.count == 11)
        let item = try #require(configuration.items.first)
        #expect(item.identifier == .voyager("lisbon"))
        #expect(item.kind == .nonConsumable)
        #expect(item.price == Decimal(string: "4.99"))
        #expect(item.isFamilyShareable)
        #expect(item.localizations.map(\.locale) == ["en_US", "de"])
    }

    @Test func `what a file leaves out has the defaults of Xcode`() throws {
        let configuration = try StoreConfiguration(data: Data(#"{"version": {"major": 1, "minor": 0}}"#.utf8))

        #expect(configuration.items.isEmpty)
        #expect(configuration.storefront == "USA")
        #expect(configuration.locale == "en_US")
    }

    @Test func `non-renewing subscriptions are read from either place, and others counted`() throws {
        let configuration = try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 9, "minor": 1}, "unknown": [],
                 "products": [{"productID": "a", "type": "NonRenewingSubscription", "displayPrice": ""}],
                 "nonRenewingSubscriptions": [{"productID": "b", "type": "NonRenewingSubscription"}],
                 "subscriptionGroups": [{"subscriptions": [{"productID": "c"}]}]}
                """.utf8))

        #expect(configuration.items.map(\.identifier) == ["a", "b"])
        #expect(configuration.items.allSatisfy { $0.kind == .nonRenewingSubscription && $0.price == nil })
        #expect(configuration.subscriptionCount == 1)
    }

    @Test(
        arguments: [
            ("", "the file is no JSON"),
            ("book\0\0\0\0mark", "1:1: the file is no JSON"),
            ("{\n\"version\": x}", "2:12: the file is no JSON"),
            ("{}", "version is missing"),
            (#"{"version": 1}"#, "version"),
            (
                #"{"version": {"major": 1, "minor": 0}, "products": [{"type": "Consumable"}]}"#,
                "products[0].productID is missing"
            ),
            (
                #"{"version": {"major": 1, "minor": 0}, "products": [{"productID": "a", "type": "Loan"}]}"#,
                "unknown type \"Loan\""
            ),
            (
                #"{"version": {"major": 1, "minor": 0}, "products": [{"productID": "a", "type": "Consumable", "displayPrice": "4,99"}]}"#,
                "the price \"4,99\""
            ),
            (
                #"{"version": {"major": 1, "minor": 0}, "products": [{"productID": "a", "type": "Consumable"}, {"productID": "a", "type": "Consumable"}]}"#,
                "twice"
            ),
        ]
    )
    func `a file that is none is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: StoreConfigurationError.self) { try StoreConfiguration(data: Data(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `brackets inside each other without end are refused`() {
        let bytes = Data(String(repeating: "[", count: 1_000_000).utf8)
        #expect(throws: StoreConfigurationError.self) { try StoreConfiguration(data: bytes) }
    }
}
