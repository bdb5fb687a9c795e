import CLibXML2Floor
import Foundation
import VitrineCatalog
import VitrinePropertyList

/// The content of a file, in the form that a reader takes: each process holds it once.
enum Input {
    case data(Data)
    case bytes([UInt8])

    init(_ file: URL, asData: Bool) throws {
        guard !asData else {
            self = .data(try Data(contentsOf: file))
            return
        }
        let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        let handle = try FileHandle(forReadingFrom: file)
        // Not by way of a Data, which would count in the peak of the memory.
        self = .bytes(
            Array(unsafeUninitializedCapacity: size) { buffer, count in
                while count < size {
                    let read = read(handle.fileDescriptor, buffer.baseAddress.map { $0 + count }, size - count)
                    guard read > 0 else { return }
                    count += read
                }
            })
    }

    var data: Data { if case .data(let data) = self { data } else { Data() } }

    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// A way from the bytes of a file to a number of products.
struct Contender: Sendable {
    let name: String
    var readsBinary = true
    /// `true` for a reader that takes a `Data`, `false` for one that takes an array of bytes.
    var takesData = true
    let run: @Sendable (Input) throws -> Int

    /// Names of the readers between which the targets are.
    static let (catalog, decoder, tree) = ("Catalog", "PropertyListDecoder", "libplist")

    static let all: [Contender] =
        [
            Contender(name: catalog, takesData: false) { input in
                Catalog(document: try PropertyListDocument(bytes: input.bytes, limits: .generous)).products.count
            },
            Contender(name: "PropertyListDocument alone", takesData: false) { input in
                try PropertyListDocument(bytes: input.bytes, limits: .generous).root.count
            },
            Contender(name: decoder) { input in
                try PropertyListDecoder().decode([DecodedProduct].self, from: input.data).count
            },
            Contender(name: "PropertyListSerialization") { input in
                let root = try PropertyListSerialization.propertyList(from: input.data, format: nil)
                return (root as? [[String: Any]])?.count ?? 0
            },
            Contender(name: "libxml2, empty handlers", readsBinary: false) { input in
                input.data.withUnsafeBytes { bytes in
                    Int(floor_count_products(bytes.baseAddress, Int32(bytes.count)))
                }
            },
        ] + [libplist].compactMap(\.self)

    /// The C library's tree of nodes, where the library is installed.
    private static var libplist: Contender? {
        typealias Read = @convention(c) (UnsafeRawPointer?, UInt32, UnsafeMutablePointer<OpaquePointer?>) -> Void
        typealias Count = @convention(c) (OpaquePointer?) -> UInt32
        typealias Free = @convention(c) (OpaquePointer?) -> Void
        guard let library = dlopen("libplist-2.0.so.3", RTLD_NOW) ?? dlopen("libplist-2.0.so.4", RTLD_NOW),
            let fromXML = dlsym(library, "plist_from_xml"), let fromBinary = dlsym(library, "plist_from_bin"),
            let size = dlsym(library, "plist_array_get_size"), let free = dlsym(library, "plist_free")
        else { return nil }
        let readXML = unsafeBitCast(fromXML, to: Read.self)
        let readBinary = unsafeBitCast(fromBinary, to: Read.self)
        let count = unsafeBitCast(size, to: Count.self)
        let release = unsafeBitCast(free, to: Free.self)
        return Contender(name: tree) { input in
            input.data.withUnsafeBytes { bytes in
                var root: OpaquePointer?
                let read = bytes.starts(with: "bplist".utf8) ? readBinary : readXML
                read(bytes.baseAddress, UInt32(bytes.count), &root)
                defer { release(root) }
                return Int(count(root))
            }
        }
    }
}
