internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords

extension Routes {
    /// Adds the routes that the devices of a customer use to exchange documents with their recorded facts.
    mutating func addDocuments(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(AppServerAPI.documentNames, for: devices) { call, device in
            try call.reply(DocumentNames(names: try await records.documentNames(of: device)))
        }
        add(AppServerAPI.document, for: devices) { call, device in
            let document = try await records.document(named: try call.parameter("name"), of: device)
            return try call.reply(BytesBody(encoded: document), headers: [.cacheControl: "private, no-cache"])
        }
        add(AppServerAPI.storeDocument, for: devices) { call, device in
            let name = try call.parameter("name")
            let (limit, documents) = (AppServerAPI.storeDocument.bodyLimit, services.limits.documents)
            let size = call.request.headers[.contentLength].flatMap { Int($0) } ?? limit
            let address = services.addresses.name(of: call.request, call.context)
            // A document for which there is no room is refused before it is sent. Only bytes that arrive are counted, because
            // a client can announce a document and send none; and before they are kept, so that an address does not fill
            // the memory either.
            try documents.check(address, units: min(max(size, 1), limit))
            let document = try await call.bytes { try documents.count(address, units: $0) }
            let lock = call.request.headers[.exchangeLock]
            try await records.store(document, named: name, from: device, lock: lock)
            return try call.reply()
        }
        add(AppServerAPI.acquireExchangeLock, for: devices) { call, device in
            try call.reply(ExchangeLock(lock: try await records.acquireExchangeLock(of: device)))
        }
        add(AppServerAPI.releaseExchangeLock, for: devices) { call, device in
            guard let lock = call.request.headers[.exchangeLock] else {
                throw ErrorResponse.invalid(
                    "The header field Vitrine-Exchange-Lock is missing.", field: "Vitrine-Exchange-Lock")
            }
            try await records.releaseExchangeLock(lock, of: device)
            return try call.reply()
        }
    }
}
