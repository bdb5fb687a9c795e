internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes that the devices of a customer use to exchange documents with their recorded facts.
    mutating func addDocuments(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(.get, "/v1/me/documents", for: devices) { _, device in
            try .json(["names": try await records.documentNames(of: device)])
        }
        add(.get, "/v1/me/documents/{name}", for: devices) { call, device in
            let document = try await records.document(named: try call.parameter("name"), of: device)
            return Response(
                "application/octet-stream", ByteBuffer(bytes: document), headers: [.cacheControl: "private, no-cache"])
        }
        add(.put, "/v1/me/documents/{name}", for: devices) { call, device in
            let name = try call.parameter("name")
            // The bytes are counted before they are read, so that an address does not fill the memory either.
            let limit = CustomerRecords.documentLimit
            let size = call.request.headers[.contentLength].flatMap { Int($0) } ?? limit
            let address = services.addresses.name(of: call.request, call.context)
            try services.limits.documents.count(address, units: min(max(size, 1), limit))
            let document = try await call.body(limit: limit)
            let lock = call.request.headers[named: "Vitrine-Exchange-Lock"]
            try await records.store(document, named: name, from: device, lock: lock)
            return Response(status: .noContent)
        }
        add(.post, "/v1/me/exchange-lock", for: devices) { _, device in
            try .json(["lock": try await records.acquireExchangeLock(of: device)], status: .created)
        }
        add(.delete, "/v1/me/exchange-lock", for: devices) { call, device in
            guard let lock = call.request.headers[named: "Vitrine-Exchange-Lock"] else {
                throw ErrorResponse.invalid(
                    "The header field Vitrine-Exchange-Lock is missing.", field: "Vitrine-Exchange-Lock")
            }
            try await records.releaseExchangeLock(lock, of: device)
            return Response(status: .noContent)
        }
    }
}
