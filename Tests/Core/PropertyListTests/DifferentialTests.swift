import Foundation
import Testing
import VitrinePropertyList
import VitrineTestSupport

/// Returns `true` if a command is installed.
private func has(_ command: String) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sh", "-c", "command -v \(command)"]
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}

/// Differential tests against Python's plistlib and, where it is installed, libplist.
@Suite(.blocksThreads, .hangLimit, .enabled(if: has("python3"), "python3 is not installed"))
struct DifferentialTests {
    /// Files that other implementations read differently, with the reason.
    private static let disagreements = [
        "CFPropertyList/uid.plist": "XML has no UID", "biplist/data/simple_binary.plist": "XML has no UID",
        "gnustep/eszett1.plist": "XML has no UID", "gnustep/eszett2.plist": "XML has no UID",
        "libplist/data/uid.bplist": "XML has no UID", "rust-plist/binary_NSKeyedArchiver.plist": "XML has no UID",
        "swift-corelibs-foundation/NSKeyedUnarchiver-ComplexTest.plist": "XML has no UID",
    ]

    private func compare(_ files: [URL]) throws -> (differences: [String], count: String) {
        let folder = try TemporaryFolder()
        var lines: [String] = []
        for (index, file) in files.enumerated() {
            guard let document = try? PropertyListDocument(bytes: Array(Data(contentsOf: file))) else { continue }
            let (xml, binary) = (folder["\(index).xml"], folder["\(index).bplist"])
            try Data(document.bytes(as: .binary)).write(to: binary)
            let text = try? document.bytes(as: .xml)
            if let text { try Data(text).write(to: xml) }
            lines.append(
                [file.path(percentEncoded: false), text == nil ? "-" : xml.path(), binary.path()].joined(
                    separator: "\t"))
        }
        let list = try folder.write(lines.joined(separator: "\n") + "\n", to: "list")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Repository.file("Tests/Differential/compare.py").path()]
        process.standardInput = try FileHandle(forReadingFrom: list)
        process.standardOutput = output
        try process.run()
        let printed = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let said = printed.split(separator: "\n").map(String.init)
        return (
            said.dropLast().filter { line in !Self.disagreements.keys.contains { line.contains($0) } }, said.last ?? ""
        )
    }

    @Test func `the sample catalogs and packages are read the same as by other property list readers`() throws {
        let (differences, count) = try compare([
            Repository.sample("Voyager.plist"), Repository.sample("ProductIDs.plist"),
            Repository.samplePackages.appending(path: "Rome/ContentInfo.plist"),
        ])

        #expect(differences.isEmpty, Comment(rawValue: differences.joined(separator: "\n")))
        #expect(count.hasPrefix("compared 3 "))
    }

    @Test(.enabled(if: Repository.corpus("plist-conformance") != nil, "the corpus is not here"))
    func `every corpus file that all property list readers accept is read the same by each reader`() throws {
        let folders = try ["plist-conformance", "plists"].map { try #require(Repository.corpus($0)) }
        let files = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder.path()).sorted().map {
                folder.appending(path: $0)
            }
        }.filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        let (differences, count) = try compare(files)

        #expect(differences.isEmpty, Comment(rawValue: differences.joined(separator: "\n")))
        #expect(!count.hasPrefix("compared 0 "), "\(count)")
        print("differential: \(count) of \(files.count) files, with plistlib and libplist")
    }
}
