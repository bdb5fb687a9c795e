import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineFileSystem
import VitrineHostedContent
import VitrinePropertyList
import VitrineSupport

struct ContentNewCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a package of a folder with files.",
        discussion: """
            Copies the files to the folder Contents of a new package, and writes its ContentInfo.plist. The package is \
            created completely or not at all. Content that an app would refuse is not copied: the exit status is 65.

            EXAMPLE:
              vitrine content new Guides/Rome --product com.example.voyager.rome \\
                -o HostedContent/Rome
            """
    )

    @Argument(help: ArgumentHelp("The folder with the files.", valueName: "folder"), completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("The identifier of the product that the content belongs to.", valueName: "id"),
        completion: .product)
    var product: String

    @Option(
        help: ArgumentHelp("The version of the content, which each change of it has to raise.", valueName: "version"))
    var version = "1.0"

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder of the package, which must be missing or empty.", valueName: "folder"),
        completion: .directory)
    var outputFolder: String

    @OptionGroup var output: OutputOptions

    var activity: String? { "copying content" }

    func validate() throws {
        guard !product.isEmpty, !version.isEmpty else {
            throw ValidationError("The identifier and the version must not be empty.")
        }
        try PathArgument.validate([folder, outputFolder])
    }

    func report() throws -> Report {
        let files = URL(filePath: folder, directoryHint: .isDirectory)
        guard FileStatus(files)?.kind == .folder else {
            throw ToolFailure(status: .noInput, reason: "\(folder): there is no such folder")
        }
        let package = try ContentPackage.make(
            of: files, for: product, version: version, at: URL(filePath: outputFolder, directoryHint: .isDirectory))
        return Report(
            lines: ["\(outputFolder): \(product) \(version), \(package.fileCount.with("file"))"],
            json: ["folder": outputFolder, "product": product, "version": version])
    }
}

