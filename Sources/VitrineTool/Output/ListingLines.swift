import Entitlements
import Foundation
import Vitrine

extension ProductListing {
    /// The product for people: a line with its title and price, and below it a line for each thing that there is to say.
    var lines: [String] {
        let price = [displayPrice ?? "no price", displayPricePerUnit.map { "\($0) each" }].compactMap(\.self)
        let remarks = [
            description, offerWords, ownershipWords, purchase?.words, bundle?.words, bundle?.priceWords, content?.words,
        ]
        return ["\(title) (\(id)): \(price.joined(separator: ", "))"]
            + remarks.compactMap { $0.flatMap { $0.isEmpty ? nil : "  \($0)" } }
    }

    private var offerWords: String {
        switch offer {
        case .offered: "offered"
        case .notOffered(let reason): "not offered: \(reason)"
        }
    }

    private var ownershipWords: String? {
        switch ownership {
        case .owned(let reasons): "owned: \(reasons.map(\.words).joined(separator: "; "))"
        case .notOwned: nil
        case .unknown(let reason): "maybe owned: \(reason.words)"
        }
    }
}

extension PurchaseState {
    fileprivate var words: String {
        switch self {
        case .inProgress: "a purchase is under way"
        case .waitingForApproval: "a purchase has to be approved"
        case .delivering: "a purchase is being delivered"
        }
    }
}

extension BundleListing {
    fileprivate var words: String {
        "contains " + children.map { $0.isOwned ? "\($0.title) (owned)" : $0.title }.joined(separator: ", ")
    }

    fileprivate var priceWords: String? {
        guard let displaySeparatePrice else { return nil }
        let separate = "one by one \(displaySeparatePrice)"
        guard let displayRemainingPrice, let displaySaving, let savedFraction else { return separate }
        let remaining = remainingPrice == separatePrice ? "" : ", \(displayRemainingPrice) without what is owned"
        return "\(separate)\(remaining): saves \(displaySaving) (\(Int((savedFraction * 100).rounded())) %)"
    }
}

extension ListedContent {
    fileprivate var words: String {
        guard !isComplete else { return "content installed" }
        if let download { return "content: \(download.words)" }
        return count == 1 ? "content not installed" : "content installed of \(installedCount) of \(count) products"
    }
}
