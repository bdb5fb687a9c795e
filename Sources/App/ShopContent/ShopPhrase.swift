/// Word or sentence of a shop for customers.
public enum ShopPhrase: String, Sendable, CaseIterable {
    // Buttons that buy.
    case buy, subscribe
    /// Button of a subscription of a higher level than the customer's.
    case upgrade
    /// Button of another subscription of the customer's group.
    case changePlan
    /// Button of a non-renewing subscription that the customer owns.
    case extend

    // States of a product.
    case owned, subscribed, sharedByFamily, refunded, waitingForApproval, delivering, buying, unavailable
    case bundleMostlyOwned
    /// Sentence with `{version}`.
    case updateApp
    /// Phrases with `{date}`.
    case renews, until, starts, expired
    /// Sentence with `{date}`: the store waits for the consent of a subscriber.
    case priceIncrease
    case paymentProblem

    // Results of a purchase.
    case interrupted, paidNotDelivered

    // Texts about products.
    case products, featured, search, all
    case subscription, familySharing, freeTrial
    case includes
    /// Phrase with `{amount}`: an amount of money, or a percentage.
    case saving
    /// Phrase with `{price}`: the price of one unit.
    case each
    case balance, quantity

    // Hosted content.
    case download, downloading, downloadPaused, downloadFailed, downloaded, notDownloaded, updateAvailable
    case pause, resume, retry, removeDownload

    // Restoring.
    case restore, restored, alreadyRestored, nothingToRestore, restoreIncomplete

    // Buttons and states of a whole shop.
    case manageSubscriptions, redeemCode, terms, privacy
    case offline, noProducts
}
