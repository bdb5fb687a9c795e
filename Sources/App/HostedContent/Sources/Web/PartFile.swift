internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineNetworking
internal import VitrineSupport

/// Received bytes of a file, from its beginning on, with a record of their origin.
///
/// The file is identified by its digest: stored bytes belong to a file with the same digest.
final class PartFile: Sendable {
    /// Record of the origin of the received bytes, written before the bytes.
    private struct Record: Codable, Equatable {
        var digest: String
        var length: Int?
        var address: String?
        var validator: RangeValidator?
    }

    private struct State {
        var hash = SHA256()
        var offset = 0
        var record: Record
        var isResumed = false
    }

    private static let recordLimit = 64 * 1024
    private static let name = "archive.part"
    private static let recordName = "state"
    /// Names of the files that store the received bytes and their record.
    static let names: Set = [name, recordName]

    let url: URL
    private let recordURL: URL
    private let descriptor: Int32
    private let state: Locked<State>

    /// Opens the received part of a file, or creates it.
    ///
    /// - Throws: ``ContentError``: `storage`, or `cancelled` if the task is cancelled while the
    ///   stored bytes are read for their digest.
    init(_ file: RemoteFile, in folder: URL) throws(ContentError) {
        url = folder.appending(component: Self.name)
        recordURL = folder.appending(component: Self.recordName)
        let stored = Self.record(at: recordURL).flatMap { record in
            record.digest == file.digest && [nil, record.length].contains(file.length) ? record : nil
        }
        if try FolderTree.status(of: url).map({ $0.kind != .file }) ?? false { try FolderTree.remove(url) }
        descriptor = open(url.systemPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
        state = Locked(State(record: stored ?? Record(digest: file.digest, length: file.length)))
        guard descriptor >= 0 else { throw ContentError(lastAt: url) }
        if stored != nil { try resume() }
        if offset == 0 { try startOver() }
    }

    deinit { close(descriptor) }

    var offset: Int { state.withLock { $0.offset } }
    /// Length of the whole file in bytes; `nil` while unknown.
    var length: Int? { state.withLock { $0.record.length } }
    /// `true` if some of the bytes were stored by an earlier fetch.
    var isResumed: Bool { state.withLock { $0.isResumed } }

    /// Returns the HTTP validator of the file version that the received bytes belong to; `nil` if the bytes come from
    /// another address.
    func validator(of address: URL) -> RangeValidator? {
        state.withLock { $0.offset > 0 && $0.record.address == address.absoluteString ? $0.record.validator : nil }
    }

    /// Records the address and the file version of the bytes that are received next.
    ///
    /// - Throws: ``ContentError``: `noSpace` if there is too little free space for the missing bytes.
    func adopt(_ address: URL, validator: RangeValidator?, length: Int?) throws(ContentError) {
        let (record, offset, isNew) = state.withLock { state in
            let record = Record(
                digest: state.record.digest, length: length, address: address.absoluteString, validator: validator)
            defer { state.record = record }
            return (record, state.offset, state.record != record || state.offset == 0)
        }
        if let length { try FolderTree.checkSpace(for: length - offset, in: url.deletingLastPathComponent()) }
        guard isNew else { return }
        try Self.save(record, to: recordURL)
    }

    func append(_ data: Data) throws(ContentError) {
        try state.withLock { (state) throws(ContentError) in
            var rest = data
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    throw ContentError(lastAt: url)
                }
                state.hash.update(data: rest.prefix(count))
                state.offset += count
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Discards all received bytes.
    func startOver() throws(ContentError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw ContentError(lastAt: url)
        }
        state.withLock { state in
            state.hash = SHA256()
            state.offset = 0
            state.isResumed = false
        }
    }

    /// Makes the received bytes durable, and checks them.
    ///
    /// - Returns: `true` if the received bytes have the required digest of the file.
    func finish() throws(ContentError) -> Bool {
        guard fsync(descriptor) == 0 else { throw ContentError(lastAt: url) }
        return state.withLock { $0.hash.finalize().hexadecimal == $0.record.digest }
    }

    /// Removes the received bytes and their record. The value must not be used afterwards.
    func remove() throws(ContentError) {
        try FolderTree.remove(url)
        try FolderTree.remove(recordURL)
    }

    /// Continues after the bytes that an earlier fetch has stored, if they can be part of the file.
    private func resume() throws(ContentError) {
        guard let size = try FolderTree.status(of: url)?.length, size > 0, size <= length ?? .max else { return }
        var hash = SHA256()
        var offset = 0
        try FileBlocks.read(url) { (block) throws(ContentError) in
            hash.update(data: block)
            offset += block.count
        }
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw ContentError(lastAt: url) }
        state.withLock { ($0.hash, $0.offset, $0.isResumed) = (hash, offset, true) }
    }

    private static func save(_ record: Record, to url: URL) throws(ContentError) {
        do {
            try DurableFile.write(try JSONEncoder().encode(record), to: url)
        } catch {
            throw ContentError(error, at: url)
        }
    }

    private static func record(at url: URL) -> Record? {
        guard let data = try? BoundedFile.read(url, limit: recordLimit), data.count <= recordLimit else { return nil }
        return try? JSONDecoder().decodeForeign(Record.self, from: data)
    }
}

// MARK: Stored bytes

extension PartFile {
    static let wrongDigest = ContentError.wrongContent("the received file does not have the required digest")

    /// Returns `true` if an earlier fetch has stored bytes of the file.
    static func hasBegun(_ file: RemoteFile, in folder: URL) throws(ContentError) -> Bool {
        guard let record = record(at: folder.appending(component: recordName)), record.digest == file.digest else {
            return false
        }
        return try FolderTree.status(of: folder.appending(component: name))?.length ?? 0 > 0
    }

    /// Returns how many bytes of a folder's file were received, and its total length; `nil` if nothing was received.
    static func progress(in folder: URL) throws(ContentError) -> ContentProgress? {
        guard let record = record(at: folder.appending(component: recordName)),
            let status = try FolderTree.status(of: folder.appending(component: name)), status.kind == .file
        else { return nil }
        return ContentProgress(received: status.length, total: record.length)
    }

    /// Replaces the stored bytes by a file that a background transfer has received completely.
    ///
    /// - Returns: The durable file with the required digest.
    /// - Throws: ``ContentError``: `wrongContent` if the received file is not the required one, in which case it is
    ///   removed; `storage`; `cancelled` if the task is canceled while the file is read for its digest.
    static func adopt(_ arrived: URL, as file: RemoteFile, in folder: URL) throws(ContentError) -> URL {
        let length = try FolderTree.status(of: arrived)?.length ?? 0
        guard file.length.map({ $0 == length }) ?? true else {
            try FolderTree.remove(arrived)
            throw .wrongContent("\(length) bytes of the file were received instead of \(file.length ?? 0)")
        }
        let place = folder.appending(component: name)
        try FolderTree.remove(place)
        try save(Record(digest: file.digest, length: length), to: folder.appending(component: recordName))
        try FolderTree.move(arrived, to: place)
        let part = try PartFile(file, in: folder)
        if try part.finish() { return part.url }
        try part.remove()
        throw wrongDigest
    }
}
