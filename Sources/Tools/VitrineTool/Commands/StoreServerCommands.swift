import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineFileSystem
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport

struct StoreServeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer for the store as Apple's servers do, to the server of an app.",
        discussion: """
            This command starts vitrine-server, which answers Apple's App Store Server API and sends App Store Server \
            Notifications. It prints its address when it is ready, and ends with SIGTERM or Ctrl-C. Meanwhile other \
            commands, in another shell, can change the store. The server of the app signs its requests with a key that \
            'vitrine store key' makes, trusts the certificate that 'vitrine store root' prints, and receives the \
            notifications at the address that 'vitrine store webhook' sets. The exit status is 69 if vitrine-server is \
            not installed, and 74 if the port is in use.

            With --record, all that happens in the store is recorded, and 'vitrine store replay' repeats it in another \
            store. Account tokens, numbers of transactions and names are replaced. The recording goes on, also while no \
            server runs, until the server is started without --record or with another file; a server with the same \
            file adds what has happened meanwhile.

            EXAMPLE:
              vitrine store key --folder Keys
              vitrine store root > Keys/root.pem
              vitrine store webhook http://127.0.0.1:8081/notifications
              vitrine store serve --port 8080

            IN ANOTHER SHELL:
              vitrine buy club.silver
              vitrine store advance P3M
              vitrine store notifications
            """
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let folder = try home.folder.storeFolder()
        try ServerProgram.become(
            ["store", folder.path(percentEncoded: false)] + options.arguments + (output.json ? ["--json"] : []))
    }
}

struct StoreKeyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make an In-App Purchase key for the app's server.",
        discussion: """
            The key is written as App Store Connect writes it: AuthKey_ID.p8, which only its owner can read. The store \
            keeps only the public part. The app's server signs its requests with the key, and names the key, its issuer \
            and the app in them, which the command prints. Several keys can be used at the same time. The exit status \
            is 1 if there is a file with that name already; the store has no new key then.

            EXAMPLE:
              vitrine store key --folder Keys
            """
    )

    @Option(
        help: ArgumentHelp(
            "The folder to which the key is written. It is created if it does not exist. (default: the current folder)",
            valueName: "folder"), completion: .directory)
    var folder: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard folder != "" else { throw ValidationError("The path of the folder must not be empty.") }
    }

    func report() async throws -> Report {
        let store = try home.folder.openStore()
        if let folder { try Self.create(folder) }
        let key = try await store.newServerKey()
        let file = URL(filePath: folder ?? ".", directoryHint: .isDirectory)
            .appending(path: "AuthKey_\(key.identifier).p8", directoryHint: .notDirectory)
            .relativePath.relativeToCurrentFolder
        // The store must not accept a key that was written nowhere.
        try OutputFile.create(Data(key.pem.utf8), at: file, access: .owner)
        do throws(SimulatedStoreError) {
            try await store.add(key)
        } catch {
            OutputFile.withdraw(file)
            throw error
        }
        return Report(
            lines: [
                "wrote \(file)", "key: \(key.identifier)", "issuer: \(key.issuer)", "app: \(store.bundleIdentifier)",
            ], json: ["file": file, "key": key.identifier, "issuer": key.issuer, "app": store.bundleIdentifier])
    }

    private static func create(_ folder: String) throws(ToolFailure) {
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: folder, directoryHint: .isDirectory), withIntermediateDirectories: true)
        } catch {
            throw ToolFailure(
                status: .inputOutput,
                reason: "the folder \(folder) cannot be created: \(BoundedFile.reason(for: error))")
        }
    }
}

struct StoreWebhookCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Set or show the address to which the store sends notifications.",
        discussion: """
            While an address is set, each change of the store that the App Store would tell the app's server makes a \
            notification. 'vitrine store serve' delivers them; those that are made while it does not run are delivered \
            when it is started again.

            EXAMPLE:
              vitrine store webhook http://127.0.0.1:8081/notifications
              vitrine store webhook none
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The address, with the scheme https or http, or none. (default: only show the address)", valueName: "url"))
    var url: String?

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard let url, url != "none" else { return }
        let objection =
            URL(string: url).map { WebAddress.objection(to: $0) } ?? "is not a URL"
        if let objection {
            throw ValidationError(
                "\"\(WebAddress.printed(url))\" \(objection). Give an address with https or http, or none.")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        if let url { try await store.setNotificationURL(url == "none" ? nil : URL(string: url)) }
        // An address with a password is refused; one that the store has from elsewhere is not printed either.
        let address = try await store.notificationURL.map { WebAddress.printed($0.absoluteString) }
        return Report(
            lines: [address.map { "notifications are sent to \($0)" } ?? "no notifications are sent"],
            json: ["webhook": address])
    }
}

struct StoreEnvironmentCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "Set or show whether the store behaves as production or as the sandbox.",
        discussion: """
            The store names its environment in all that it signs from now on. In production, its server side permits ten \
            times as many requests, sends a notification up to six times instead of once, and names the number of the \
            app. A server that is running keeps its environment: end it before, and start it again.

            EXAMPLE:
              vitrine store environment production --app-id 1234567890
              vitrine store environment sandbox
            """
    )

    enum Environment: String, ExpressibleByArgument, CaseIterable {
        case production, sandbox
    }

    @Argument(help: "The environment: production or sandbox. (default: only show it)")
    var environment: Environment?

    @Option(help: ArgumentHelp("The number of the app in the App Store.", valueName: "number"))
    var appId: Int64?

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard appId == nil || environment == .production else {
            throw ValidationError("Only in production the store names the number of the app.")
        }
        guard environment != .production || appId.map({ $0 > 0 }) == true else {
            throw ValidationError("The production environment needs the number of the app: --app-id, above 0.")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        var present = store.environment
        if let environment {
            present = environment == .production ? .production : .sandbox
            try await store.setEnvironment(present, appIdentifier: appId)
        }
        let name: Environment = present == .production ? .production : .sandbox
        let number = name == .production ? appId ?? store.appIdentifier : nil
        return Report(
            lines: [
                "the store's environment is \(name.rawValue)"
                    + (number.map { ", the number of the app is \($0)" } ?? "")
            ], json: ["environment": name.rawValue, "appId": number])
    }
}
