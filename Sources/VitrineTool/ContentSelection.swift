import ArgumentParser
import Vitrine

/// The products whose content a command is about: some, or all for which it can be done.
struct ContentSelection: ParsableArguments {
    @OptionGroup private var named: NamedContent

    @Flag(help: "Every product that this can be done for.")
    private var all = false

    func validate() throws {
        guard all == named.identifiers.isEmpty else { throw ValidationError("Name products, or use --all.") }
    }

    /// The identifiers.
    ///
    /// - Parameter everything: What `--all` means.
    func identifiers<Failure>(
        _ everything: () throws(Failure) -> [String]
    ) throws(Failure) -> [String] {
        try named.identifiers(everything)
    }
}

/// The products whose content a command is about; without any, it is about all.
struct NamedContent: ParsableArguments {
    @Argument(help: ArgumentHelp("The products' identifiers.", valueName: "id"))
    fileprivate var identifiers: [String] = []

    /// The identifiers.
    ///
    /// - Parameter everything: What is meant where none is named.
    func identifiers<Failure>(
        _ everything: () throws(Failure) -> [String]
    ) throws(Failure) -> [String] {
        identifiers.isEmpty ? try everything() : identifiers
    }
}

extension CatalogManager {
    /// The products with a download that has not come to its end.
    nonisolated var unfinishedDownloads: [String] {
        downloads.filter { $0.state != .finished && $0.state != .cancelled }.map(\.id)
    }
}
