#if os(Linux)
    internal import AsyncHTTPClient
    internal import Foundation
    internal import HTTPTypes
    internal import NIOCore
    internal import NIOHTTP1

    extension HTTPClientRequest {
        init(_ request: HTTPRequest, url: URL, body: Data) {
            self.init(url: url.absoluteString)
            method = HTTPMethod(rawValue: request.method.rawValue)
            for field in request.headerFields { headers.add(name: field.name.rawName, value: field.value) }
            if request.takesGzip { headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip") }
            if !body.isEmpty { self.body = .bytes(ByteBuffer(bytes: body)) }
        }
    }

    extension HTTPResponse {
        /// Converts a response. Fields whose names are not valid in HTTP are omitted.
        init(_ response: HTTPClientResponse) {
            var fields = HTTPFields()
            for (name, value) in response.headers {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            self.init(
                status: Status(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase),
                headerFields: fields)
        }
    }
#endif
