package import ArgumentParser

/// Catalog and options of a preview, which `vitrine preview` passes to `vitrine-server preview`.
package struct PreviewOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The property list with the app's products.", valueName: "plist"), completion: .catalog)
    package var catalog: String

    @Option(
        help: ArgumentHelp(
            "The StoreKit configuration with the products that the store sells. (default: made from the catalog)",
            valueName: "file.storekit"), completion: .storeConfiguration)
    package var store: String?

    @Option(
        help: ArgumentHelp("The folder with the packages of hosted content.", valueName: "folder"),
        completion: .directory)
    package var content: String?

    @Option(help: ArgumentHelp("The port. 0 stands for one that the system chooses.", valueName: "number"))
    package var port = 0

    @Option(
        help: ArgumentHelp("The folder to which the scenes are written as pages.", valueName: "folder"),
        completion: .directory)
    package var export: String?

    @Option(
        help: ArgumentHelp("The folder to which the scenes are written as images.", valueName: "folder"),
        completion: .directory)
    package var pictures: String?

    @Flag(help: "Leave out warnings and notes about the catalog in what --export and --pictures write.")
    package var hideWarnings = false

    package init() {}

    package func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("The port must be from 0 to 65535, not \(port).")
        }
        try PathArgument.validate([catalog, store, content, export, pictures])
        guard port == 0 || export == nil && pictures == nil else {
            throw ValidationError("--port cannot be combined with --export or --pictures, which need no server.")
        }
        guard !hideWarnings || export != nil || pictures != nil else {
            throw ValidationError("--hide-warnings needs --export or --pictures.")
        }
    }

    /// Command-line arguments that represent this catalog and these options.
    package var arguments: [String] {
        let options = [
            ("--store", store), ("--content", content), ("--export", export), ("--pictures", pictures),
            ("--port", port == 0 ? nil : String(port)),
        ]
        return options.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + (hideWarnings ? ["--hide-warnings"] : []) + ["--", catalog]
    }
}
