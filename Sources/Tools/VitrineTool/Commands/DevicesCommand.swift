import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineSupport

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the customer's devices, remove one, sign out, start over, or lease units to spend offline.",
        subcommands: [
            ListDevicesCommand.self, RemoveDeviceCommand.self, LeaveCommand.self, StartOverCommand.self,
            LeaseCommand.self, ReleaseCommand.self,
        ],
        defaultSubcommand: ListDevicesCommand.self
    )
}

struct ListDevicesCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the customer's devices.",
        discussion: """
            The list is as of the last exchange of this device.

            EXAMPLE:
              vitrine devices
            """
    )

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let devices = try await manager.devices.all()
        var table = Table(headings: ["DEVICE", "NAME", "LATEST FACT", ""])
        table.rows = devices.map {
            [$0.id, $0.name, $0.latestFact?.second ?? "-", $0.remarks.joined(separator: ", ")]
        }
        return Report(
            lines: devices.isEmpty ? ["this device has not exchanged yet; begin with 'vitrine sync'"] : table.lines,
            json: ["devices": devices.map(\.document)])
    }
}

extension CustomerDevice {
    fileprivate var remarks: [String] {
        [
            isThis ? "this device" : nil, isRemoved ? "removed" : nil, hasLeft ? "signed out" : nil,
            isRepeated ? "two copies exist" : nil,
        ].compactMap(\.self)
    }

    fileprivate var document: JSONObject {
        [
            "id": id, "name": name, "this": isThis ? true : nil, "latestFact": latestFact,
            "removed": isRemoved ? true : nil, "left": hasLeft ? true : nil, "repeated": isRepeated ? true : nil,
        ]
    }
}

/// Command that exchanges facts with the customer's other devices. Missing options have their values from the last
/// exchange.
protocol ExchangeCommand: SessionCommand {
    var exchange: ExchangeCommandOptions { get }
    /// `true` for a command that ends the exchange of the storage directory: the folder or server of the exchange, and
    /// its key, are removed from the settings.
    var endsExchange: Bool { get }

    func report(_ home: HomeExchange) async throws(ExchangeError) -> Report
}

extension ExchangeCommand {
    var endsExchange: Bool { false }

    var activity: String? { "exchanging" }

    func report() async throws -> Report {
        let way = try exchange.resolved(for: session.home.folder)
        return try await OpenHome.open(session, server: way.server).use { manager, _ in
            let answer = try await report(HomeExchange(manager: manager, way: way))
            if endsExchange { try HomeSettings.forgetExchange(of: session.home.folder) }
            return answer
        }
    }
}

extension HomeSettings {
    /// Removes the folder or server and the key of the exchange from the settings.
    fileprivate static func forgetExchange(of home: Home) throws {
        guard var settings = try read(from: home) else { return }
        settings.exchange = nil
        try settings.write(to: home)
    }
}

struct StartOverCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "start-over",
        abstract: "Begin the exchange again, with another key or folder, or at another server.",
        discussion: """
            The next 'vitrine sync' names a folder and a key, or a server, and publishes all that this device has \
            recorded, as a new device. Only for the same customer: another customer needs another home.

            EXAMPLE:
              vitrine devices start-over
              vitrine sync --folder New --key new.key --name "Ada's phone"
            """
    )

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let isAtServer = try HomeSettings.read(from: session.home.folder)?.exchange?.server != nil
        if isAtServer {
            try await manager.server.startOver()
        } else {
            try await manager.devices.startOver()
        }
        try HomeSettings.forgetExchange(of: session.home.folder)
        return Report(
            lines: ["this device begins again with the next 'vitrine sync --folder' or 'vitrine sync --server'"],
            json: ["startedOver": true])
    }
}

struct RemoveDeviceCommand: ExchangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove one of the customer's devices.",
        discussion: """
            The device no longer exchanges. What it has recorded stays. A device that has the customer's key can still \
            write into the folder: to shut one out, use a new key and a new folder, after 'vitrine devices start-over' on each \
            other device.

            EXAMPLE:
              vitrine devices remove 5f0c2b9e-3a11-4c0e-9d63-2f7c8a1b0e44
            """
    )

    @Argument(help: ArgumentHelp("The device's identifier, as 'vitrine devices' lists it.", valueName: "id"))
    var device: String

    @OptionGroup var exchange: ExchangeCommandOptions
    @OptionGroup var session: SessionOptions

    func report(_ home: HomeExchange) async throws(ExchangeError) -> Report {
        try await home.remove(device)
        return Report(lines: ["\(device) is removed"], json: ["removed": device])
    }
}

struct LeaveCommand: ExchangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Sign the customer out on this device.",
        discussion: """
            Publishes what this device has recorded, and that it has left. What the customer owns stays recorded in the \
            home; the next customer needs another one.

            EXAMPLE:
              vitrine devices leave
            """
    )

    @OptionGroup var exchange: ExchangeCommandOptions
    @OptionGroup var session: SessionOptions

    var endsExchange: Bool { true }

    func report(_ home: HomeExchange) async throws(ExchangeError) -> Report {
        try await home.leave()
        return Report(lines: ["the customer is signed out on this device"], json: ["left": true])
    }
}

struct LeaseCommand: ExchangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "lease",
        abstract: "Set units of a wallet aside for this device, to spend offline.",
        discussion: """
            Other devices leave the units alone until the lease ends and a day has passed. The devices must share a \
            server, or the folder itself, so that it can be locked; a service that copies it between machines does not \
            lock it. The exit status is 1 if the wallet has fewer units that no device has leased.

            EXAMPLE:
              vitrine devices lease coins 50 --token weekend --until 2027-02-01
            """
    )

    @Argument(help: .wallet, completion: .wallet) var wallet: String

    @Argument(help: "The number of units, above zero.")
    var amount: Int

    @Option(help: ArgumentHelp("The identifier of the lease. The same lease is made once.", valueName: "id"))
    var token: String

    @Option(
        help: ArgumentHelp(
            "The day or time in UTC at which the lease ends, such as 2027-01-31 or 2027-01-31T12:00:00Z.",
            valueName: "date"))
    var until: String

    @OptionGroup var exchange: ExchangeCommandOptions
    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard amount > 0 else { throw ValidationError("The amount must be above zero.") }
        guard !token.isEmpty else { throw ValidationError("The token must not be empty.") }
        guard Date(dayOrTime: until) != nil else {
            throw ValidationError("\(until) is not a day or time such as 2027-01-31 or 2027-01-31T12:00:00Z.")
        }
    }

    func report(_ home: HomeExchange) async throws(ExchangeError) -> Report {
        let end = Date(dayOrTime: until) ?? .distantPast
        try await home.lease(amount, of: wallet, token: token, until: end)
        return Report(
            lines: ["\(amount) of \(wallet) are leased until \(end.second)"],
            json: ["token": token, "wallet": wallet, "amount": amount, "until": end])
    }
}

struct ReleaseCommand: ExchangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Give a lease back, with what is left of its units.",
        discussion: """
            EXAMPLE:
              vitrine devices release weekend
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the lease.", valueName: "id"))
    var token: String

    @OptionGroup var exchange: ExchangeCommandOptions
    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard !token.isEmpty else { throw ValidationError("The identifier must not be empty.") }
    }

    func report(_ home: HomeExchange) async throws(ExchangeError) -> Report {
        try await home.release(token)
        return Report(lines: ["the lease \(token) is given back"], json: ["token": token])
    }
}
