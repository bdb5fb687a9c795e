internal import Foundation
internal import HTTPTypes
internal import VitrineNetworking
internal import VitrineSupport

/// Fetch of a file from one address in parts, which continues after the bytes that an earlier fetch has received.
struct FileFetch {
    let file: RemoteFile
    let folder: URL
    let fetcher: HTTPFetcher
    let limits: HTTPLimits
    let retries: FetchRetries
    let now: @Sendable () -> Date
    let progress: @Sendable (ContentProgress) -> Void

    /// Number of further received bytes that count as progress, which resets the number of retries.
    static let furtherCount = 64 * 1024

    /// State of a fetch between two of its requests.
    private struct Course {
        var attempts: FetchAttempts
        /// `true` until unusable received bytes have been discarded. Bytes are discarded only once, because otherwise
        /// the fetch of a file that changes all the time would never end.
        var mayStartOver = true
        var isForWhole = false
        /// `true` if several replies with parts were joined.
        var hasJoinedParts = false
        var hasEnded = false
    }

    /// Fetches the file, or its missing rest.
    ///
    /// - Returns: The complete, durable file with the required digest.
    func run() async throws(ContentError) -> URL {
        let part = try PartFile(file, in: folder)
        var course = Course(attempts: FetchAttempts(retries))
        progress(ContentProgress(received: part.offset, total: part.length))
        while true {
            while !course.hasEnded, part.length.map({ part.offset < $0 }) ?? true {
                try await fetchNext(of: part, &course)
            }
            if try part.finish() { return part.url }
            // Bytes of an earlier fetch or of another server may be wrong: the file is fetched once more from its
            // beginning. A server may also have sent other parts than it claims: the whole file is then requested.
            if !(part.isResumed && course.mayStartOver) {
                guard course.hasJoinedParts else {
                    try part.remove()
                    throw PartFile.wrongDigest
                }
                course.isForWhole = true
            }
            (course.mayStartOver, course.hasJoinedParts, course.hasEnded) = (false, false, false)
            try part.startOver()
        }
    }

    private func fetchNext(of part: PartFile, _ course: inout Course) async throws(ContentError) {
        guard !Task.isCancelled else { throw ContentError(code: .cancelled, reason: "the download was cancelled") }
        let request = RangeRequest(
            offset: part.offset, length: part.length, validator: part.validator(of: file.url),
            isForWhole: course.isForWhole)
        let receiver = PartReceiver(
            request, for: file, limit: limits.size, into: part, progress: progress, now: now)
        let failure = await failure(of: request, receiver)
        switch receiver.kind {
        case .changed:
            // A server that has another version at each request, or supports no ranges, may still send the whole file.
            course.isForWhole = !course.mayStartOver || part.offset == 0
            course.mayStartOver = false
            try part.startOver()
        case .unusablePart:
            course.isForWhole = true
        case .part, .whole, nil:
            let hasComeFurther = part.offset - request.offset >= min(Self.furtherCount, request.count)
            if receiver.kind == .part {
                course.hasJoinedParts = course.hasJoinedParts || request.offset > 0
                if hasComeFurther { course.attempts.reset() }
            }
            if let failure { return try await course.attempts.wait(after: failure) }
            // A file in tiny parts would need too many requests.
            course.isForWhole = receiver.kind == .part && !hasComeFurther && part.offset != part.length
            course.hasEnded = receiver.kind == .whole
        }
    }

    /// Sends a request, and passes its reply to a receiver.
    ///
    /// - Returns: `nil` if the reply was received completely.
    private func failure(of request: RangeRequest, _ receiver: PartReceiver) async -> ContentError? {
        do throws(HTTPFetchError) {
            _ = try await fetcher.receive(file.url, fields: request.fields, limits: limits) {
                (response) throws(HTTPTransportError) in
                try receiver.begin(response)
            } part: { (data) throws(HTTPTransportError) in
                try receiver.receive(data)
            }
        } catch {
            if receiver.hasAll { return nil }
            return receiver.failure ?? ContentError(error)
        }
        do throws(ContentError) { try receiver.finish() } catch { return error }
        return nil
    }
}

/// A request for the missing rest of a file, or for its next part.
struct RangeRequest: Sendable {
    /// Byte offset in the file of the first requested byte.
    let offset: Int
    /// Length of the whole file in bytes; `nil` if unknown.
    let length: Int?
    /// Validator (RFC 9110 §8.8) of the file version that the received bytes belong to; `nil` if it is unknown for this
    /// address.
    let validator: RangeValidator?
    /// `true` to request the whole file, because parts of it cannot be requested from this server.
    let isForWhole: Bool

    /// Maximum number of bytes that one request asks for.
    static let longest = 4 * 1024 * 1024

    /// Byte offset in the file after the last requested byte.
    var end: Int { min(offset + Self.longest, length ?? .max) }
    /// Number of requested bytes.
    var count: Int { end - offset }

    /// Header fields of the request. The server must not compress its reply, because compressed parts could not be
    /// joined.
    var fields: HTTPFields {
        var fields: HTTPFields = [.acceptEncoding: "identity"]
        guard !isForWhole else { return fields }
        fields[.range] = "bytes=\(offset)-\(end - 1)"
        fields[.ifRange] = validator?.value
        return fields
    }
}

/// The field `Content-Range` (RFC 9110 §14.4) of a reply with one part.
struct ContentRange: Sendable, Equatable {
    let first: Int
    let last: Int
    /// Length of the whole file in bytes; `nil` if the server does not name it.
    let length: Int?
    /// Number of bytes in the part.
    var count: Int { last - first + 1 }

    /// Parses the value of a `Content-Range` field.
    ///
    /// - Returns: `nil` for a text that is not such a value.
    init?(_ text: String?) {
        guard let text, text.utf8.count <= 100,
            let match = text.wholeMatch(of: /(?i:bytes) +([0-9]+)-([0-9]+)\/([0-9]+|\*)/),
            let first = Int(match.1), let last = Int(match.2), first <= last,
            // With a greater number, `count` could not be computed.
            last < .max
        else { return nil }
        let length = Int(match.3)
        guard match.3 == "*" || length.map({ last < $0 }) ?? false else { return nil }
        (self.first, self.last, self.length) = (first, last, length)
    }
}
