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
            // The bytes are counted before they are read, so that an address does not fill the memory either.
            let limit = AppServerAPI.storeDocument.bodyLimit
            let size = call.request.headers[.contentLength].flatMap { Int($0) } ?? limit
            let address = services.addresses.name(of: call.request, call.context)
            try services.limits.documents.count(address, units: min(max(size, 1), limit))
            let document = try await call.bytes()
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
