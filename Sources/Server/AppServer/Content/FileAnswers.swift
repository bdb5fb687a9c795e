internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOPosix
internal import VitrineHTTPServing
internal import VitrineSupport

/// File or bytes that a response sends, with the values of its header fields.
struct ServedFile: Sendable {
    enum Source: Sendable {
        case bytes(ByteBuffer)
        case file(OpenFile)
    }

    let source: Source
    /// SHA-256 digest of the bytes in hexadecimal, used as strong entity tag.
    let tag: String
    /// Date of the last modification.
    let modified: Date
    let mediaType: String
    /// Value of the header field `Cache-Control`.
    let caching: String

    var length: Int {
        switch source {
        case .bytes(let bytes): bytes.readableBytes
        case .file(let file): file.length
        }
    }
}

/// Responses to requests for files: the whole file, a part of it, or "not modified".
final class FileAnswers: Sendable {
    private let states = FileStates()
    private let transfers = FileTransfers()

    /// Returns an open file with its digest, and with its bytes if the file is small.
    ///
    /// - Parameters:
    ///   - path: Path of the file, which determines its media type.
    ///   - app: Name of the app that owns the file.
    /// - Throws: ``FileFailure`` if the file cannot be read, or changes meanwhile.
    func served(_ file: OpenFile, at path: String, of app: String) async throws -> ServedFile {
        let place = "\(app)/\(path)"
        let tag = try await states.digest(of: file, at: place)
        let bytes = try await states.bytes(of: file, at: place)
        return ServedFile(
            source: bytes.map { .bytes($0) } ?? .file(file), tag: tag, modified: file.modifiedDate,
            mediaType: MediaType.of(fileName: path), caching: "private, no-cache")
    }

    /// Returns the response to a GET or HEAD request for a file.
    func answer(_ call: RouteCall, with file: ServedFile) -> Response {
        let (request, channel) = (call.request.head, call.context.channel)
        var headers: HTTPFields = [
            .eTag: "\"\(file.tag)\"", .lastModified: HTTPTimestamp.text(file.modified), .cacheControl: file.caching,
            .acceptRanges: "bytes",
        ]
        let conditions = RequestConditions(headers: request.headerFields, tag: file.tag, modified: file.modified)
        switch conditions.outcome {
        case .notModified: return Self.response(.notModified, headers)
        case .failed: return Self.response(.preconditionFailed, headers, length: 0)
        case .proceed: break
        }
        headers[.contentType] = file.mediaType
        headers[.xContentTypeOptions] = "nosniff"
        guard request.method == .get else { return Self.response(.ok, headers, length: file.length) }
        let field = request.headerFields[values: .range].count == 1 ? request.headerFields[.range] : nil
        switch RequestedPart(conditions.permitsPart ? field : nil, length: file.length) {
        case .whole:
            return Response(status: .ok, headers: headers, body: body(file, 0..<file.length, channel))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.length)"
            return Response(status: .partialContent, headers: headers, body: body(file, range, channel))
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.length)"
            headers[.contentType] = nil
            return Self.response(.rangeNotSatisfiable, headers, length: 0)
        }
    }

    /// Returns a response without a body.
    ///
    /// - Parameter length: Value of `Content-Length`, for example the length of the body that GET would have; `nil` for
    ///   none.
    private static func response(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, length: Int? = nil
    ) -> Response {
        var response = Response(status: status, headers: headers)
        response.headers[.contentLength] = length.map(String.init)
        return response
    }

    private func body(_ file: ServedFile, _ range: Range<Int>, _ channel: any Channel) -> ResponseBody {
        switch file.source {
        case .bytes(let bytes):
            let start = bytes.readerIndex + range.lowerBound
            return ResponseBody(byteBuffer: bytes.getSlice(at: start, length: range.count) ?? ByteBuffer())
        case .file(let file):
            let transfers = transfers
            return ResponseBody(contentLength: range.count) { writer in
                transfers.begin()
                defer { transfers.end() }
                var offset = range.lowerBound
                while offset < range.upperBound {
                    let part = offset..<min(offset + transfers.blockSize, range.upperBound)
                    let block = try await NIOThreadPool.singleton.runIfActive {
                        var block = transfers.emptyBlock()
                        try file.read(part, into: &block)
                        return block
                    }
                    try await writer.write(block)
                    // After this turn of the event loop, the channel counts the written block. If the channel is then
                    // full, writing an empty block waits until most of it is sent, so that no more is read than can be
                    // sent.
                    try await channel.eventLoop.submit {}.get()
                    if !channel.isWritable { try await writer.write(ByteBuffer()) }
                    transfers.give(back: block)
                    offset = part.upperBound
                }
                try await writer.finish(nil)
            }
        }
    }
}
