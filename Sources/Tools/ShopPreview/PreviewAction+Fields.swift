internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrineSupport

/// Fields of an action in a form or in the file of scenes. `action` is the name of the action, and the other fields are
/// its values.
///
/// | action | fields |
/// |---|---|
/// | `buy` | `product`, `quantity` (1 if it is missing); or instead of it one of `promotional-offer`, `win-back-offer`
///   and `offer-code` |
/// | `price` | `product`, `price`, `consent`: `on` or `off` (`off` if it is missing) |
/// | `consent` | `product`, `state`: `on` or `off` |
/// | `spend` | `wallet`, `units` |
/// | `restore` | |
/// | `refund`, `approve`, `decline`, `resolve` | `transaction` |
/// | `ask-to-buy`, `interruptions`, `network`, `billing` | `state`: `on` or `off` |
/// | `advance` | `seconds`, or `date` |
/// | `download`, `remove-content` | `product` |
/// | `original-build` | `build` |
/// | `renewal` | `product`, `state` |
extension PreviewAction {
    private typealias Fields = [String: String]

    /// Parses an action from its fields.
    ///
    /// - Throws: ``PreviewError``: `invalidRequest`.
    package init(fields: [String: String]) throws(PreviewError) {
        let name = try fields.text("action")
        switch name {
        case "buy": self = try Self.purchase(fields)
        case "interruptions": self = .interruptions(isOn: try fields.state())
        case "resolve": self = .resolve(transaction: try fields.text("transaction"))
        case "price":
            self = .price(
                product: try fields.text("product"), amount: try fields.amount("price"),
                needsConsent: fields["consent"] == nil ? false : try fields.state("consent"))
        case "consent": self = .consent(product: try fields.text("product"), isOn: try fields.state())
        case "spend": self = .spend(wallet: try fields.text("wallet"), units: try fields.integer("units"))
        case "restore": self = .restore
        case "refund": self = .refund(transaction: try fields.text("transaction"))
        case "approve": self = .approve(transaction: try fields.text("transaction"))
        case "decline": self = .decline(transaction: try fields.text("transaction"))
        case "ask-to-buy": self = .askToBuy(isOn: try fields.state())
        case "network": self = .network(isOn: try fields.state())
        case "billing": self = .billing(isOn: try fields.state())
        case "advance": self = try Self.advance(fields)
        case "download": self = .download(product: try fields.text("product"))
        case "remove-content": self = .removeContent(product: try fields.text("product"))
        case "original-build": self = try Self.originalBuild(fields)
        case "renewal": self = .renewal(product: try fields.text("product"), isOn: try fields.state())
        default: throw .invalid("there is no action \(name.plain(50))")
        }
    }

    private static func purchase(_ fields: Fields) throws(PreviewError) -> PreviewAction {
        let product = try fields.text("product")
        for (name, offer) in offers where fields[name] != nil {
            return .buyOffer(product: product, offer: offer(try fields.text(name)))
        }
        return .buy(
            product: product, quantity: fields["quantity"] == nil ? 1 : try fields.integer("quantity", in: 1...10))
    }

    /// Names of the fields with the offer of a purchase.
    private static let offers: [(name: String, offer: @Sendable (String) -> PreviewOffer)] = [
        ("promotional-offer", { .promotional($0) }), ("win-back-offer", { .winBack($0) }),
        ("offer-code", { .code($0) }),
    ]

    /// Maximum time in seconds by which one action advances the clock: ten years.
    private static let longestAdvance = 3_653 * 86_400

    private static func advance(_ fields: [String: String]) throws(PreviewError) -> PreviewAction {
        guard fields["date"] != nil else {
            return .advance(seconds: try fields.integer("seconds", in: 1...longestAdvance))
        }
        let text = try fields.text("date")
        guard let date = Date(dayOrTime: text) else {
            throw .invalid("\(text.plain(50)) is not a day such as 2030-01-15, or a time such as 2030-01-15T12:30:00Z")
        }
        return .advanceTo(date)
    }

