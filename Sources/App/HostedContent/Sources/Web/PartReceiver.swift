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
        /// The reply is unusable: without a validator, its bytes could not be distinguished from the bytes of another
        /// version.
        case unnamed
    }

    private struct State {
        var kind: Kind?
        var failure: ContentError?
        /// Byte offset in the file after the last byte that the reply may contain.
        var end = 0
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

    func begin(_ response: HTTPResponse) throws(HTTPTransportError) {
        try refusing { () throws(ContentError) in
            switch response.status {
            case .partialContent: try beginPart(response)
            case .ok: try beginWhole(response)
            case .rangeNotSatisfiable where !request.isForWhole:
                try giveUp(.changed, ContentError(response, now: now()))
            default: throw ContentError(response, now: now())
            }
        }
    }

    func receive(_ data: Data) throws(HTTPTransportError) {
        try refusing { () throws(ContentError) in
            let end = state.withLock { $0.end }
            guard data.count <= end - part.offset else {
                throw ContentError.wrongContent("the server sends more than the expected \(end) bytes")
            }
            try part.append(data)
            progress(ContentProgress(received: part.offset, total: part.length))
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

    private func beginPart(_ response: HTTPResponse) throws(ContentError) {
        guard !request.isForWhole else {
            throw ContentError(
                code: .server, reason: "the server sends a part of the file, although the whole file was requested")
        }
        guard let range = ContentRange(response.headerFields[.contentRange]) else {
            throw ContentError(
                code: .server, reason: "the server sends a part of the file without its position (Content-Range)")
        }
        if let length = file.length, let claimed = range.length, length != claimed {
            throw .wrongContent("the file on the server has \(claimed) bytes instead of \(length)")
        }
        guard range.first == request.offset, range.last < request.end else {
            throw ContentError(
                code: .server,
                reason: "the server sends the bytes from \(range.first) to \(range.last), and was asked for those from "
                    + "\(request.offset) to \(request.end - 1)")
        }
        let count = range.last - range.first + 1
        if let text = response.headerFields[.contentLength], Int(text) != count {
            throw ContentError(
                code: .server, reason: "the server states the length \(text.prefix(20)) for a part of \(count) bytes")
        }
        guard let length = range.length ?? file.length else { return try giveUp(.unnamed, Self.change) }
        try checkSize(length)
        let validator = try validator(of: response)
        if part.offset > 0, part.length != length { try giveUp(.changed, Self.change) }
        try part.adopt(file.url, validator: validator, length: length)
        state.withLock { ($0.kind, $0.end) = (.part, range.last + 1) }
    }

    /// Returns the validator of the file's version in the reply. A reply to a request with `If-Range` may omit it.
    private func validator(of response: HTTPResponse) throws(ContentError) -> RangeValidator? {
        let validator = RangeValidator(response, now: now())
        guard let known = request.validator else {
            if validator == nil { try giveUp(.unnamed, Self.change) }
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
