internal import VitrineSupport

extension PreviewAction {
    /// Returns a description of the action, with the titles of products.
    ///
    /// - Parameter name: Function that returns the title of a product.
    func title(_ name: (String) -> String) -> String {
        switch self {
        case .buy(let product, let quantity):
            quantity == 1 ? "Buy \(name(product))" : "Buy \(quantity) × \(name(product))"
        case .buyOffer(let product, .promotional(let offer)):
            "Buy \(name(product)) with the promotional offer \(offer)"
        case .buyOffer(let product, .winBack(let offer)): "Buy \(name(product)) with the win-back offer \(offer)"
        case .buyOffer(let product, .code(let code)): "Redeem the code \(code) for \(name(product))"
        case .interruptions(let isOn): isOn ? "Purchases are interrupted" : "Purchases are not interrupted"
        case .resolve(let transaction): "Resolve the issue of purchase \(transaction)"
        case .price(let product, let amount, _): "Change the price of \(name(product)) to \(amount)"
        case .consent(let product, let isOn):
            "\(isOn ? "Consent to" : "Decline") the higher price of \(name(product))"
        case .spend(let wallet, let units): "Spend \(units) of \(wallet)"
        case .restore: "Restore purchases"
        case .refund(let transaction): "Refund transaction \(transaction)"
        case .approve(let transaction): "Approve purchase \(transaction)"
        case .decline(let transaction): "Decline purchase \(transaction)"
        case .askToBuy(let isOn): isOn ? "Ask to Buy on" : "Ask to Buy off"
        case .network(let isOn): isOn ? "Network on" : "Network off"
        case .billing(let isOn): isOn ? "Payment works" : "Payment fails"
        case .advance(let seconds): "Advance the clock by \(Self.duration(seconds))"
        case .advanceTo(let date): "Advance the clock to \(date.minute)"
        case .download(let product): "Download the content of \(name(product))"
        case .removeContent(let product): "Remove the content of \(name(product))"
        case .originalBuild(let build): "Customer since build \(build)"
        case .renewal(let product, let isOn): "\(isOn ? "Renew" : "Cancel") \(name(product))"
        }
    }

    private static func duration(_ seconds: Int) -> String {
        for (length, unit) in [(86_400, "day"), (3_600, "hour"), (60, "minute")] where seconds % length == 0 {
            return "\(seconds / length) \(unit)\(seconds == length ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}