    private static func originalBuild(_ fields: [String: String]) throws(PreviewError) -> PreviewAction {
        let build = try fields.text("build")
        guard VersionNumber(build) != nil else { throw .invalid("\(build.plain(50)) is not a build number") }
        return .originalBuild(build)
    }

    /// Fields of the action, by name.
    package var fields: [String: String] {
        switch self {
        case .buy(let product, let quantity):
            ["action": "buy", "product": product, "quantity": String(quantity)]
        case .buyOffer(let product, .promotional(let offer)):
            ["action": "buy", "product": product, "promotional-offer": offer]
        case .buyOffer(let product, .winBack(let offer)):
            ["action": "buy", "product": product, "win-back-offer": offer]
        case .buyOffer(let product, .code(let code)): ["action": "buy", "product": product, "offer-code": code]
        case .interruptions(let isOn): ["action": "interruptions", "state": Self.state(isOn)]
        case .resolve(let transaction): ["action": "resolve", "transaction": transaction]
        case .price(let product, let amount, let needsConsent):
            ["action": "price", "product": product, "price": "\(amount)", "consent": Self.state(needsConsent)]
        case .consent(let product, let isOn):
            ["action": "consent", "product": product, "state": Self.state(isOn)]
        case .spend(let wallet, let units): ["action": "spend", "wallet": wallet, "units": String(units)]
        case .restore: ["action": "restore"]
        case .refund(let transaction): ["action": "refund", "transaction": transaction]
        case .approve(let transaction): ["action": "approve", "transaction": transaction]
        case .decline(let transaction): ["action": "decline", "transaction": transaction]
        case .askToBuy(let isOn): ["action": "ask-to-buy", "state": Self.state(isOn)]
        case .network(let isOn): ["action": "network", "state": Self.state(isOn)]
        case .billing(let isOn): ["action": "billing", "state": Self.state(isOn)]
        case .advance(let seconds): ["action": "advance", "seconds": String(seconds)]
        case .advanceTo(let date): ["action": "advance", "date": date.inSeconds]
        case .download(let product): ["action": "download", "product": product]
        case .removeContent(let product): ["action": "remove-content", "product": product]
        case .originalBuild(let build): ["action": "original-build", "build": build]
        case .renewal(let product, let isOn):
            ["action": "renewal", "product": product, "state": Self.state(isOn)]
        }
    }

    private static func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}

extension [String: String] {
    /// Maximum length of a field in bytes.
    private static var longestField: Int { 10_000 }

    fileprivate func text(_ name: String) throws(PreviewError) -> String {
        guard let text = self[name], !text.isEmpty else { throw .invalid("the field \(name) is missing") }
        guard text.utf8.count <= Self.longestField else { throw .invalid("the field \(name) is too long") }
        return text
    }

    fileprivate func integer(
        _ name: String, in range: ClosedRange<Int> = 1...1_000_000_000
    ) throws(PreviewError) -> Int {
        guard let number = Int(try text(name)), range.contains(number) else {
            throw .invalid("the field \(name) must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    fileprivate func amount(_ name: String) throws(PreviewError) -> Decimal {
        let text = try text(name)
        guard text.wholeMatch(of: /[0-9]{1,9}(\.[0-9]{1,3})?/) != nil,
            let amount = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), amount > 0
        else { throw .invalid("the field \(name) must be an amount above zero such as 4.99") }
        return amount
    }

    fileprivate func state(_ name: String = "state") throws(PreviewError) -> Bool {
        switch try text(name) {
        case "on": true
        case "off": false
        default: throw .invalid("the field \(name) must be on or off")
        }
    }
}

extension PreviewError {
    static func invalid(_ reason: String) -> PreviewError { PreviewError(code: .invalidRequest, reason: reason) }
}
