import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineFileSystem
import VitrinePropertyList
import VitrineSupport

struct NewCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a package with a first catalog, a StoreKit configuration and a test.",
        discussion: """
            The package sells what the catalog names, and its test buys all of it in the simulated store. On a terminal, \
            the command asks for what no option gives; otherwise it takes the defaults. With --from, the products are \
            those of a StoreKit configuration or of a catalog, which is copied; the other of the two is made of it. \
            What the file does not say, such as the prices in a catalog, is listed.

            Nothing that exists is replaced: the exit status is 1 if the folder is not empty.

            EXAMPLES:
              vitrine new Shop
              vitrine new Shop --products unlock,coins --app com.example.shop \\
                --vitrine ../vitrine
              vitrine new Shop --from Products.storekit
              vitrine new Shop --from Catalog.plist
            """
    )

    @Argument(
        help: ArgumentHelp("The folder to make. Its name becomes that of the package.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp(
            "The bundle identifier of the app, with which product identifiers begin. (default: com.example. and the name)",
            valueName: "id"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "What is sold: unlock, coins and subscription, separated by commas. (default: all three)",
            valueName: "kinds"))
    var products: String?

    @Option(
        help: ArgumentHelp(
            "A StoreKit configuration, or a catalog as property list or JSON, with the products to sell.",
            valueName: "file"),
        completion: .file(extensions: ["storekit", "plist", "json"]))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "The folder of Vitrine's package, relative to the new one.", valueName: "folder"),
        completion: .directory)
    var vitrine = "../vitrine"

    @OptionGroup var output: OutputOptions

    private var name: String { URL(filePath: folder).standardizedFileURL.lastPathComponent }

    func validate() throws {
        try PathArgument.validate([folder, from, vitrine])
        guard NewPackage.isName(name) else {
            throw ValidationError(
                "\(name) cannot be the name of a package: use ASCII letters, digits and _, begin with a letter, and use "
                    + "neither a word of Swift nor the name of a module that the package imports.")
        }
        guard products == nil || from == nil else {
            throw ValidationError("Use either --products or --from, not both.")
        }
        if let app { _ = try BundleArgument.checked(app) }
        if let products { _ = try NewPackage.Sample.parse(products) }
    }

    func report() throws -> Report {
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        try checkEmpty(folder)
        let package = try package()
        let isNew = FileStatus(folder) == nil
        var made: [URL] = []
        do {
            for (path, data) in package.files {
                let url = folder.appending(path: path, directoryHint: .notDirectory)
                try Self.make(url, data)
                made.append(url)
            }
        } catch {
            Self.withdraw(made, package.files.map(\.path), from: folder, isNew: isNew)
            throw error
        }
        let path = self.folder
        return Report(
            lines: package.files.map { "made \(path)/\($0.path)" } + [
                "build it and buy everything in it with: swift test --package-path \(path.inShell)"
            ], json: ["folder": path, "files": package.files.map(\.path)],
            remarks: (package.remarks + missingVitrine(from: folder)).map { "note: \($0)" })
    }

    private static func make(_ url: URL, _ data: Data) throws {
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(url.relativePath) cannot be written: \(BoundedFile.reason(for: error))"
            )
        }
        try OutputFile.create(data, at: url.relativePath, access: .shared)
    }

    /// Removes what was made of a package that cannot be written completely, so that the command can be repeated.
    ///
    /// - Parameters:
    ///   - made: Files that were made.
    ///   - paths: Paths of all files of the package, whose folders are removed if they are empty.
    ///   - isNew: `true` if the folder of the package did not exist before.
    private static func withdraw(_ made: [URL], _ paths: [String], from folder: URL, isNew: Bool) {
        for file in made { OutputFile.withdraw(file.relativePath) }
        var folders: Set<String> = isNew ? [""] : []
        for path in paths {
            let parts = path.split(separator: "/").dropLast()
            for count in parts.indices { folders.insert(parts[...count].joined(separator: "/")) }
        }
        // A folder is removed after those in it.
        for path in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            rmdir(folder.appending(path: path, directoryHint: .isDirectory).systemPath)
        }
    }

    /// Returns the package described by the options, or by the user's answers to questions.
    private func package() throws -> NewPackage {
        if let from { return try package(from: from) }
        let asks = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        let app =
            try app ?? (asks ? ask("The app's bundle identifier?", defaultApp, BundleArgument.checked) : defaultApp)
        let everything = NewPackage.Sample.allCases.map(\.rawValue).joined(separator: ",")
        let samples =
            if let products {
                try NewPackage.Sample.parse(products)
            } else if asks {
                try ask("What does it sell (\(everything))?", everything, NewPackage.Sample.parse)
            } else {
                NewPackage.Sample.allCases
            }
        return NewPackage(name: name, app: app, vitrine: vitrine, samples)
    }

    /// Returns the package with the products of a StoreKit configuration or of a catalog.
    private func package(from path: String) throws -> NewPackage {
        let app = app ?? defaultApp
        if let (bytes, document) = try catalog(at: path) {
            return try NewPackage(
                name: name, app: app, vitrine: vitrine, catalog: bytes, document,
                StoreFile.draft(of: document, path: path))
        }
        let (data, configuration) = try StoreFile.read(path)
        guard !configuration.items.isEmpty || !configuration.subscriptions.isEmpty else {
            throw ToolFailure(status: .unusableData, reason: "\(path) has no products")
        }
        return try NewPackage(
            name: name, app: app, vitrine: vitrine, configuration: data, StarterCatalog(configuration))
    }

    /// Returns the catalog in a file; `nil` for a StoreKit configuration, which is JSON with a version of its format.
    private func catalog(at path: String) throws(ToolFailure) -> (Data, PropertyListDocument)? {
        guard !path.lowercased().hasSuffix(".storekit") else { return nil }
        let bytes = try InputFile.read(path, limit: PropertyListLimits().size)
        do {
            let document = try PropertyListDocument(bytes: Array(bytes))
            return document.format == .json && document.root.isStoreConfiguration ? nil : (bytes, document)
        } catch {
            let location = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(
                status: .unusableData,
                reason: "\(location): \(error.reason); --from takes a property list, JSON, or a .storekit file")
        }
    }

    /// Returns a remark if Vitrine's package is not at the path where the new package expects it.
    private func missingVitrine(from folder: URL) -> [String] {
        let manifest = URL(filePath: vitrine, directoryHint: .isDirectory, relativeTo: folder.absoluteURL)
            .appending(path: "Package.swift", directoryHint: .notDirectory)
        return FileStatus(manifest) == nil ? ["clone Vitrine's package to \(vitrine), as seen from the new one"] : []
    }

    private var defaultApp: String { "com.example.\(name.lowercased().replacing("_", with: "-"))" }

    /// Asks a question until the answer is valid. For an empty answer, or at the end of the input, the default `usual`
    /// is used.
    private func ask<Answer>(_ question: String, _ usual: String, _ parse: (String) throws -> Answer) throws -> Answer {
        while true {
            Console.draw("\(question) [\(usual)] ")
            guard let line = readLine() else { return try parse(usual) }
            let text = line.trimmingCharacters(in: .whitespaces)
            do {
                return try parse(text.isEmpty ? usual : text)
            } catch let error as ValidationError {
                Console.pass(error.message)
            }
        }
    }

    private func checkEmpty(_ folder: URL) throws {
        guard FileStatus(folder) != nil else { return }
        do {
            guard try FileManager.default.contentsOfDirectory(atPath: folder.systemPath).isEmpty else {
                throw ToolFailure(status: .no, reason: "\(folder.relativePath) exists and is not empty")
            }
        } catch let failure as ToolFailure {
            throw failure
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(folder.relativePath) is not a folder that can be written to")
        }
    }
}
