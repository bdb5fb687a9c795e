import Foundation
import Testing
import VitrineEntitlements
import VitrinePurchasing
import VitrineTestSupport

@testable import Vitrine
@testable import VitrineDeviceExchange

/// Documents that a device replaces by a later one with the same entries.
extension DeviceExchangeTests {
    @Test func `a device with 64 documents replaces them by the next one, and other devices take it for no copy`()
        async throws
    {
        let (phone, tablet, other) = (MemoryLedger(), MemoryLedger(), MemoryLedger())
        for number in 1...65 {
            _ = try await phone.append([.deposited(1, token: "\(number)")], at: date)
            _ = try await exchange(phone, "phone")
            if number == 60 { #expect(try await exchange(tablet, "tablet").received == 60) }
        }
        let documents = try await ExchangeState.read(from: phone).documents
        #expect(documents.map(\.first) == [1])
        let replacing = try #require(documents.first?.name)

        // The place keeps the replaced documents, as a folder does, and then removes them, as the app's server does.
        for (ledger, name, received) in [(tablet, "tablet", 5), (other, "other", 65)] {
            let report = try await exchange(ledger, name)
            #expect(report.received == received && report.problems.isEmpty)
            #expect(try await ExchangeState.read(from: ledger).devices.values.allSatisfy { !$0.isRepeated })
            #expect(try await exchange(ledger, name) == ExchangeReport())
        }
        _ = try await exchange(phone, "phone")
        transport.documents = transport.documents.filter { name, _ in
            name == replacing || DocumentName(name)?.device != "device-phone"
        }
        #expect(try await exchange(phone, "phone") == ExchangeReport())
        let late = MemoryLedger()
        #expect(try await exchange(late, "late").received == 65)
        for ledger in [phone, tablet, other, late] { #expect(await ledger.summary().balances == ["coins": 65]) }
    }

    @Test func `a device whose replacing document was stored without its knowledge goes on from it`() async throws {
        let phone = MemoryLedger()
        var before = ExchangeState()
        for number in 1...65 {
            _ = try await phone.append([.deposited(1, token: "\(number)")], at: date)
            before = try await ExchangeState.read(from: phone)
            _ = try await exchange(phone, "phone")
        }
        let after = try await ExchangeState.read(from: phone)
        // As before the reply of the place.
        before.publishing = after.documents.first
        before.read = after.read
        try await before.store(in: phone)
        #expect(try await exchange(phone, "phone").sent == 0)
        #expect(try await ExchangeState.read(from: phone).documents == after.documents)
        #expect(try await ExchangeState.read(from: phone).device == "device-phone")
    }

    @Test func `documents that were replaced twice are taken for no copy, also if the first replacement is missing`()
        async throws
    {
        let (phone, tablet) = (MemoryLedger(), MemoryLedger())
        for number in 1...7 {
            _ = try await phone.append([.deposited(1, token: "\(number)")], at: date)
            _ = try await exchange(phone, "phone", mostDocuments: 3)
            // The fourth document replaces three, and the seventh one replaces it and two others.
            if number == 4 { transport.hidden = try await Set(ExchangeState.read(from: phone).documents.map(\.name)) }
        }
        #expect(transport.hidden.count == 1 && transport.documents.count == 7)
        let report = try await exchange(tablet, "tablet")
        #expect(report.received == 7 && report.problems.isEmpty)
        transport.hidden = []
        #expect(try await exchange(tablet, "tablet") == ExchangeReport())
        #expect(try await ExchangeState.read(from: tablet).devices.values.allSatisfy { !$0.isRepeated })
    }

    @Test func `a device with very many documents replaces as many of them as other devices accept`() async throws {
        let phone = MemoryLedger()
        _ = try await phone.append((1...1_002).map { .deposited(1, token: "\($0)") }, at: date)
        _ = try await exchange(phone, "phone")
        var state = try await ExchangeState.read(from: phone)
        state.documents = (1...1_002).map { (number: Int64) in
            let digest = "0000\(100_000_000_000 + number)"
            state.read.insert(digest)
            return ExchangeState.Published(
                name: "device-phone.\(number)-\(number).\(digest).facts", device: "device-phone", deviceName: "phone",
                first: number, last: number, removed: [], hasLeft: false)
        }
        try await state.store(in: phone)
        transport.documents = Dictionary(uniqueKeysWithValues: state.documents.map { ($0.name, Data()) })
        _ = try await phone.append([.deposited(1, token: "last")], at: date)
        _ = try await exchange(phone, "phone")
        let documents = try await ExchangeState.read(from: phone).documents
        #expect(documents.map(\.first) == [1, 2, 3])
        let published = try #require(documents.last?.name)
        let document = try DeviceDocument.read(
            #require(transport.documents[published]), named: #require(DocumentName(published)), key: key)
        #expect(document.replaced.count == 1_000 && document.entries.count == 1_001)
    }

    @Test func `a copy of a device publishes no documents again that the device has replaced by one that is there`()
        async throws
    {
        let (phone, copy) = (MemoryLedger(), MemoryLedger())
        for number in 1...4 {
            for ledger in number < 4 ? [phone, copy] : [phone] {
                _ = try await ledger.append([.deposited(1, token: "\(number)")], at: date)
            }
            _ = try await exchange(phone, "phone", mostDocuments: 3)
            if number == 3 { try await ExchangeState.read(from: phone).store(in: copy) }
        }
        let replacing = try #require(try await ExchangeState.read(from: phone).documents.first?.name)
        // The app's server removes the replaced documents, those that the copy publishes again too.
        func removeReplaced() {
            transport.documents = transport.documents.filter { name, _ in
                name == replacing || DocumentName(name)?.device != "device-phone"
            }
        }
        removeReplaced()
        #expect(try await exchange(copy, "phone", as: "device-copy").received == 1)
        removeReplaced()
        #expect(try await exchange(copy, "phone") == ExchangeReport())
        #expect(transport.documents.keys.filter { DocumentName($0)?.device == "device-phone" } == [replacing])
        transport.documents = [:]
        _ = try await exchange(copy, "phone")
        #expect(transport.documents.keys.count { DocumentName($0)?.device == "device-phone" } == 3)
    }
}
