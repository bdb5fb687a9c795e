import Foundation
import OpenStoreKitTest

/// Runs many apps with a session each, a hundred at a time. Prints the effects of the sessions on each other, and the
/// memory that the process has allocated after the first hundred and at the end, in bytes.
@main
struct StoreKitCrowd {
    static func main() async throws {
        let configuration = URL(filePath: CommandLine.arguments[1])
        let hundreds = Int(CommandLine.arguments[2]) ?? 10
        var memory: [Int] = []
        for hundred in 0..<hundreds {
            try await withThrowingTaskGroup { group in
                for number in hundred * 100..<hundred * 100 + 100 {
                    group.addTask { try await visit(number, configuration) }
                }
                try await group.waitForAll()
            }
            memory.append(allocatedMemory())
        }
        FileHandle.standardError.write(Data("\(memory)\n".utf8))
        // Stores of the last sessions may still be being freed: what stays is in all of the last figures.
        print("after 100: \(memory[0]), at the end: \(memory.suffix(3).min() ?? 0)")
    }

    /// Makes a purchase in a new session, and checks that the session has no other purchases.
    private static func visit(_ number: Int, _ configuration: URL) async throws {
        var options = SKTestOptions(bundleIdentifier: "com.example.crowd\(number)")
        options.seed = UInt64(number)
        let session = try SKTestSession(contentsOf: configuration, options: options)
        session.disableDialogs = true
        try await session.run {
            var updates = Transaction.updates.makeAsyncIterator()
            var bought: Set<UInt64> = []
            for id in ["map", "coins", "club.silver"] {
                guard let product = try await Product.products(for: [id]).first,
                    case .success(.verified(let transaction)) = try await product.purchase()
                else { return print("app \(number) could not buy \(id)") }
                bought.insert(transaction.id)
            }
            let elsewhere = try await session.buyProduct(identifier: "pass")
            let update = await updates.next()
            if try update?.payloadValue != elsewhere {
                print("app \(number) got the update \(String(describing: update))")
            }
            bought.insert(elsewhere.id)
            var listed: Set<UInt64> = []
            for await result in Transaction.all {
                let transaction = try result.payloadValue
                listed.insert(transaction.id)
                if transaction.appBundleID != options.bundleIdentifier {
                    print("app \(number) has a transaction of \(transaction.appBundleID)")
                }
                await transaction.finish()
            }
            if listed != bought { print("app \(number) bought \(bought) and has \(listed)") }
            for await _ in Transaction.unfinished { print("app \(number) has an unfinished transaction") }
        }
    }

    /// Returns the memory that the process has allocated and not freed, in bytes, as malloc_info(3) reports it. The
    /// resident memory is not suitable, because glibc does not return all freed memory to the system.
    private static func allocatedMemory() -> Int {
        guard let function = dlsym(nil, "malloc_info") else { return 0 }
        let mallocInfo = unsafeBitCast(
            function, to: (@convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt).self)
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let stream = open_memstream(&text, &size) else { return 0 }
        _ = mallocInfo(0, stream)
        fclose(stream)
        defer { free(text) }
        // The totals of all arenas stand at the end.
        let totals = text.map { String(cString: $0) }?.components(separatedBy: "</heap>").last ?? ""
        func total(_ type: String) -> Int {
            let line = totals.split(separator: "\n").first { $0.contains("type=\"\(type)\"") } ?? ""
            return line.split(separator: "size=\"").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        }
        return total("current") + total("mmap") - total("fast") - total("rest")
    }
}
