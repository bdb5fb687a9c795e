package import ArgumentParser
package import Foundation
package import VitrineCatalog
import VitrineFileSystem
package import VitrinePropertyList
import VitrineSupport

/// Paths that a command line names.
package enum PathArgument {
    /// Checks that paths are not empty, as those from unset variables of a shell are. An empty path would stand for the
    /// current folder.
    package static func validate(_ paths: [String?]) throws(ValidationError) {
        guard !paths.contains("") else { throw ValidationError("A path must not be empty.") }
    }

    fileprivate static func check(_ path: String) throws(ToolFailure) {
        guard !path.isEmpty else { throw ToolFailure(status: .usage, reason: "a path must not be empty") }
    }

    /// Checks the path of an output file. Unlike an input, it cannot be `-`.
    fileprivate static func check(output path: String) throws(ToolFailure) {
        try check(path)
        guard path != "-" else {
            throw ToolFailure(
                status: .usage, reason: "- is not the path of an output file; ./- would be a file of this name")
        }
    }
}

/// Input file of a command; `-` is standard input.
package enum InputFile {
    /// Reads a file, or standard input for `-`.
    ///
    /// - Parameter limit: Maximum number of bytes.
    /// - Returns: Content of the file. From a file that exceeds the limit, only the first `limit` + 1 bytes.
    package static func read(_ path: String, limit: Int) throws(ToolFailure) -> Data {
        try PathArgument.check(path)
        do {
            return path == "-"
                ? try BoundedFile.readStandardInput(limit: limit)
                : try BoundedFile.read(URL(filePath: path, directoryHint: .notDirectory), limit: limit)
        } catch {
            throw ToolFailure(status: error.isMissing ? .noInput : .inputOutput, reason: "\(path): \(error.reason)")
        }
    }
}

/// StoreKit configuration (`.storekit`) as input file of a command.
package enum StoreFile {
    /// Reads a StoreKit configuration file (`.storekit`).
    ///
    /// - Throws: ``ToolFailure`` if the file is missing, cannot be read, or is not a StoreKit configuration.
    package static func read(_ path: String) throws(ToolFailure) -> (data: Data, configuration: StoreConfiguration) {
        let data = try InputFile.read(path, limit: StoreConfiguration.sizeLimit)
        do {
            return (data, try StoreConfiguration(data: data))
        } catch {
            guard !isCatalog(data) else {
                throw ToolFailure(
                    status: .unusableData,
                    reason: "\(path) is a catalog, not a StoreKit configuration: 'vitrine convert \(path.inShell) --to "
                        + "storekit' makes one of it")
            }
            let location = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(status: .unusableData, reason: "\(location): \(error.reason)")
        }
    }

    private static func isCatalog(_ data: Data) -> Bool {
        do {
            return !Catalog(document: try PropertyListDocument(bytes: Array(data))).products.isEmpty
        } catch {
            return false
        }
    }

    /// StoreKit configuration made of a catalog, with what the user should know about it.
    package struct Draft {
        package let bytes: [UInt8]
        /// Errors of the catalog, and values of the configuration that the catalog does not contain.
        package let remarks: [String]
        package let isMissingProducts: Bool
    }

    /// Makes a StoreKit configuration of a catalog.
    ///
    /// - Parameters:
    ///   - path: Path of the catalog, for messages.
    ///   - prices: Path of the price list; `nil` if all prices are placeholders.
    /// - Throws: ``ToolFailure`` if the catalog has no product that can be sold, or the price list cannot be used.
    package static func draft(
        of document: PropertyListDocument, path: String, prices: String? = nil
    ) throws(ToolFailure) -> Draft {
        let catalog = Catalog(document: document)
        let errors = catalog.diagnostics.filter { $0.severity == .error }.flatMap { $0.lines(path: path) }
        let draft = StoreConfigurationDraft(catalog, prices: try prices.map(priceList) ?? PriceList())
        guard catalog.products.contains(where: { $0.kind != .unknown }) else {
            let reasons = errors + draft.remarks.map { "\(path): \($0)" }
            throw ToolFailure(
                status: .unusableData, reason: reasons.first ?? "\(path): the catalog contains no products")
        }
        return Draft(
            bytes: draft.bytes, remarks: errors + draft.remarks,
            isMissingProducts: draft.isMissingProducts || catalog.hasErrors)
    }

    private static func priceList(_ path: String) throws(ToolFailure) -> PriceList {
        let bytes = try InputFile.read(path, limit: PropertyListLimits().size)
        guard bytes.count <= PropertyListLimits().size else {
            throw ToolFailure(
                status: .unusableData, reason: "\(path) is larger than \(PropertyListLimits().size) bytes")
        }
        do {
            return try PriceList(Array(bytes))
        } catch {
            let location = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(status: .unusableData, reason: "\(location): \(error.reason)")
        }
    }
}

