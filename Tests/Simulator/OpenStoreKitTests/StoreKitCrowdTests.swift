import Foundation
import Testing
import VitrineTestSupport

/// Many sessions in a process of its own, because the memory of the tests' process also depends on other tests.
@Suite(.blocksThreads) struct StoreKitCrowdTests {
    @Test(.hangLimit)
    func `a hundred concurrent test sessions are isolated from each other and leak no memory`()
        throws
    {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "OpenStoreKitCrowd")
        let hundreds = ProcessInfo.processInfo.environment["STOREKIT_CROWD"] ?? "4"
        process.arguments = [Repository.sample("Club.storekit").path(percentEncoded: false), hundreds]
        // What threads keep for themselves after it was freed would count as allocated.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"]
        ) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let match = try #require(text.wholeMatch(of: /after 100: ([0-9]+), at the end: ([0-9]+)\n/), "\(text)")
        let (first, last) = (try #require(Int(match.1)), try #require(Int(match.2)))
        // A store takes half a mebibyte: of the last one, or of one that is being freed.
        #expect(first > 0)
        #expect(last <= first + 1_048_576)
    }
}
