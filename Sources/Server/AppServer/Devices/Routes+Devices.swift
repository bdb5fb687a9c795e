internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for devices to enroll, which logs in to an account too, renew their tokens, log out, and leave,
    /// and to list and remove the customer's other devices.
    mutating func addDevices(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        // Caches must not store a credential.
        let secret: HTTPFields = [.cacheControl: "no-store"]
        add(AppServerAPI.challenge) { call in
            try call.reply(Challenge(challenge: records.challenge()), headers: secret)
        }
        add(AppServerAPI.enroll) { call in
            try services.limits.enrollments.count(services.addresses.name(of: call.request, call.context))
            let body = try await call.body()
            return try call.reply(try await records.enroll(body.request, app: body.app), headers: secret)
        }
        add(AppServerAPI.renewToken) { call in
            let request = try await call.body()
            // Whoever knows the identifier of a device can send such requests, and must not use up its allowance.
            let address = services.addresses.name(of: call.request, call.context)
            try services.limits.writes.count("token \(address) \(request.device)")
            return try call.reply(try await records.renewToken(request), headers: secret)
        }
        add(AppServerAPI.leave, for: devices) { call, device in
            try await records.leave(device)
            return try call.reply()
        }
        add(AppServerAPI.unlink, for: devices) { call, device in
            try call.reply(try await records.unlink(device), headers: secret)
        }
        add(AppServerAPI.devices, for: devices) { call, device in
            let found = try await records.devices(ofCustomerOf: device)
            return try call.reply(
                DeviceList(
                    devices: found.map {
                        ListedDevice(id: $0.id, name: $0.name, created: $0.created, seen: $0.seen)
                    }))
        }
        add(AppServerAPI.removeDevice, for: devices) { call, device in
            let body = try await call.body()
            try await records.remove(
                try call.parameter("id"), challenge: body.challenge, signature: body.signature, by: device)
            return try call.reply()
        }
    }
}
