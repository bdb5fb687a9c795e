internal import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// Storage of the credentials of a device.
protocol CredentialStorage: Sendable {
    /// Returns the credentials; `nil` if there are none.
    func credentials() throws(AppServerError) -> DeviceCredentials?

    /// Replaces the stored credentials, and returns once the new credentials are durable.
    func store(_ credentials: DeviceCredentials) throws(AppServerError)

    func remove() throws(AppServerError)
}

/// File in the storage directory with the credentials of the device. Only the owner of the file can read it.
struct CredentialFile: CredentialStorage {
    let url: URL

    private static let sizeLimit = 64 * 1_024

    func credentials() throws(AppServerError) -> DeviceCredentials? {
        let data: Data
        do throws(FileSystemError) {
            data = try BoundedFile.read(url, limit: Self.sizeLimit)
        } catch {
            if error.isMissing { return nil }
            throw AppServerError(error)
        }
        guard data.count <= Self.sizeLimit else { throw .damaged(url.relativePath) }
        return try DeviceCredentials(json: data, from: url.relativePath)
    }

    func store(_ credentials: DeviceCredentials) throws(AppServerError) {
        let data = try credentials.json
        do throws(FileSystemError) {
            try DurableFile.write(data, to: url, permissions: 0o600)
        } catch {
            throw AppServerError(error)
        }
    }

    func remove() throws(AppServerError) {
        guard unlink(url.path(percentEncoded: false)) != 0, errno != ENOENT else { return }
        throw AppServerError(FileSystemError(lastAt: url))
    }
}

extension CodedError<AppServerErrorCode> {
    fileprivate init(_ error: FileSystemError) {
        self.init(code: .storage, reason: "\(error.path): \(error.reason)")
    }
}
