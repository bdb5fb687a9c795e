import ArgumentParser
import Foundation
import Logging
import VitrineAppStoreEmulator
import VitrineCommandSupport
import VitrineStoreSimulator
import VitrineSupport

struct StoreServeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Answer for a simulated store as Apple's servers do.",
        discussion: """
            The server answers Apple's App Store Server API, and sends App Store Server Notifications to the address that \
            'vitrine store webhook' sets. It prints its address when it is ready, and ends with SIGTERM or Ctrl-C after \
            the answers to the requests that it has received. Other commands can change the store meanwhile.

            EXAMPLE:
              vitrine-server store .vitrine/Store --port 8080
            """
    )

    @Argument(
        help: ArgumentHelp("The folder of the store: the folder Store of a home.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @OptionGroup var options: ServeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let serving = Serving(logging: options.verbose ? .info : .warning)
        let logger = serving.logger
        let store: SimulatedStore
        do throws(SimulatedStoreError) {
            store = try SimulatedStore(folder: URL(filePath: folder, directoryHint: .isDirectory))
        } catch {
            throw ToolFailure(
                status: error.status,
                reason: error.code == .notFound ? "\(error.reason); 'vitrine init' makes one" : error.reason)
        }
        let isJSON = output.json
        let server = AppStoreEmulator(store: store, options: options.serverOptions, logger: logger) { url in
            do {
                try Console.write([isJSON ? Serving.line(["url": url]) : "the store answers at \(url.absoluteString)"])
            } catch {
                logger.error("the address of the server cannot be printed: \(error)")
            }
        }
        do {
            for remark in try await Self.remarks(on: store) { Console.say(remark) }
            try await serving.run(server)
        } catch let error as StoreRecordingError {
            throw ToolFailure(status: error.status, reason: error.description)
        } catch let error as SimulatedStoreError {
            throw ToolFailure(status: error.status, reason: error.reason)
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: Serving.reason(for: error, host: options.host, port: options.port))
        }
        // With --json, the address has already been printed as the only document.
        if isJSON { throw ExitCode.success }
        return Report(lines: [], json: [:])
    }

    /// Returns remarks about missing settings of the store that an app's server needs.
    private static func remarks(on store: SimulatedStore) async throws(SimulatedStoreError) -> [String] {
        var remarks: [String] = []
        if try await store.serverKeys().isEmpty {
            remarks.append("the store has no key yet, and accepts no request: 'vitrine store key' makes a key")
        }
        if try await store.notificationURL == nil {
            remarks.append("no notifications are sent: 'vitrine store webhook' sets the address that receives them")
        }
        return remarks
    }
}

extension ServeOptions {
    var serverOptions: AppStoreEmulatorOptions {
        var options = AppStoreEmulatorOptions()
        (options.host, options.port, options.limitsRates) = (host, port, rateLimits)
        options.deliveryTime = deliveryTime
        options.recording = record.map { URL(filePath: $0, directoryHint: .notDirectory) }
        return options
    }
}

extension CodedError<SimulatedStoreErrorCode> {
    /// Exit status of a command that fails with the error.
    fileprivate var status: ExitStatus {
        switch code {
        case .notFound: .noInput
        case .storage: .inputOutput
        default: .unusableData
        }
    }
}

extension StoreRecordingError {
    /// Exit status of a command that fails with the error.
    fileprivate var status: ExitStatus {
        switch code {
        case .malformed, .newerVersion: .unusableData
        case .storage: .inputOutput
        default: .no
        }
    }
}
