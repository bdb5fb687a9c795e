import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineFileSystem
import VitrineSupport

/// Option for the key that seals exported ledgers.
struct SealOptions: ParsableArguments {
    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "The file with the key of the seal: 32 to 4096 random bytes, outside the home.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    private static let sizeLimit = 4096

    /// Reads the key for the seal from the file that the option names.
    ///
    /// - Parameter document: File with the exported ledger; `nil` for standard output.
    /// - Returns: `nil` if the option is missing.
    /// - Throws: ``ToolFailure``: 64 for a key in the storage directory or in the document, where it would be copied
    ///   or changed together with the ledger that it protects; 65 for a key of the wrong length; 66 or 74 if it cannot
    ///   be read.
    func key(home: Home, document: String?) throws(ToolFailure) -> LedgerSealKey? {
        guard let keyFile else { return nil }
        if let document, isSame(keyFile, document) {
            throw ToolFailure(
                status: .usage, reason: "\(keyFile): the file with the key must not be the document that the key seals")
        }
        if home.contains(keyFile) {
            throw ToolFailure(
                status: .usage, reason: "\(keyFile): the key of the seal must not be in the home, next to the ledger")
        }
        let material = try InputFile.read(keyFile, limit: Self.sizeLimit)
        guard material.count <= Self.sizeLimit else {
            throw ToolFailure(
                status: .unusableData, reason: "\(keyFile): the key of the seal has more than \(Self.sizeLimit) bytes")
        }
        do {
            return try LedgerSealKey(material)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(keyFile): \(error.reason)")
        }
    }

    /// Indicates that two paths refer to the same file, possibly through links.
    private func isSame(_ first: String, _ second: String) -> Bool {
        let files = [first, second].map { FileStatus(URL(filePath: $0, directoryHint: .notDirectory))?.identity }
        return first == second || files[0] != nil && files[0] == files[1]
    }
}
