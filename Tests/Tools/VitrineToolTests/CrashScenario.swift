import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// Command into which faults are injected, with the expected state afterwards.
struct CrashScenario: Sendable, CustomTestStringConvertible {
    /// State of the ledger before the command.
    enum Ledger: Sendable {
        case asItIs
        /// There is no ledger, as on a new device.
        case gone
        /// A part of the file is missing, so that the ledger cannot be read.
        case damaged
        /// The file was removed, but the marks of an earlier ledger remain.
        case missing
        /// An index is damaged, which can be rebuilt.
        case repairable
        /// The ledger has the format of a version of Vitrine before the first release.
        case unreleased
    }

    /// Products and store of the home.
    enum Shop: Sendable {
        case voyager
        /// Subscriptions, with a virtual clock.
        case club
        /// A pass of 30 days in the store of ``club``.
        case passes

        func makeTool() throws -> Tool {
            switch self {
            case .voyager: try .voyager()
            case .club: try .club()
            case .passes: try .passes()
            }
        }

        func identifier(of product: String) -> String {
            switch self {
            case .voyager: .voyager(product)
            case .club: "club.\(product)"
            case .passes: product
            }
        }
    }

    let name: String
    var shop = Shop.voyager
    /// Commands that prepare the home.
    var before: [[String]] = []
    var ledger = Ledger.asItIs
    let command: [String]
    /// Products that are owned after the completed command, even if an earlier attempt failed.
    var owned: Set<String> = []
    /// Products that are owned if the command was not completed; `nil` if they are the same.
    var ownedBefore: Set<String>?
    /// Ends of the owned passes after the completed command, in RFC 3339.
    var ends: Set<String> = []
    /// Ends of the owned passes if the command was not completed.
    var endsBefore: Set<String> = []
    /// Balance of the wallet after the completed command.
    var balance = 0
    /// Balance of the wallet if the command was not completed; `nil` if it is the same.
    var balanceBefore: Int?
    /// Number of the store's transactions after the completed command; `nil` if the number does not change.
    var sales: Int?
    /// Products whose content is installed after the completed command.
    var content: Set<String> = []
    /// `true` if the command has several independent effects, only some of which may have happened.
    var isDoneInParts = false
    /// `true` if the command delivers several transactions, only one of which is affected by the fault.
    var areSeveralDelivered = false
    /// `true` if a delivery that failed may be repeated by the same command: the command asks the store for
    /// subscriptions after the delivery, or StoreKit sends a transaction both as an update and as unfinished.
    var isTriedAgain = false
    /// Possible exit statuses of a repeated command without further effects; `nil` if the repeated command has effects.
    var statusesAgain: Set<Int32>? = [0]
    /// Interval between the calls at which the command is killed, unless faults are injected at all calls. Errors are
    /// injected at fewer calls.
    var stride = 6
    /// `true` if the helper with the StoreKit adapter runs the command in place of the tool.
    var isAdapted = false

    private static let everything: Set<String> = [
        "lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything",
    ]
    private static let coins = ["buy", String.voyager("coins50")]
    private static let halfSpent = [coins, ["spend", "coins", "30", "--token", "map"]]
    /// File of an exported ledger, and its path if it is moved with the home.
    private static let (file, fileInHome) = ("exported.json", ".vitrine/exported.json")

    static let all = buying + refunds + giving + subscriptions + passes + ledgers + adapted

    /// Purchases, restores and refunds through the StoreKit adapter.
    private static let adapted = (buying + refunds)
        .filter { ["buy", "restore", "load"].contains($0.command[0]) && !$0.command.contains("--receipt") }
        .map { scenario in
            var adapted = scenario
            adapted.isAdapted = true
            adapted.isTriedAgain = true
            adapted.stride *= 6
            return adapted
        }

    private static let buying = [
        CrashScenario(name: "a guide", command: ["buy", .voyager("lisbon")], owned: ["lisbon"]),
        CrashScenario(
            name: "three packs of coins", command: coins + ["--quantity", "3"], balance: 150,
            balanceBefore: 0, statusesAgain: nil, stride: 2),
        CrashScenario(
            name: "a bundle of bundles", command: ["buy", .voyager("everything")], owned: everything,
            ownedBefore: [], content: ["rome", "athens"]),
        CrashScenario(
            name: "a hosted guide", command: ["buy", .voyager("rome")], owned: ["rome"], ownedBefore: [],
            content: ["rome"]),
        CrashScenario(
            name: "restoring on a new device",
            before: [["buy", .voyager("lisbon")], ["buy", .voyager("iberia")]], ledger: .gone, command: ["restore"],
            owned: ["lisbon", "iberia", "porto", "madrid"], ownedBefore: [], isDoneInParts: true),
        CrashScenario(
            name: "recording what a receipt says on a new device",
            before: [["buy", .voyager("lisbon")], ["buy", .voyager("iberia")], ["store", "receipt"]], ledger: .gone,
            command: ["load", "--receipt"], owned: ["lisbon", "iberia", "porto", "madrid"], ownedBefore: [],
            isDoneInParts: true, stride: 3),
    ]

