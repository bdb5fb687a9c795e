import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// A command that is struck, and what has to be there afterwards.
struct CrashScenario: Sendable, CustomTestStringConvertible {
    /// What becomes of the ledger between what was done before and the command.
    enum Ledger: Sendable {
        case asItIs
        /// It is gone, as on a new device.
        case gone
        /// A part of it is missing, and it cannot be read any more.
        case damaged
        /// Without its file, which was there before.
        case missing
        /// With a damaged index, which can be made again.
        case repairable
        /// In the format of a version of Vitrine before the first release.
        case unreleased
    }

    /// What the home sells.
    enum Shop: Sendable {
        case voyager
        /// Subscriptions, on a clock that stands still until it is advanced.
        case club

        func makeTool() throws -> Tool {
            switch self {
            case .voyager: try .voyager()
            case .club: try .club()
            }
        }

        func identifier(of product: String) -> String {
            switch self {
            case .voyager: .voyager(product)
            case .club: "club.\(product)"
            }
        }
    }

    let name: String
    var shop = Shop.voyager
    /// What was done in the home before.
    var before: [[String]] = []
    var ledger = Ledger.asItIs
    let command: [String]
    /// What is owned once the command has done what it does, whatever was struck before.
    var owned: Set<String> = []
    /// What is owned if it has not; `nil` where that is the same.
    var ownedBefore: Set<String>?
    /// What the wallet holds once the command has done what it does.
    var balance = 0
    /// What it holds if the command has not; `nil` where that is the same.
    var balanceBefore: Int?
    /// How many transactions the store has once the command has done what it does; `nil` where that is the same.
    var sales: Int?
    /// The products whose content is there once the command has done what it does.
    var content: Set<String> = []
    /// Of several things that the command does, some may have been done.
    var isDoneInParts = false
    /// The command delivers several transactions, of which one is struck.
    var areSeveralDelivered = false
    /// What an error has held up may be delivered all the same: the command asks the store for subscriptions after the
    /// delivery, or StoreKit tells of a transaction in its updates as well as among the unfinished ones.
    var isTriedAgain = false
    /// What the command may exit with when it is run again, which changes nothing more; `nil` for one that does its
    /// work once more then.
    var statusesAgain: Set<Int32>? = [0]
    /// In a run that does not strike everywhere, the command is killed at each so-many-th of its calls, and has an
    /// error at fewer.
    var stride = 6
    /// The helper does the command, through the adapter for StoreKit, in place of the tool.
    var isAdapted = false

    private static let everything: Set<String> = [
        "lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything",
    ]
    private static let coins = ["buy", String.voyager("coins50")]
    private static let halfSpent = [coins, ["spend", "coins", "30", "--token", "map"]]
    /// Where an exported ledger is written, and where it goes with the home.
    private static let (file, fileInHome) = ("exported.json", ".vitrine/exported.json")

    static let all = buying + refunds + giving + subscriptions + ledgers + adapted

    /// Buying, restoring and hearing of refunds, through the adapter for StoreKit.
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
            ], ledger: .gone, command: ["import", fileInHome], owned: ["porto"], ownedBefore: [], balance: 20,
            balanceBefore: 0),
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

    /// The process that is struck.
    func struck(_ tool: Tool) -> Tool { isAdapted ? tool.adapted : tool }

    /// Does what was done before, and to the ledger.
    ///
    /// - Returns: What was there in between.
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

/// Damage to a ledger's file.
enum LedgerDamage {
    /// Damages the index by which a fact is recorded once.
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
