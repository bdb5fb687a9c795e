internal import Foundation
internal import HTTPTypes
internal import VitrineNetworking
internal import VitrineSupport

/// Receiver of one reply to a request for a part of a file.
final class PartReceiver: Sendable {
    /// Kind of a server's reply to a request for a part of a file.
    enum Kind: Sendable {
        /// The reply contains the requested bytes.
        case part
        /// The reply contains all bytes of the file, from the first on.
        case whole
        /// The reply is unusable: the server has another version of the file, or does not have the requested bytes.
        case changed
        /// The reply is unusable, and so would be the reply to a further request for a part: it has other bytes than those
        /// that were requested, or no validator that would distinguish them from the bytes of another version.
        case unusablePart
    }

    private struct State {
        var kind: Kind?
        var failure: ContentError?
        /// Byte offset in the file after the last byte that the reply may contain.
        var end = 0
        /// Number of bytes at the beginning of the rest of the reply that were received before.
        var known = 0
        /// `true` if the reply has further bytes after the last one that it may contain.
        var hasExcess = false
    }

    private let request: RangeRequest
    private let file: RemoteFile
    private let limit: Int
    private let part: PartFile
    private let progress: @Sendable (ContentProgress) -> Void
    private let now: @Sendable () -> Date
    private let state = Locked(State())

    init(
        _ request: RangeRequest, for file: RemoteFile, limit: Int, into part: PartFile,
        progress: @escaping @Sendable (ContentProgress) -> Void, now: @escaping @Sendable () -> Date
    ) {
        self.request = request
        self.file = file
        self.limit = limit
        self.part = part
        self.progress = progress
        self.now = now
    }

    var kind: Kind? { state.withLock { $0.kind } }
    /// Error that caused the rejection of the reply; `nil` if the reply was not rejected.
    var failure: ContentError? { state.withLock { $0.failure } }
    /// `true` if the reply was ended because all bytes of the part had been received. Whether they are right, the digest
    /// of the file shows.
    var hasAll: Bool { state.withLock { $0.hasExcess } }

    func begin(_ response: HTTPResponse) throws(HTTPTransportError) {
        try refusing { () throws(ContentError) in
            switch response.status {
            case .partialContent: try beginPartial(response)
            case .ok: try beginComplete(response)
            case .rangeNotSatisfiable where !request.isForWhole:
                try giveUp(.changed, ContentError(response, now: now()))
            default: throw ContentError(response, now: now())
            }
        }
    }

    func receive(_ data: Data) throws(HTTPTransportError) {
        try refusing { () throws(ContentError) in
            let (new, end, isPart) = state.withLock { state in
                let known = min(state.known, data.count)
                state.known -= known
                return (data.dropFirst(known), state.end, state.kind == .part)
            }
            let room = end - part.offset
            guard isPart || new.count <= room else { throw Self.excess(over: end) }
            try part.append(new.prefix(room))
            progress(ContentProgress(received: part.offset, total: part.length))
            guard new.count <= room else {
                state.withLock { $0.hasExcess = true }
                throw Self.excess(over: end)
            }
        }
    }

    /// Ends the reply, and checks that all its bytes were received.
    ///
    /// - Throws: ``ContentError`` if the server ended the reply before all its bytes were received.
    func finish() throws(ContentError) {
        let (kind, end) = state.withLock { ($0.kind, $0.end) }
        let promised = kind == .whole ? part.length : end
        guard let promised, part.offset < promised else { return }
        throw ContentError(
            code: .network, reason: "the server's reply ended after \(part.offset) of \(promised) bytes")
    }

    /// Begins a reply with the status 206, which some servers send for a whole file too.
    private func beginPartial(_ response: HTTPResponse) throws(ContentError) {
        guard request.isForWhole else { return try beginPart(response) }
        let range = ContentRange(response.headerFields[.contentRange])
        guard let range, range.first == 0, let length = range.length, range.last == length - 1 else {
            throw ContentError(
                code: .server, reason: "the server sends a part of the file, although the whole file was requested")
        }
        try beginWhole(response)
    }

