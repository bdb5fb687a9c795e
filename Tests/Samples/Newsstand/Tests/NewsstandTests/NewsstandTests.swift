import Newsstand
import StoreKit
import StoreKitTest
import Testing

@Test(.isolatedStoreKit) func `a paper is bought`() async throws {
    let session = try SKTestSession(configurationFileNamed: "Newsstand")
    let paper = try #require(try await buyPaper())
    #expect(session.allTransactions().map(\.identifier) == [UInt(paper.id)])
}
