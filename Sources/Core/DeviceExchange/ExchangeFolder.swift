public import Foundation
internal import VitrineFileSystem
public import VitrineSupport

/// Shared folder with the documents of a customer's devices: on a disk or file server, or a folder that a file service
/// synchronizes.
///
/// Files are written under a temporary name in the folder and renamed, so that an incomplete document never has its
/// final name. A document that a service has copied only in part is read again later. A lease requires that all devices
/// access the same folder, because a copied folder cannot be locked for all devices.
public struct ExchangeFolder: ExchangeTransport {
    public let url: URL

    /// Maximum number of files in the folder.
    public static let mostFiles = 100_000

    /// Creates an exchange folder.
    ///
    /// - Parameter url: The folder, which must exist.
    public init(url: URL) { self.url = url }

    public func names() async throws(ExchangeError) -> [String] {
        do throws(FileSystemError) {
            return try FolderTree<FileSystemError>.names(in: url, most: Self.mostFiles)
        } catch {
            throw ExchangeError(error)
        }
    }

    public func document(named name: String) async throws(ExchangeError) -> Data? {
        do throws(FileSystemError) {
            return try BoundedFile.read(file(name), limit: DeviceDocument.sizeLimit + 1)
        } catch {
            if error.isMissing { return nil }
            throw ExchangeError(error)
        }
    }

    public func store(_ document: Data, named name: String) async throws(ExchangeError) {
        do throws(FileSystemError) {
            try removeAbandoned(by: name)
            try DurableFile.write(document, to: file(name), permissions: OwnerAccess.file)
        } catch {
            throw ExchangeError(error)
        }
    }

    public func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        let lock: FolderLock?
        do throws(FileSystemError) {
            lock = try FolderLock.ifFree(url)
        } catch {
            throw ExchangeError(error)
        }
        guard let lock else {
            throw ExchangeError(
                code: .busy,
                reason: "\(url.relativePath): another device is using the folder; try again when it has finished")
        }
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }

    /// Removes temporary files that a killed process of a device has left. They are not replaced later, because the
    /// next document of the device usually has another name.
    private func removeAbandoned(by name: String) throws(FileSystemError) {
        guard let device = DocumentName(name)?.device else { return }
        for other in try FolderTree<FileSystemError>.names(in: url, most: Self.mostFiles) where other.hasPrefix(".") {
            guard let target = DocumentName(String(other.dropFirst())), target.device == device else { continue }
            DurableFile.removeAbandoned(of: file(target.text))
        }
    }

    private func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
}

extension ExchangeError {
    fileprivate init(_ error: FileSystemError) { self.init(code: .transport, reason: "\(error.path): \(error.reason)") }
}
