import Foundation
import TestSupport
import Testing

/// Commands of the store that it has to refuse.
@Suite(.timeLimit(.minutes(45))) struct StoreInputTests {
    /// Refused command, with its exit status and a part of the reason.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let command: String
        let status: Int32
        let reason: String

        init(_ command: String, _ status: Int32, _ reason: String) {
            (self.command, self.status, self.reason) = (command, status, reason)
        }

        var testDescription: String { command }
    }

    static let refusals = [
        Refusal("advance 2040-01-14", 1, "can only be advanced, and stands at 2040-01-15T00:00:00Z"),
        Refusal("advance 2040-01-15", 1, "can only be advanced"),
        Refusal("advance 0d", 64, "0d is neither a duration above zero"),
        Refusal("advance P0D", 64, "P0D is neither"),
        Refusal("advance 30x", 64, "30x is neither"),
        Refusal("advance 1.5d", 64, "1.5d is neither"),
        Refusal("advance 12345d", 64, "12345d is neither"),
        Refusal("advance 2040-02-30", 64, "2040-02-30 is neither"),
        Refusal("advance -- -3d", 64, "-3d is neither"),
        Refusal("advance", 64, "Missing expected argument '<duration-or-date>'"),
        Refusal("advance P40Y", 1, "certificates are valid until"),
        Refusal("advance P9999Y", 1, "certificates are valid until"),
        Refusal("advance 9999-12-31", 1, "certificates are valid until"),
        Refusal("clock virtual 2039-12-31", 1, "can only be advanced"),
        Refusal("clock virtual 2200-01-01", 1, "certificates are valid until"),
        Refusal("clock virtual today", 64, "The date today is not a day or time"),
        Refusal("clock machine 2040-02-01", 64, "Only a virtual clock can be set to a date"),
        Refusal("clock sundial", 64, "'sundial' is invalid for '<kind>'"),
        Refusal("rate fast", 64, "fast is not a rate"),
        Refusal("timeline none", 1, "the store has no product none"),
        Refusal("timeline --ahead 1001", 64, "--ahead must be from 0 to 1000"),
        Refusal("renewal off none", 1, "no auto-renewable subscription none"),
        Refusal("renewal off club.silver", 1, "the customer has no subscription in the group of club.silver"),
        Refusal("renewal maybe club.silver", 64, "'maybe' is invalid for '<setting>'"),
        Refusal("billing fail map", 1, "no auto-renewable subscription map"),
        Refusal("billing recover club.silver", 1, "the customer has no subscription"),
        Refusal("grace perhaps", 64, "'perhaps' is invalid"),
        Refusal("price none 1.99", 1, "the store has no product none"),
        Refusal("price map 0", 1, "a price must be above zero"),
        Refusal("price map 1.2345", 64, "The price 1.2345 is not a number"),
        Refusal("price map 1,99", 64, "The price 1,99 is not a number"),
        Refusal("price map 9999999999", 64, "The price 9999999999 is not a number"),
        Refusal("consent yes club.silver", 1, "the customer has no subscription"),
        Refusal("withdraw none", 1, "the store has no product none"),
        Refusal("redeem none club.silver", 1, "the store has no offer code none for club.silver"),
        Refusal("redeem summer none", 1, "the store does not sell none"),
        Refusal("redeem summer map", 1, "map is no auto-renewable subscription with offers"),
        Refusal("family leave", 1, "the customer default is in no family"),
        Refusal("resolve 99", 1, "the store has no interrupted purchase 99"),
        Refusal("refund 99 --percent 50", 1, "the store has no transaction 99"),
        Refusal("refund 1 --percent 0", 64, "--percent must be from 1 to 100, not 0"),
        Refusal("refund 1 --percent 101", 64, "--percent must be from 1 to 100, not 101"),
        Refusal("refund 1 --percent 5 --prorated", 64, "not both"),
    ]

    @Test(arguments: refusals)
    func `a command that is not possible names what is wrong, and changes nothing`(refusal: Refusal) throws {
        let tool = try Tool.club()
        let before = try state(of: tool)
        let result = try tool.run(["store"] + refusal.command.split(separator: " ").map(String.init))

        #expect(result.status == refusal.status, "\(result.errors)")
        #expect(result.errors.contains(refusal.reason), "\(result.errors)")
        #expect(try state(of: tool) == before)
    }

    /// Output of the commands that show the store.
    private func state(of tool: Tool) throws -> [String] {
        try ["clock", "timeline", "rate", "transactions", "customers"].map { try tool.run("store", $0).output }
    }
}
