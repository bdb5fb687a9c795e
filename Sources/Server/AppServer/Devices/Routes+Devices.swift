internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for devices to enroll, renew their tokens, log in to an account, log out, and leave.
    mutating func addDevices(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        // Caches must not store a credential.
        let secret: HTTPFields = [.cacheControl: "no-store"]
        add(AppServerAPI.challenge) { call in
            try call.reply(Challenge(challenge: records.challenge()), headers: secret)
        }
        add(AppServerAPI.enroll) { call in
            try services.enrollments.count(services.addresses.name(of: call.route))
            let body = try await call.body()
            return try call.reply(try await records.enroll(body.request, app: body.app), headers: secret)
        }
        add(AppServerAPI.renewToken) { call in
            let request = try await call.body()
            return try call.reply(try await records.renewToken(request), headers: secret)
        }
        add(AppServerAPI.leave, for: devices) { call, device in
            try await records.leave(device)
            return try call.reply()
        }
        add(AppServerAPI.link, for: devices) { call, device in
            let token = try await call.body().token
            return try call.reply(try await records.link(device, accountToken: token), headers: secret)
        }
        add(AppServerAPI.unlink, for: devices) { call, device in
            try call.reply(try await records.unlink(device), headers: secret)
        }
    }
}
