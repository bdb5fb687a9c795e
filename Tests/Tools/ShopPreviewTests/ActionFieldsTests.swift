import Foundation
import Testing
import VitrineShopPreview
import VitrineSupport

struct ActionFieldsTests {
    @Test(
        arguments: [
            .buy(product: "a", quantity: 10), .spend(wallet: "coins", units: 30), .restore,
            .refund(transaction: "1"), .askToBuy(isOn: true), .approve(transaction: "1"), .decline(transaction: "1"),
            .network(isOn: false), .advance(seconds: 60), .advanceTo(PreviewedShop.start), .download(product: "a"),
            .removeContent(product: "a"), .originalBuild("150"), .renewal(product: "a", isOn: false),
            .billing(isOn: true), .buyOffer(product: "a", offer: .promotional("spring")),
            .buyOffer(product: "a", offer: .winBack("again")), .buyOffer(product: "a", offer: .code("summer")),
            .interruptions(isOn: true), .resolve(transaction: "1"), .consent(product: "a", isOn: false),
            .price(product: "a", amount: Decimal(sign: .plus, exponent: -2, significand: 699), needsConsent: true),
        ] as [PreviewAction])
    func `a preview action is read back unchanged from its form fields`(action: PreviewAction) throws {
        #expect(try PreviewAction(fields: action.fields) == action)
    }

    @Test(
        arguments: [
            ("no action", [:], "action"), ("unknown", ["action": "steal"], "there is no action steal"),
            ("no product", ["action": "buy"], "product"),
            ("quantity", ["action": "buy", "product": "a", "quantity": "11"], "from 1 to 10"),
            ("no number", ["action": "spend", "wallet": "coins", "units": "1e3"], "units"),
            ("nothing spent", ["action": "spend", "wallet": "coins", "units": "0"], "units"),
            ("state", ["action": "network", "state": "maybe"], "on or off"),
            ("eleven years", ["action": "advance", "seconds": "400000000"], "seconds"),
            ("no amount", ["action": "price", "product": "a", "price": "free"], "above zero"),
            ("nothing to pay", ["action": "price", "product": "a", "price": "0.00"], "above zero"),
            ("consent", ["action": "price", "product": "a", "price": "1", "consent": "yes"], "on or off"),
            ("no date", ["action": "advance", "date": "tomorrow"], "is not a day"),
            ("build", ["action": "original-build", "build": "old"], "is not a build"),
            ("too long", ["action": "buy", "product": String(repeating: "a", count: 10_001)], "too long"),
        ] as [(String, [String: String], String)])
    func `form fields without a valid preview action are refused with a reason`(
        id: String, fields: [String: String], reason: String
    ) throws {
        let error = #expect(throws: PreviewError.self) { _ = try PreviewAction(fields: fields) }
        #expect(
            error?.code == .invalidRequest && error?.reason.contains(reason) == true, "\(id): \(error.debugDescription)"
        )
    }

    @Test func `preview settings such as the language are read back from form fields, and invalid values are refused`()
        throws
    {
        let view = PreviewView(language: "pt-BR", storefront: "BRA", device: .computer, scheme: .dark)
        #expect(try PreviewView(fields: view.fields) == view)
        #expect(try PreviewView(fields: [:]) == PreviewView())
        #expect(throws: PreviewError.self) { _ = try PreviewView(fields: ["language": "<b>"]) }
        #expect(throws: PreviewError.self) { _ = try PreviewView(fields: ["device": "fridge"]) }
    }
}
