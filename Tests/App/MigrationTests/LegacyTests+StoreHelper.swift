import Testing
import Vitrine

@testable import VitrineMigration

extension LegacyTests {
    @Test func `StoreHelper: listed products except consumables are owned, and consumables are read from the keychain`()
        throws
    {
        let found = try read(
            .storeHelper,
            preferences: [
                "PurchasedProductsFallback": .array([
                    .string("lisbon"), .string("coins50"), .string("anything"), .string("lisbon"),
                ])
            ],
            keychain: SampleKeychain(counts: ["coins50": "2", "hints": "0"]))

        #expect(
            found.owned == [
                .init(identifier: "lisbon", source: "PurchasedProductsFallback in the preferences"),
                .init(identifier: "anything", source: "PurchasedProductsFallback in the preferences"),
            ])
        #expect(
            found.balances == [.init(wallet: "coins", units: 100, source: "\"coins50\" in the keychain")])
        #expect(found.unreadable.isEmpty)
    }

    @Test(
        arguments: [
            ("", "is not an integer"), ("two", "is not an integer"), ("-1", "-1 is below zero"),
            ("123456789012345678901", "is not an integer"),
        ]
    )
    func `StoreHelper: a count that is not a valid number is reported`(count: String, reason: String) throws {
        let found = try read(.storeHelper, keychain: SampleKeychain(counts: ["hints": count]))

        #expect(found.balances.isEmpty)
        #expect(found.unreadable == [.init(source: "\"hints\" in the keychain", reason: reason)])
    }

    @Test(arguments: [LegacyLibrary.storeHelper, .rmStore])
    func `an error of the keychain is reported for each legacy library that uses it`(library: LegacyLibrary) throws {
        let keychain = SampleKeychain(failure: UnusableValue(reason: "the keychain returned status -25308"))

        let found = try read(library, keychain: keychain)

        #expect(Set(found.unreadable.map(\.reason)) == ["the keychain returned status -25308"])
    }
}
