import ArgumentParser
import Vitrine

/// Products whose content a command processes: the given products or, with `--all`, all products that the command
/// supports.
struct ContentSelection: ParsableArguments {
    @OptionGroup private var named: NamedContent

    @Flag(help: "Select every product that the command can apply to.")
    private var all = false

    func validate() throws {
        guard all == named.identifiers.isEmpty else { throw ValidationError("Name products, or use --all.") }
    }

    /// Returns the identifiers of the selected products.
    ///
    /// - Parameter everything: Function that returns the identifiers for `--all`.
    func identifiers<Failure>(
        _ everything: () throws(Failure) -> [String]
    ) throws(Failure) -> [String] {
        try named.identifiers(everything)
    }
}

/// Products whose content a command processes: the given products, or all products if none is given.
struct NamedContent: ParsableArguments {
    @Argument(help: ArgumentHelp("The products' identifiers.", valueName: "id"), completion: .product)
    fileprivate var identifiers: [String] = []

    /// Returns the identifiers of the given products, or of all products if none is given.
    ///
    /// - Parameter everything: Function that returns the identifiers of all products.
    func identifiers<Failure>(
        _ everything: () throws(Failure) -> [String]
    ) throws(Failure) -> [String] {
        identifiers.isEmpty ? try everything() : identifiers
    }
}

extension CatalogManager {
    /// Identifiers of the products whose download is neither finished nor canceled.
    nonisolated var unfinishedDownloads: [String] {
        content.downloads.filter { $0.state != .finished && $0.state != .cancelled }.map(\.id)
    }
}
