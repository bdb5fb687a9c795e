extension CrashScenario {
    private static let silver = ["buy", "club.silver"]

    private static let bronze = ["buy", "club.bronze"]

    static let subscriptions = [
        CrashScenario(
            name: "a subscription whose periods credit coins", shop: .club, command: bronze, owned: ["bronze"],
            ownedBefore: [], balance: 5, balanceBefore: 0, sales: 1, stride: 12),
        CrashScenario(
            name: "recording renewals that credit coins", shop: .club,
            before: [bronze, ["store", "advance", "2040-03-16"]], command: ["load"], owned: ["bronze"], balance: 15,
            areSeveralDelivered: true, isTriedAgain: true, stride: 24),
        CrashScenario(
            name: "recording the refund of a period that credited coins", shop: .club,
            before: [bronze, ["store", "advance", "2040-02-16"], ["load"], ["store", "refund", "2"]],
            command: ["load"], ownedBefore: ["bronze"], balance: 5, balanceBefore: 10, isTriedAgain: true, stride: 24),
        CrashScenario(
            name: "upgrading a subscription", shop: .club, before: [silver], command: ["buy", "club.gold"],
            owned: ["gold"], sales: 2, areSeveralDelivered: true, stride: 12),
        CrashScenario(
            name: "recording a renewal", shop: .club,
            before: [silver, ["store", "advance", "2040-02-15"]], command: ["load"], owned: ["silver"],
            isTriedAgain: true),
        CrashScenario(
            name: "advancing over a year of renewals", shop: .club, before: [silver],
            command: ["store", "advance", "2041-01-20"], owned: ["silver"], sales: 13, statusesAgain: [0, 1], stride: 4),
        CrashScenario(
            name: "advancing over a failed renewal, and its end", shop: .club,
            before: [silver, ["store", "set", "grace", "on"], ["store", "set", "billing", "fail", "club.silver"]],
            command: ["store", "advance", "2040-05-20"], statusesAgain: [0, 1]),
        CrashScenario(
            name: "recording a year of renewals", shop: .club,
            before: [silver, ["store", "advance", "2041-01-20"]], command: ["load"], owned: ["silver"],
            areSeveralDelivered: true, isTriedAgain: true, stride: 40),
        CrashScenario(
            name: "recording that a subscription does not renew", shop: .club,
            before: [silver, ["store", "set", "renewal", "off", "club.silver"]], command: ["load"], owned: ["silver"],
            stride: 12),
        CrashScenario(
            name: "recording the refund of a period", shop: .club,
            before: [silver, ["store", "advance", "2040-02-16"], ["load"], ["store", "refund", "2"]], command: ["load"],
            ownedBefore: ["silver"], isTriedAgain: true, stride: 12),
    ]

    private static let pass = ["buy", "pass"]
    private static let (one, two) = ("2040-02-14T00:00:00Z", "2040-03-15T00:00:00Z")

    static let passes = [
        CrashScenario(
            name: "a second pass while the first one runs", shop: .passes,
            before: [pass, ["store", "advance", "10d"]], command: pass, owned: ["pass"], ends: [two],
            endsBefore: [one], sales: 2, statusesAgain: nil, stride: 12),
        CrashScenario(
            name: "recording the refund of the first of two passes", shop: .passes,
            before: [pass, ["store", "advance", "10d"], pass, ["store", "refund", "1"]], command: ["load"],
            owned: ["pass"], ends: ["2040-02-24T00:00:00Z"], endsBefore: [two], isTriedAgain: true, stride: 12),
        CrashScenario(
            name: "recording two passes on a new device", shop: .passes,
            before: [pass, ["store", "advance", "10d"], pass], ledger: .gone, command: ["load"], owned: ["pass"],
            ownedBefore: [], ends: [two], isDoneInParts: true, isTriedAgain: true, stride: 24),
    ]
}
