#if os(Linux)
    import Foundation
    import Testing
    import VitrineTestSupport

    /// The tool as a program file.
    @Suite(.blocksThreads, .hangLimit) struct ProgramTests {
        @Test func `the tool is loaded at a random address, because it reads archives and XML of others`() throws {
            let file = try FileHandle(forReadingFrom: try Tool().executable)
            let head = Array(try #require(try file.read(upToCount: 18)))
            #expect(head.prefix(4) == [0x7F, 0x45, 0x4C, 0x46])
            // The type ET_DYN of the ELF format: a program that is linked with an address has the type ET_EXEC, 2.
            #expect(head[16] == 3)
        }
    }
#endif
