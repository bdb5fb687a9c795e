import CCMSFloor
import Foundation
import Measuring
import VitrineReceipts

/// App receipts in PKCS#7 form.
///
/// Both read the container, check the signature over its content and validate the chain to the root at the receipt's date.
/// Vitrine reads every attribute and every purchase besides, looks for the store's marks on the certificates, and compares
/// app, environment and dates; OpenSSL hands the content out as bytes.
enum ReceiptComparison {
    private static let repetitions = 500

    static func compare(_ samples: Samples, _ targets: inout Targets) throws {
        var (vitrine, openSSL) = (Figures(), Figures())
        let folder = samples.folder.path(percentEncoded: false)
        for _ in 0..<SignatureBenchmark.rounds {
            for size in Samples.receiptSizes {
                try vitrine.addRun(["--measure", "receipt", folder, "vitrine", "\(size)"])
                try openSSL.addRun(["--measure", "receipt", folder, "openssl", "\(size)"])
            }
        }
        for size in Samples.receiptSizes {
            let bytes = try Data(contentsOf: samples.receipt(size)).count
            print("An app receipt with \(size) purchases, of \(bytes) bytes, read and verified")
            print("  \(column("Vitrine", width: 44))", formatted(vitrine["\(size)"], digits: 1), "µs")
            print("  \(column("OpenSSL's CMS_verify", width: 44))", formatted(openSSL["\(size)"], digits: 1), "µs")
            targets.check(
                "a receipt with \(size) purchases, speed against OpenSSL", openSSL.ratios("\(size)", to: vitrine),
                .atLeast(0.5))
        }
    }

    /// Prints the processor's time for one receipt, in microseconds.
    static func measureHere(_ arguments: ArraySlice<String>, _ samples: Samples) async throws {
        guard let name = arguments.first, let size = arguments.last.flatMap({ Int($0) }) else { return }
        let receipt = try Data(contentsOf: samples.receipt(size))
        let root = try String(contentsOf: samples.receiptRoot, encoding: .utf8)
        let seconds: Double
        if name == "openssl" {
            let date = try AppReceipt(unverified: receipt).creationDate
            seconds = receipt.withUnsafeBytes { bytes in
                floor_verify_cms(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, root,
                    Int64(date.timeIntervalSince1970), Int32(repetitions))
            }
        } else {
            let verifier = AppReceiptVerifier(
                roots: try TrustedRoots(pem: root), bundleIdentifier: Samples.bundleIdentifier,
                environment: .sandbox, deviceIdentifier: nil)
            await verify(receipt, verifier, purchases: size)
            let start = processorSeconds()
            for _ in 0..<repetitions { await verify(receipt, verifier, purchases: size) }
            seconds = processorSeconds() - start
        }
        precondition(seconds > 0, "the receipt was not verified")
        print("\(size)=\(seconds * 1e6 / Double(repetitions))")
    }

    private static func verify(_ receipt: Data, _ verifier: AppReceiptVerifier, purchases: Int) async {
        guard case .verified(let signed) = await verifier.verify(receipt: receipt) else {
            preconditionFailure("the receipt was not verified")
        }
        precondition(signed.receipt.purchases.count == purchases)
    }
}
