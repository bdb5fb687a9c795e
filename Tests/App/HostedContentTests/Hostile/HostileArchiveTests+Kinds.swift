import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineTestSupport

extension HostileArchiveTests {
    @Test(arguments: kinds)
    func `an archive with links, devices or sparse files is refused, and no file is written outside the target`(
        _ attack: Attack
    ) async throws { try await check(attack) }

    @Test(arguments: [true, false])
    func `a setuid file in an archive is installed as a plain executable`(
        isZip: Bool
    ) async throws {
        let bytes =
            isZip
            ? Self.zip(Entry("Contents/run", "#!/bin/sh\n", mode: 0o104755))
            : Self.tar(TarBytes.entry("Contents/run", "#!/bin/sh\n", mode: 0o4755))
        try Data(bytes).write(to: folder["archive"])
        let installed = try await ContentDirectory(url: folder["content"]).install(
            .archive(folder["archive"], nil), request: ContentRequest(productIdentifier: "rome"),
            at: ContentPath("guides/rome"))

        let file = installed.url.appending(path: "run").path()
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o755)
    }

    private static let kinds: [Attack] = [
        Attack("a symbolic link in a zip", "is a symbolic link") { _ in
            zip(Entry("Contents/passwd", "/etc/passwd", mode: 0o120777))
        },
        Attack("a symbolic link", "is a symbolic link") { _ in
            tar(TarBytes.entry("Contents/passwd", type: "2", link: "/etc/passwd"))
        },
        Attack("a link to a folder, and a file in it", "is a symbolic link") { _ in
            tar(TarBytes.entry("Contents/etc", type: "2", link: "/etc"), TarBytes.entry("Contents/etc/evil"))
        },
        Attack("a hard link", "is a hard link") { _ in
            tar(TarBytes.entry("Contents/passwd", type: "1", link: "/etc/passwd"))
        },
        Attack("a hard link to an earlier symbolic link", "is a symbolic link") { _ in
            tar(
                TarBytes.entry("Contents/a", type: "2", link: "/etc/passwd"),
                TarBytes.entry("Contents/b", type: "1", link: "Contents/a"))
        },
        Attack("a character device", "is neither a file nor a folder") { _ in
            tar(TarBytes.entry("Contents/zero", type: "3"))
        },
        Attack("a block device", "is neither a file nor a folder") { _ in
            tar(TarBytes.entry("Contents/disk", type: "4"))
        },
        Attack("a pipe", "is neither a file nor a folder") { _ in tar(TarBytes.entry("Contents/pipe", type: "6")) },
        Attack("a pipe in a zip", "is neither a file nor a folder") { _ in zip(Entry("Contents/pipe", mode: 0o010644))
        },
        Attack("a socket in a zip", "is neither a file nor a folder") { _ in
            zip(Entry("Contents/socket", mode: 0o140644))
        },
        Attack("a link among what a Mac leaves", "is a symbolic link") { _ in
            tar(TarBytes.entry("__MACOSX/a", type: "2", link: "/etc"))
        },
        Attack("a file with holes", "sparse file") { _ in
            tar(
                TarBytes.pax([
                    ("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.name", "Contents/sparse"),
                    ("GNU.sparse.realsize", "1073741824"),
                ]),
                TarBytes.entry("Contents/harmless", "1\n1073741823\n1\n" + String(repeating: "\0", count: 497) + "x"))
        },
    ]
}