/// Output file of a command.
package enum OutputFile {
    /// Access to an output file.
    package enum Access: Sendable {
        /// For files that others may read, such as catalogs. A file that is replaced keeps its permissions and owner.
        case shared
        /// For files with private keys or customers' data. The file belongs to its writer alone, also if it replaces one
        /// that others can read.
        case owner

        /// Permissions of a new file.
        fileprivate var permissions: mode_t { self == .owner ? OwnerAccess.file : 0o644 }
    }

    /// Replaces a regular file atomically; a symbolic link remains a link. Writes to any other file, such as a device or
    /// a pipe.
    ///
    /// - Throws: ``ToolFailure`` 64 if the path is empty or `-`, 74 if the file cannot be written or is write-protected.
    package static func write(
        _ bytes: [UInt8], to path: String, access kind: Access = .shared
    ) throws(ToolFailure) {
        try PathArgument.check(output: path)
        do {
            let url = URL(filePath: path, directoryHint: .notDirectory).resolvingSymlinksInPath()
            let status = FileStatus(url)
            if let status {
                guard access(url.systemPath, W_OK) == 0 else { throw POSIXError(.EACCES) }
                guard status.isRegularFile else {
                    let file = try FileHandle(forWritingTo: URL(filePath: path, directoryHint: .notDirectory))
                    try file.write(contentsOf: Data(bytes))
                    return try file.close()
                }
            }
            try DurableFile.write(
                Data(bytes), to: url, like: kind == .shared ? status : nil, permissions: kind.permissions)
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(path) cannot be written: \(BoundedFile.reason(for: error))")
        }
    }

    /// Creates a file that must not exist yet.
    ///
    /// - Throws: ``ToolFailure`` 1 if the file exists, 64 if the path is empty or `-`, 74 if it cannot be created.
    package static func create(_ data: Data, at path: String, access: Access) throws(ToolFailure) {
        try PathArgument.check(output: path)
        do {
            try DurableFile.create(
                data, at: URL(filePath: path, directoryHint: .notDirectory), permissions: access.permissions)
        } catch {
            let isThere = error.isAboutExisting
            throw ToolFailure(
                status: isThere ? .no : .inputOutput,
                reason: isThere
                    ? "\(path) already exists and is not replaced"
                    : "\(path) cannot be written: \(BoundedFile.reason(for: error))")
        }
    }

    /// Removes a file that the command has created, because a later step has failed. A file that cannot be removed
    /// remains.
    package static func withdraw(_ path: String) { unlink(path) }
}

extension String {
    /// Path relative to the current folder, without a leading `./`, if the file is in that folder; otherwise the
    /// unchanged path. For messages; reports for code review services name paths as ``Workspace`` does.
    package var relativeToCurrentFolder: String {
        let folder = FileManager.default.currentDirectoryPath + "/"
        var relative = hasPrefix(folder) ? dropFirst(folder.count) : self[...]
        while relative.hasPrefix("./") { relative = relative.dropFirst(2).drop { $0 == "/" } }
        return String(relative)
    }
}