struct ContentPackCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Pack content for a web server.",
        discussion: """
            Writes an archive and a manifest with the digest of every file, both named after the product and its \
            version. FOLDER contains ContentInfo.plist and Contents. From equal content the command writes equal \
            archives, byte for byte. Content that an app would refuse is not packed: the exit status is 65. Other \
            content of the same version is not replaced, neither in the output folder nor in the catalog, because apps \
            with an older copy of the catalog could then not download it: raise the version in ContentInfo.plist, or \
            give --replace if the catalog was never published.

            With --update-catalog, contentURL, contentDigest, contentLength and contentVersion of the product are \
            written into the catalog, whose other bytes stay unchanged. The catalog must be an XML property list; the \
            exit status is 1 if it cannot be updated.

            EXAMPLES:
              vitrine content pack HostedContent/Rome -o out
              vitrine content pack HostedContent/Rome -o out --key online.key
              vitrine content pack HostedContent/Rome -o out \\
                --base-url https://example.com/content --update-catalog catalog.plist
            """
    )

    @Argument(help: ArgumentHelp("The package's folder.", valueName: "folder"), completion: .directory)
    var folder: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The output folder; created if needed.", valueName: "folder"),
        completion: .directory)
    var outputFolder: String

    @Option(
        help: "The format of the archive: zip, or tar.zst, which is shorter and which apps cannot open.",
        transform: Self.format)
    var format = PackingFormat.zip

    @Flag(help: "Write a tar.zst into the catalog, although apps cannot open it.")
    var allowUnreadable = false

    @Flag(help: "Replace other content of the same product and version.")
    var replace = false

    @Flag(help: "Also write each file by itself, named by its digest, so that an update downloads only new files.")
    var files = false

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "The URL of the folder on a web server to which you upload the files. Repeat the option for further "
                + "servers, in the order in which apps try them.", valueName: "url"))
    var baseURLs: [String] = []

    @Option(
        help: ArgumentHelp(
            "The private key that signs the manifest, created by 'vitrine catalog keygen'.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The catalog to which the content's address and digest are written; needs --base-url.", valueName: "plist"),
        completion: .catalog)
    var updateCatalog: String?

    @OptionGroup var output: OutputOptions

    private static func format(_ text: String) throws -> PackingFormat {
        guard let format = PackingFormat(rawValue: text), PackingFormat.available.contains(format) else {
            let formats = PackingFormat.available.map(\.rawValue).joined(separator: " or ")
            throw ValidationError("\(text) is not a format; use \(formats).")
        }
        return format
    }

    func validate() throws {
        try PathArgument.validate([folder, outputFolder])
        for text in baseURLs {
            let url = try RemoteOptions.address(text)
            guard url.query() == nil, url.fragment() == nil else {
                throw ValidationError("\(WebAddress.printed(text)) has a query, which the URL of a folder cannot have.")
            }
        }
        guard updateCatalog == nil || !baseURLs.isEmpty else {
            throw ValidationError("--update-catalog needs --base-url, because it writes the manifest's URL.")
        }
        guard updateCatalog == nil || format == .zip || allowUnreadable else {
            throw ValidationError(
                "Apps cannot open \(format.rawValue): pack a zip, or add --allow-unreadable if only programs of yours "
                    + "that open it read this catalog.")
        }
    }

    var activity: String? { "packing content" }

    func report() throws -> Report {
        let key = try key.map { try PrivateKeyFile.read($0) }
        let package = try self.package()
        do {
            try FileManager.default.createDirectory(atPath: outputFolder, withIntermediateDirectories: true)
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(outputFolder) cannot be created: \(BoundedFile.reason(for: error))")
        }
        let packed = try pack(package)
        if let key { try ManifestSignature.write(for: packed, by: key) }
        let urls = baseURLs.map { base in
            base + (base.hasSuffix("/") ? "" : "/") + packed.manifestFile.lastPathComponent
        }
        if let updateCatalog { try update(updateCatalog, with: packed, urls: urls) }
        return report(of: packed, urls: urls)
    }

    private func package() throws -> ContentPackage {
        do throws(ContentError) {
            return try ContentPackage(folder: URL(filePath: folder, directoryHint: .isDirectory))
        } catch {
            guard error.code == .notFound else { throw error }
            guard FileStatus(URL(filePath: folder))?.kind == .folder else {
                throw ToolFailure(status: .noInput, reason: "\(folder): there is no such folder")
            }
            throw ToolFailure(
                status: .noInput, reason: "\(error.reason); 'vitrine content new' makes a package of a folder")
        }
    }

    private func pack(_ package: ContentPackage) throws -> ContentPacker.Packed {
        do throws(ContentError) {
            return try ContentPacker.pack(
                package, into: URL(filePath: outputFolder, directoryHint: .isDirectory), withFiles: files,
                replaces: replace, codec: format.codec)
        } catch {
            guard error.code == .invalidPlace, !replace else { throw error }
            throw ToolFailure(
                status: .no, reason: "\(error.reason); raise the version in ContentInfo.plist, or give --replace")
        }
    }

    private func update(_ catalog: String, with packed: ContentPacker.Packed, urls: [String]) throws {
        let update = CatalogUpdate(
            product: packed.manifest.productIdentifier,
            values: [
                ("contentVersion", .string(packed.manifest.version)),
                ("contentURL", urls.count == 1 ? .string(urls[0]) : .strings(urls)),
                ("contentDigest", .string("sha256:\(packed.manifestDigest)")),
                ("contentLength", .integer(packed.manifestLength)),
            ])
        let before = Array(try InputFile.read(catalog, limit: PropertyListLimits().size))
        let after: [UInt8]
        do {
            let present = try update.present(in: before)
            if !replace, present["contentVersion"] == packed.manifest.version, let digest = present["contentDigest"],
                digest != "sha256:\(packed.manifestDigest)"
            {
                throw ToolFailure(
                    status: .no,
                    reason: "\(catalog) names other content of \(packed.manifest.productIdentifier) "
                        + "\(packed.manifest.version): raise the version in ContentInfo.plist, or give --replace")
            }
            after = try update.updated(before)
        } catch let error as CatalogUpdateError {
            let location = error.position.map { "\(catalog):\($0)" } ?? catalog
            throw ToolFailure(status: error.isUnreadable ? .unusableData : .no, reason: "\(location): \(error.reason)")
        }
        if after != before { try OutputFile.write(after, to: catalog) }
    }

    private func report(of packed: ContentPacker.Packed, urls: [String]) -> Report {
        let (archive, manifest) = (packed.archive.relativePath, packed.manifestFile.relativePath)
        let length = packed.manifest.files.reduce(0) { $0 + $1.length }
        var lines = [
            "\(archive): \(packed.manifest.productIdentifier) \(packed.manifest.version), "
                + "\(packed.manifest.files.count) files, \(length) bytes, packed in "
                + "\(packed.manifest.archive.length) bytes",
            "\(manifest): \(packed.manifestLength) bytes, sha256:\(packed.manifestDigest)",
        ]
        if key != nil { lines.append("\(ManifestSignature.path(of: manifest)): signature of the manifest") }
        lines += updateCatalog.map { ["\($0): updated"] } ?? []
        return Report(
            lines: lines,
            json: [
                "archive": archive, "manifest": manifest,
                "signature": key == nil ? nil : ManifestSignature.path(of: manifest),
                "manifestLength": packed.manifestLength, "manifestDigest": "sha256:\(packed.manifestDigest)",
                "urls": urls, "package": packed.manifest.document,
            ])
    }
}

