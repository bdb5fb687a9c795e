internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import VitrineFileSystem
internal import VitrineSupport

/// Cache of the digests of files and the bytes of small files. A changed file has a new key.
final class FileStates: Sendable {
    private struct Contents {
        var digests: [Key: String] = [:]
        var tasks: [Key: Task<String, any Error>] = [:]
        var bytes: [Key: ByteBuffer] = [:]
        var size = 0
    }

    private struct Key: Hashable {
        let path: String
        let stamp: FileStatus.Stamp
    }

    /// Maximum length in bytes of a file that is cached in memory.
    private static let longest = 512 * 1024
    private static let longestOfAll = 32 * 1024 * 1024
    private static let mostDigests = 50_000
    private static let blockSize = 1024 * 1024

    private let contents = Locked(Contents())

    /// Returns the SHA-256 digest of a file in hexadecimal. Concurrent calls share one read of the file.
    func digest(of file: OpenFile, at path: String) async throws -> String {
        let key = Key(path: path, stamp: file.stamp)
        if let digest = contents.withLock({ $0.digests[key] }) { return digest }
        let task = contents.withLock { contents -> Task<String, any Error> in
            if let task = contents.tasks[key] { return task }
            let task = Task { try await Self.digest(of: file) }
            contents.tasks[key] = task
            return task
        }
        let result = await task.result
        contents.withLock { contents in
            contents.tasks[key] = nil
            guard case .success(let digest) = result else { return }
            if contents.digests.count >= Self.mostDigests { contents.digests = [:] }
            contents.digests[key] = digest
        }
        return try result.get()
    }

    private static func digest(of file: OpenFile) async throws -> String {
        var (hash, offset) = (SHA256(), 0)
        while offset < file.length {
            let range = offset..<min(offset + blockSize, file.length)
            let (before, next) = (hash, range)
            hash = try await NIOThreadPool.singleton.runIfActive {
                var hash = before
                hash.update(data: try file.read(next).readableBytesView)
                return hash
            }
            offset = range.upperBound
        }
        guard file.isUnchanged else { throw FileFailure(reason: "the file has changed while it was read") }
        return hash.finalize().hexadecimal
    }

    /// Returns the bytes of a small file, from the cache if possible; `nil` for a larger file.
    func bytes(of file: OpenFile, at path: String) async throws -> ByteBuffer? {
        guard file.length <= Self.longest else { return nil }
        let key = Key(path: path, stamp: file.stamp)
        if let bytes = contents.withLock({ $0.bytes[key] }) { return bytes }
        let bytes = try await file.part(0..<file.length)
        contents.withLock { contents in
            guard contents.bytes[key] == nil else { return }
            if contents.size + file.length > Self.longestOfAll { (contents.bytes, contents.size) = ([:], 0) }
            contents.bytes[key] = bytes
            contents.size += file.length
        }
        return bytes
    }
}
