internal import Foundation
internal import VitrineCatalogLoading
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

/// Highest numbers, such as the version, of the signed catalogs used so far. Signed catalogs with lower numbers are
/// refused. The numbers are stored in the ledger and in a file beside it, and therefore outlast a ledger loss.
struct CatalogNumbers: MonotonicCounters {
    private static let sizeLimit = 64 * 1024

    let ledger: any Ledger
    let home: Home

    private var file: URL { home.url.appending(path: "catalog-numbers.json", directoryHint: .notDirectory) }

    func advance(_ name: String, to value: Int64) async throws -> Int64 {
        let highest = try await ledger.advance(name, to: max(value, stored[name] ?? value))
        guard stored[name] ?? .min < highest else { return highest }
        try FolderLock.locking(home.url) { () throws(FileSystemError) in
            var numbers = stored
            numbers[name] = max(numbers[name] ?? highest, highest)
            // A file that grew with each version would exceed the limit, and then be treated as damaged.
            numbers = numbers.withoutLowerVersions
            let data: Data
            do {
                data = try JSONEncoder().encode(numbers)
            } catch {
                preconditionFailure("the highest versions of signed catalogs cannot be encoded as JSON: \(error)")
            }
            // Removes temporary files of processes that were stopped while they wrote.
            for name in try FolderTree<FileSystemError>.names(in: home.url)
            where name.hasPrefix(".\(file.lastPathComponent).") {
                try FolderTree<FileSystemError>.remove(home.url.appending(component: name))
            }
            try DurableFile.write(data, to: file)
        }
        return highest
    }

    func highest(_ name: String) async throws -> Int64? {
        [try await ledger.highest(name), stored[name]].compactMap(\.self).max()
    }

    /// Highest numbers of signed catalogs, by name, that the file beside the ledger contains. A missing or damaged file
    /// is treated as empty, because the ledger contains the numbers too.
    private var stored: [String: Int64] {
        guard let data = try? BoundedFile.read(file, limit: Self.sizeLimit) else { return [:] }
        return (try? JSONDecoder().decodeForeign([String: Int64].self, from: data)) ?? [:]
    }
}