struct ContentUnpackCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack",
        abstract: "Unpack an archive of content.",
        discussion: """
            The output folder is created completely or not at all. An archive that an app would refuse is not \
            unpacked: the exit status is 65. On Linux, tars with xz or Zstandard are unpacked too, which apps cannot \
            open.

            EXAMPLE:
              vitrine content unpack Rome.zip -o Rome
            """
    )

    @Argument(help: ArgumentHelp("The archive to unpack.", valueName: "archive"), completion: .file())
    var archive: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The output folder, which must be missing or empty.", valueName: "folder"),
        completion: .directory)
    var outputFolder: String

    @OptionGroup var manifest: ManifestOptions
    @OptionGroup var output: OutputOptions

    var activity: String? { "unpacking content" }

    func validate() throws { try PathArgument.validate([archive, outputFolder]) }

    func report() throws -> Report {
        let expected = try manifest.read()
        let package = try ContentUnpacker.unpack(
            URL(filePath: archive, directoryHint: .notDirectory), manifest: expected,
            as: URL(filePath: outputFolder, directoryHint: .isDirectory), codec: PackingFormat.codec)
        return Report(
            lines: ["\(outputFolder): \(package.info.productIdentifier) \(package.info.version)"],
            json: [
                "folder": outputFolder, "product": package.info.productIdentifier, "version": package.info.version,
            ])
    }
}

struct ContentVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check an archive of content.",
        discussion: """
            Reads a zip or a tar completely, as an app does that installs it, and writes nothing. With --manifest, the \
            archive must match the manifest to the byte. With --key, the file beside the manifest whose name ends with \
            .minisig must be this key's signature of the manifest. The exit status is 0 if the archive is valid, and 1 \
            if an app would refuse it.

            EXAMPLES:
              vitrine content verify out/com.example.voyager.rome-1.0.zip \\
                --manifest out/com.example.voyager.rome-1.0.plist
              vitrine content verify Rome.tar
            """
    )

    @Argument(help: ArgumentHelp("The archive to check.", valueName: "archive"), completion: .file())
    var archive: String

    @OptionGroup var manifest: ManifestOptions
    @OptionGroup var output: OutputOptions

    var activity: String? { "comparing content" }

    func validate() throws { try PathArgument.validate([archive]) }

    func report() throws -> Report {
        let expected = try manifest.read()
        do throws(ContentError) {
            let found = try ContentArchive.verify(
                URL(filePath: archive, directoryHint: .notDirectory), manifest: expected)
            let length = found.files.reduce(0) { $0 + $1.length }
            return Report(
                lines: [
                    "verified: \(found.productIdentifier) \(found.version), \(found.files.count) files, \(length) bytes"
                ], json: ["verdict": "verified", "package": found.document])
        } catch {
            guard [.invalidPackage, .wrongContent].contains(error.code) else { throw ToolFailure(error) }
            return Report(
                lines: ["rejected: \(error.reason) [\(error.code)]"],
                json: [
                    "verdict": "rejected", "reason": ["code": error.code.description, "detail": error.reason],
                ],
                status: .no)
        }
    }
}
