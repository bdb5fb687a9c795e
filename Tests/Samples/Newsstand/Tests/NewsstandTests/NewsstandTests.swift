import Newsstand
import StoreKit
import StoreKitTest
import Testing

@Test(.isolatedStoreKit) func `buying a paper returns its transaction`() async throws {
    let session = try SKTestSession(configurationFileNamed: "Newsstand")
    let paper = try #require(try await buyPaper())
    #expect(session.allTransactions().map(\.identifier) == [UInt(paper.id)])
}