    /// Begins a reply with the status 200, which some servers send for a part too.
    private func beginComplete(_ response: HTTPResponse) throws(ContentError) {
        guard !request.isForWhole, let position = response.headerFields[.contentRange] else {
            return try beginWhole(response)
        }
        let range = ContentRange(position)
        let count = response.headerFields[.contentLength].flatMap { Int($0) }
        if let count, count == range?.length ?? file.length { return try beginWhole(response) }
        if let count, count == range?.count { return try beginPart(response) }
        try giveUp(
            .unusablePart, Self.refusal("the server sends a part (Content-Range) with the status of a whole file, 200"))
    }

    private func beginPart(_ response: HTTPResponse) throws(ContentError) {
        guard let range = ContentRange(response.headerFields[.contentRange]) else {
            return try giveUp(
                .unusablePart, Self.refusal("the server sends a part of the file without its position (Content-Range)"))
        }
        if let length = file.length, let claimed = range.length, length != claimed {
            return try giveUp(
                .unusablePart, .wrongContent("the file on the server has \(claimed) bytes instead of \(length)"))
        }
        guard range.first <= request.offset, range.last >= request.offset else {
            return try giveUp(
                .unusablePart,
                Self.refusal(
                    "the server sends the bytes from \(range.first) to \(range.last), and was asked for those from "
                        + "\(request.offset) to \(request.end - 1)"))
        }
        if let text = response.headerFields[.contentLength], Int(text) != range.count {
            return try giveUp(
                .unusablePart,
                Self.refusal("the server states the length \(text.prefix(20)) for a part of \(range.count) bytes"))
        }
        guard let length = range.length ?? file.length, range.last < length else {
            return try giveUp(.unusablePart, Self.change)
        }
        try checkSize(length)
        let validator = try validator(of: response)
        if part.offset > 0, part.length != length { try giveUp(.changed, Self.change) }
        try part.adopt(file.url, validator: validator, length: length)
        state.withLock { ($0.kind, $0.end, $0.known) = (.part, range.last + 1, request.offset - range.first) }
    }

    private static func refusal(_ reason: String) -> ContentError { ContentError(code: .server, reason: reason) }

    /// Returns the validator of the file's version in the reply. A reply to a request with `If-Range` may omit it.
    private func validator(of response: HTTPResponse) throws(ContentError) -> RangeValidator? {
        let validator = RangeValidator(response, now: now())
        guard let known = request.validator else {
            if validator == nil { try giveUp(.unusablePart, Self.change) }
            return validator
        }
        let named = [response.headerFields[.eTag], response.headerFields[.lastModified]].compactMap(\.self)
        if !named.isEmpty, !named.contains(known.value) { try giveUp(.changed, Self.change) }
        return known
    }

    private func beginWhole(_ response: HTTPResponse) throws(ContentError) {
        let claimed = response.headerFields[.contentLength].flatMap { Int($0) }
        if let length = file.length, let claimed, length != claimed {
            throw .wrongContent("the file on the server has \(claimed) bytes instead of \(length)")
        }
        if let claimed { try checkSize(claimed) }
        if part.offset > 0 { try part.startOver() }
        try part.adopt(
            file.url, validator: RangeValidator(response, now: now()), length: file.length ?? claimed)
        state.withLock { ($0.kind, $0.end) = (.whole, file.length ?? claimed ?? limit) }
    }

    private func checkSize(_ length: Int) throws(ContentError) {
        guard length <= limit else {
            throw .wrongContent("the file on the server has \(length) bytes, more than the permitted \(limit)")
        }
    }

    private func giveUp(_ kind: Kind, _ error: ContentError) throws(ContentError) {
        state.withLock { $0.kind = kind }
        throw error
    }

    private static func excess(over end: Int) -> ContentError {
        .wrongContent("the server sends more than the expected \(end) bytes")
    }

    private static let change = ContentError.wrongContent("the file on the server changes while it is fetched")

    /// Runs a closure; if the closure throws, stores its error and ends the transfer of the reply.
    private func refusing(_ work: () throws(ContentError) -> Void) throws(HTTPTransportError) {
        do {
            try work()
        } catch {
            state.withLock { $0.failure = error }
            throw HTTPTransportError(code: .refused, reason: error.reason)
        }
    }
}
