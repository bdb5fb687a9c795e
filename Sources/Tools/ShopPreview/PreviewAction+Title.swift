internal import VitrineSupport

extension PreviewAction {
    /// Returns a description of the action, with the titles of products.
    ///
    /// - Parameter name: Function that returns the title of a product.
    func title(_ name: (String) -> String) -> String {
        switch self {
        case .buy(let product, let quantity):
            quantity == 1 ? "Buy \(name(product))" : "Buy \(quantity) × \(name(product))"
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
