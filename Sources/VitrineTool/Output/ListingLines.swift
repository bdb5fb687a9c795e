import Entitlements
import Foundation
import Vitrine

extension ProductListing {
    /// Text output of the product: a line with title and price, then a line for each further detail.
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
        case .unknown(let reason): "ownership unknown: \(reason.words)"
        }
    }
}

extension PurchaseState {
    fileprivate var words: String {
        switch self {
        case .inProgress: "purchase in progress"
        case .waitingForApproval: "purchase waiting for approval"
        case .delivering: "purchase being delivered"
        }
    }
}

extension BundleListing {
    fileprivate var words: String {
        "contains " + children.map { $0.isOwned ? "\($0.title) (owned)" : $0.title }.joined(separator: ", ")
    }

    fileprivate var priceWords: String? {
        guard let displaySeparatePrice else { return nil }
        let separate = "separately \(displaySeparatePrice)"
        guard let displayRemainingPrice, let displaySaving, let savedFraction else { return separate }
        let remaining = remainingPrice == separatePrice ? "" : ", \(displayRemainingPrice) without owned products"
        return "\(separate)\(remaining): saves \(displaySaving) (\(Int((savedFraction * 100).rounded())) %)"
    }
}

extension ListedContent {
    fileprivate var words: String {
        guard !isComplete else { return "content installed" }
        if let download { return "content: \(download.words)" }
        return count == 1 ? "content not installed" : "content installed for \(installedCount) of \(count) products"
    }
}
