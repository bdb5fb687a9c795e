internal import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// Plan for setting a ledger aside, written before any file is moved, and removed once the repaired copy is in its
/// place, or the new ledger has recorded the loss.
struct SettingAsidePlan: Codable {
    /// New name of the damaged ledger.
    let name: String
    let reason: String
    /// Name of the repaired copy that replaces the ledger; `nil` if it could not be repaired.
    var repaired: String?

    static let fileName = "ledger.setting-aside.json"
    static let repairedName = "ledger.repaired.sqlite"

    private static let (prefix, suffix) = ("ledger.damaged-", ".sqlite")
    private static let sizeLimit = 64 * 1024

    /// Returns a new name for a ledger that is set aside at a time.
    ///
    /// - Parameter isTaken: Function that returns `true` for the name of an existing file.
    static func name(at now: Date, isTaken: (String) -> Bool) -> String {
        let stamp = now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        var name = prefix + stamp + suffix
        var number = 2
        while isTaken(name) {
            name = "\(prefix)\(stamp)-\(number)\(suffix)"
            number += 1
        }
        return name
    }

    /// Reads a plan.
    ///
    /// - Returns: `nil` if the file is damaged, or is not a plan of ``LedgerOpening``, such as one that moves files
    ///   to another folder.
    static func read(_ file: URL) throws(FileSystemError) -> SettingAsidePlan? {
        do {
            let plan = try JSONDecoder().decodeForeign(Self.self, from: try BoundedFile.read(file, limit: sizeLimit))
            return plan.hasValidNames ? plan : nil
        } catch let error as FileSystemError {
            guard error.kind == .unusable else { throw error }
            return nil
        } catch {
            return nil
        }
    }

    private var hasValidNames: Bool {
        name.hasPrefix(Self.prefix) && name.hasSuffix(Self.suffix) && !name.contains { "/\0".contains($0) }
            && (repaired == nil || repaired == Self.repairedName)
    }
}
