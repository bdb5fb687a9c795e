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

/// Differential tests against Python's plistlib and json and, where it is installed, libplist.
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

    @Test func `random JSON is read the same as by Python`() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 8259)
        let files = try (0..<200).map { number in
            try folder.write(RandomJSON.container(depth: 0, &generator), to: "\(number).json")
        }
        let (differences, count) = try compare(files)

        #expect(differences.isEmpty, Comment(rawValue: differences.joined(separator: "\n")))
        #expect(count.hasPrefix("compared 200 "), "\(count)")
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

/// Random JSON that a property list can hold.
private enum RandomJSON {
    private static let texts = [
        "", "text", "é", "😀", #"\u0041"#, #"\ud83d\ude00"#, #"\"\\\/\b\f\n\r\t"#, #"\u0000"#, #"\u00E9\u2028"#, "null",
        "\u{7F}",
    ]
    private static let numbers = [
        "0", "-0", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "0.0", "-0.0", "1.5",
        "1e3", "1E+21", "-1.25e-7", "5e-324", "1E-400", "1.7976931348623157e308",
        "0.1000000000000000055511151231257827",
    ]
    private static let spaces = ["", "", " ", "\n", "\t", "\r\n  "]

    static func container(depth: Int, _ generator: inout SeededGenerator) -> String {
        let isObject = Bool.random(using: &generator)
        let elements = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            let key = isObject ? string(&generator) + space(&generator) + ":" : ""
            return space(&generator) + key + space(&generator) + value(depth, &generator) + space(&generator)
        }
        let content = elements.isEmpty ? space(&generator) : elements.joined(separator: ",")
        return space(&generator) + (isObject ? "{\(content)}" : "[\(content)]") + space(&generator)
    }

    private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth < 5 ? 6 : 3), using: &generator) {
        case 0: string(&generator)
        case 1: numbers.randomElement(using: &generator) ?? "0"
        case 2: Bool.random(using: &generator) ? "true" : "false"
        default: container(depth: depth + 1, &generator)
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        let parts = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            texts.randomElement(using: &generator) ?? ""
        }
        return "\"\(parts.joined())\""
    }

    private static func space(_ generator: inout SeededGenerator) -> String {
        spaces.randomElement(using: &generator) ?? ""
    }
}
