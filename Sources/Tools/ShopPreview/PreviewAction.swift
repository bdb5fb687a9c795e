package import Foundation

/// One thing that a customer, the store or the clock does in a previewed shop.
package enum PreviewAction: Sendable, Hashable {
    case buy(product: String, quantity: Int)
    case spend(wallet: String, units: Int)
    case restore
    case refund(transaction: String)
    /// Switches whether purchases wait for the approval of a parent.
    case askToBuy(isOn: Bool)
    case approve(transaction: String)
    case decline(transaction: String)
    /// Switches whether the store can be reached.
    case network(isOn: Bool)
    /// Moves the clock ahead by a number of seconds.
    case advance(seconds: Int)
    /// Moves the clock ahead to a date.
    case advanceTo(Date)
    /// Downloads the content of a product that is owned.
    case download(product: String)
    /// Removes the downloaded content of a product.
    case removeContent(product: String)
    /// Makes the customer one who first installed the app as a build.
    case originalBuild(String)
    /// Turns the renewal of a subscription on or off.
    case renewal(product: String, isOn: Bool)
    /// Switches whether the store can charge the customer for renewals.
    case billing(isOn: Bool)
}
