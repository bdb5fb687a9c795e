import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineEntitlements

struct SyncCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Exchange purchases, wallets and grants with the customer's other devices.",
        discussion: """
            The devices share a folder, in which each of them publishes what it has recorded, or the app's own server. \
            Purchases are verified again; grants, deposits and debits count only if they are sealed with the \
            customer's key, which the server gives. At a server the home enrolls as a device first, and reports what \
            the store has signed. The exit status is 1 if something of another device was refused or contradicts this \
            ledger, or if the server refuses something.

            EXAMPLE:
              head -c 32 /dev/urandom > customer.key
              vitrine sync --folder Shared --key customer.key --name "Ada's phone"
              vitrine sync
              vitrine sync --home tablet --server https://shop.example.com \\
                --name "Ada's tablet"
            """
    )

    @OptionGroup var exchange: ExchangeCommandOptions
    @OptionGroup var session: SessionOptions

    var activity: String? { "exchanging" }

    func report() async throws -> Report {
        let way = try exchange.resolved(for: session.home.folder)
        return try await OpenHome.open(session, server: way.server).use { manager, _ in
            let exchange = HomeExchange(manager: manager, way: way)
            let answers = try await exchange.reportSigned()
            let report = try await exchange.run()
            // The settings of a successful exchange are stored as defaults of the next one.
            if try HomeSettings.read(from: session.home.folder)?.exchange != way.settings.exchange {
                try way.settings.write(to: session.home.folder)
            }
            let offered = try await manager.devices.offeredContent()
            return Report(report, answers, offering: offered, try await DeviceNames(manager))
        }
    }
}

extension Report {
    /// Creates the report of an exchange between devices.
    ///
    /// - Parameter answers: Results of reporting the store's signed data to the server; `nil` without a server.
    fileprivate init(
        _ report: ExchangeReport, _ answers: [ReportedSignature]?, offering offered: [OfferedContent],
        _ names: DeviceNames
    ) {
        var lines = ["\(report.sent.with("fact")) sent, \(report.received) received"]
        let unrecorded = answers?.filter { ![.accepted, .known].contains($0.result) }
        if let answers, !answers.isEmpty {
            lines.append("\(answers.count.with("signature")) of the store reported")
        }
        lines += (unrecorded ?? []).map { answer in
            "the server has not recorded one: \(answer.result.rawValue)\(answer.reason.map { ", \($0)" } ?? "")"
        }
        lines += report.adjusted.map { adjusted in
            "the wallet \(adjusted.wallet) was adjusted by \(adjusted.amount) to what all devices have recorded"
                + (adjusted.overdrawn > 0
                    ? "; in all they have spent \(adjusted.overdrawn.with("unit")) that it did not contain then" : "")
        }
        lines += report.problems.map { problem in
            "\(problem.isFinal ? "" : "left for the next exchange: ")\(names.name(problem.device)): \(problem.reason) "
                + "(\(problem.document))"
        }
        if report.problemCount > report.problems.count {
            lines.append("\(report.problemCount - report.problems.count) further problems")
        }
        lines += offered.map { content in
            "content of \(content.product) is on \(content.devices.map(names.name).joined(separator: ", ")); "
                + "'vitrine content download' fetches it"
        }
        self.init(
            lines: lines,
            json: [
                "sent": report.sent, "received": report.received,
                "adjusted": report.adjusted.map { adjusted -> JSONObject in
                    ["wallet": adjusted.wallet, "amount": adjusted.amount, "overdrawn": adjusted.overdrawn]
                },
                "problems": report.problems.map { problem -> JSONObject in
                    [
                        "document": problem.document, "device": problem.device, "reason": problem.reason,
                        "final": problem.isFinal,
                    ]
                },
                "problemCount": report.problemCount, "reported": answers?.count,
                "unrecorded": unrecorded?.map { answer -> JSONObject in
                    ["result": answer.result.rawValue, "reason": answer.reason]
                },
                "content": offered.map { content -> JSONObject in
                    ["product": content.product, "version": content.version, "devices": content.devices]
                },
            ],
            status: report.problems.contains(where: \.isFinal)
                || unrecorded?.contains { $0.result != .undetermined } == true ? .no : .yes)
    }
}

/// Display names of the customer's devices.
struct DeviceNames {
    private let names: [String: String]

    init(_ manager: CatalogManager) async throws(ExchangeError) {
        names = Dictionary(try await manager.devices.all().map { ($0.id, $0.name) }) { first, _ in first }
    }

    func name(_ device: String) -> String {
        if device.hasPrefix("server-") { return "the app's server" }
        guard let name = names[device], !name.isEmpty else { return device }
        return name
    }

    /// Returns the end of a sentence with the name of a device, such as ", on Anna's iPad"; empty for this device.
    func suffix(_ device: String?) -> String { device.map { ", on \(name($0))" } ?? "" }
}
