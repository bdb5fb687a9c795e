package import Foundation

/// Action of the customer, the store or the clock in a previewed shop.
package enum PreviewAction: Sendable, Hashable {
    case buy(product: String, quantity: Int)
    /// Buys a subscription with one of its offers, or redeems an offer code.
    case buyOffer(product: String, offer: PreviewOffer)
    case spend(wallet: String, units: Int)
    case restore
    case refund(transaction: String)
    /// Turns Ask to Buy on or off. While it is on, purchases wait for the approval of a parent.
    case askToBuy(isOn: Bool)
    case approve(transaction: String)
    case decline(transaction: String)
    /// Makes purchases interrupted or not: the customer has to resolve an issue with the store first.
    case interruptions(isOn: Bool)
    /// Resolves the issue of an interrupted purchase.
    case resolve(transaction: String)
    /// Changes the price of a product, in the currency of the storefront. Subscribers may have to consent.
    case price(product: String, amount: Decimal, needsConsent: Bool)
    /// Consents to a higher price of a subscription, or declines it.
    case consent(product: String, isOn: Bool)
    /// Turns the connection to the store on or off.
    case network(isOn: Bool)
    /// Advances the clock by a number of seconds.
    case advance(seconds: Int)
    /// Advances the clock to a date.
    case advanceTo(Date)
    /// Downloads the content of an owned product.
    case download(product: String)
    /// Removes the downloaded content of a product.
    case removeContent(product: String)
    /// Sets the build number of the app that the customer first installed.
    case originalBuild(String)
    /// Turns the renewal of a subscription on or off.
    case renewal(product: String, isOn: Bool)
    /// Makes the store able or unable to charge the customer for renewals.
    case billing(isOn: Bool)
}

/// Offer that a customer chooses in a previewed shop.
package enum PreviewOffer: Sendable, Hashable {
    /// Promotional offer with an identifier, which the preview signs in place of the app's server.
    case promotional(String)
    /// Win-back offer with an identifier.
    case winBack(String)
    /// Offer code with a reference name.
    case code(String)
}