    private static let refunds = [
        CrashScenario(
            name: "refunding a bundle",
            before: [["buy", .voyager("rome")], ["buy", .voyager("everything")]],
            command: ["store", "refund", "2"], owned: ["rome"], ownedBefore: everything, content: ["rome", "athens"]),
        CrashScenario(
            name: "hearing of the refund of coins that are half spent",
            before: halfSpent + [["store", "refund", "1"]], command: ["load"], balanceBefore: 20, stride: 2),
        CrashScenario(
            name: "taking a refund back", before: [coins, ["store", "refund", "1"], ["load"]],
            command: ["store", "reverse-refund", "1"], balance: 50, balanceBefore: 0, statusesAgain: [0, 1]),
        CrashScenario(
            name: "hearing that the refund of coins that were half spent is reversed",
            before: halfSpent + [["store", "refund", "1"], ["load"], ["store", "reverse-refund", "1"]],
            command: ["load"], balance: 20, balanceBefore: 0, stride: 2),
    ]

    private static let giving = [
        CrashScenario(
            name: "spending", before: [coins], command: ["spend", "coins", "20", "--token", "map"],
            balance: 30, balanceBefore: 50, stride: 2),
        CrashScenario(
            name: "unlocking", command: ["unlock", .voyager("porto"), "--by", "support"], owned: ["porto"],
            ownedBefore: []),
        CrashScenario(
            name: "locking", before: [["unlock", .voyager("porto")]],
            command: ["lock", .voyager("porto"), "--by", "support"], ownedBefore: ["porto"], statusesAgain: [0, 1]),
        CrashScenario(
            name: "learning how the app was first got",
            before: [["init", "--original-build", "150", "--original-date", "2019-05-01"]],
            command: ["load"], owned: ["premium"]),
    ]

    private static let ledgers = [
        CrashScenario(
            name: "importing",
            before: halfSpent + [
                ["buy", .voyager("lisbon")], ["buy", .voyager("porto")], ["store", "refund", "2"],
                ["export", "-o", file],
            ], ledger: .gone, command: ["import", fileInHome], owned: ["porto"], ownedBefore: ["porto"], balance: 20,
            balanceBefore: 0, isDoneInParts: true),
        CrashScenario(
            name: "setting a damaged ledger aside",
            before: halfSpent + [["buy", .voyager("rome")], ["buy", .voyager("lisbon")]], ledger: .damaged,
            command: ["load"], owned: ["rome", "lisbon"], content: ["rome"]),
        CrashScenario(
            name: "opening a home whose ledger is missing",
            before: halfSpent + [["buy", .voyager("rome")], ["buy", .voyager("lisbon")]], ledger: .missing,
            command: ["load"], owned: ["rome", "lisbon"], content: ["rome"]),
        CrashScenario(
            name: "repairing a damaged ledger",
            before: halfSpent + [["buy", .voyager("lisbon")]], ledger: .repairable, command: ["owned"],
            owned: ["lisbon"], balance: 20),
        CrashScenario(
            name: "setting a ledger of an unreleased version aside",
            before: halfSpent + [["buy", .voyager("rome")], ["buy", .voyager("lisbon")]], ledger: .unreleased,
            command: ["load"], owned: ["rome", "lisbon"], content: ["rome"]),
    ]

    var testDescription: String { isAdapted ? "\(name), through StoreKit" : name }

    /// Returns the program into which faults are injected.
    func struck(_ tool: Tool) -> Tool { isAdapted ? tool.adapted : tool }

    /// Runs the preparing commands, and changes the ledger.
    ///
    /// - Returns: State of the home before the change of the ledger.
    func prepare(_ tool: Tool) throws -> HomeAudit {
        for command in before {
            let result = try tool.run(command)
            try #require(result.status == 0, "\(command): \(result.errors)")
        }
        if FileManager.default.fileExists(atPath: tool.folder[Self.file].path()) {
            try FileManager.default.moveItem(at: tool.folder[Self.file], to: tool.folder[Self.fileInHome])
        }
        let audit = try HomeAudit(tool.home)
        let file = tool.home.appending(path: "ledger.sqlite")
        switch ledger {
        case .asItIs: break
        case .gone: try tool.forgetLedger()
        case .damaged: try Data(contentsOf: file).prefix(8_192).write(to: file)
        case .missing:
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(at: tool.home.appending(path: "ledger.sqlite\(suffix)"))
            }
        case .repairable: try LedgerDamage.damageIndex(of: file)
        case .unreleased: try Data(contentsOf: file).markedAsUnreleased().write(to: file)
        }
        return audit
    }
}

/// Damage to the file of a ledger.
enum LedgerDamage {
    /// Damages the index that prevents a fact from being recorded twice.
    static func damageIndex(of file: URL) throws {
        let root = try DatabaseQueue(path: file.path()).read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_entry_1'")
        }
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64(try #require(root) - 1) * 4096)
        try handle.write(contentsOf: [0x55])
        try handle.close()
    }
}
