internal import VitrineHostedContent

extension PurchaseState {
    package var description: String {
        switch self {
        case .inProgress: "purchase in progress"
        case .waitingForApproval: "purchase waiting for approval"
        case .delivering: "purchase being delivered"
        }
    }
}

extension ListedContent {
    package var description: String {
        guard !isComplete else { return "content installed" }
        if let download, download.state != .finished { return "content: \(download.description)" }
        return count == 1 ? "content not installed" : "content installed for \(installedCount) of \(count) products"
    }
}

extension ContentState {
    package var description: String {
        switch self {
        case .installed: "installed"
        case .updateAvailable: "installed, update available"
        case .notInstalled: "not installed"
        case .notOwned: "not owned"
        case .withheld: "no longer owned: withheld"
        case .ownershipUnknown: "ownership unknown"
        }
    }
}
