import Testing
import VitrineHostedContent

extension HostileArchiveTests {
    @Test(arguments: paths)
    func `an archive with a forbidden path is refused, and no file is written outside the target`(_ attack: Attack)
        async throws
    {
        try await check(attack)
    }

    private static let paths: [Attack] = [
        Attack("a name that leads out of the folder", "leads out of its folder") { _ in
            zip(Entry("Contents/../../evil"))
        },
        Attack("a name that leads out at once", "leads out of its folder") { _ in zip(Entry("../evil")) },
        Attack("an absolute name", "is not a relative path") { _ in tar(TarBytes.entry("/evil")) },
        Attack("an absolute name in a zip", "is not a relative path") { _ in zip(Entry("/evil")) },
        Attack("a name with a point in the middle", "leads out of its folder") { _ in zip(Entry("Contents/./evil")) },
        Attack("a name with two slashes", "leads out of its folder") { _ in zip(Entry("Contents//evil")) },
        Attack("a path that pax has put in the place of a harmless one", "leads out of its folder") { _ in
            tar(TarBytes.pax([("path", "Contents/../../evil")]), TarBytes.entry("Contents/harmless"))
        },
        Attack("a path of GNU's that leads out", "leads out of its folder") { _ in
            tar(
                TarBytes.entry("././@LongLink", "Contents/../../evil\0", type: "L"), TarBytes.entry("Contents/harmless")
            )
        },
        Attack("a backslash", "holds a control character or a backslash") { _ in zip(Entry("Contents\\..\\evil")) },
        Attack("a backslash in a tar", "holds a control character or a backslash") { _ in
            tar(TarBytes.entry("Contents/..\\evil"))
        },
        Attack("an escape character", "holds a control character or a backslash") { _ in
            zip(Entry("Contents/a\u{1B}[31m"))
        },
        Attack("a line feed", "holds a control character or a backslash") { _ in tar(TarBytes.entry("Contents/a\nb")) },
        Attack("a zero in a name", "holds a control character or a backslash") { _ in zip(Entry("Contents/a\0b")) },
        Attack("a name that is not UTF-8", "a name that is not UTF-8") { _ in
            zip(
                Entry("Contents/a").with {
                    $0.flags = 0; $0.name += [0xFF, 0xFE]
                })
        },
        Attack("a name of 256 bytes", "is longer than 255 bytes") { _ in
            zip(Entry("Contents/\(String(repeating: "a", count: 256))"))
        },
        Attack("a path of more than 1,024 bytes", "is longer than 1024 bytes") { _ in
            zip(
                Entry(
                    "Contents/\(Array(repeating: String(repeating: "a", count: 200), count: 6).joined(separator: "/"))")
            )
        },
        Attack("65 folders in each other", "more than 64 nested folders") { _ in
            zip(Entry("Contents/\(Array(repeating: "a", count: 65).joined(separator: "/"))"))
        },
        Attack("a device of Windows", "is a reserved device name on Windows") { _ in zip(Entry("Contents/aux.txt")) },
        Attack("a point at the end", "ends with a point or a space") { _ in zip(Entry("Contents/a.")) },
        Attack("a space at the end", "ends with a point or a space") { _ in zip(Entry("Contents/a ")) },
        Attack("names that differ by case", "is not distinguished by some file systems from") { _ in
            zip(Entry("Contents/GUIDE.md"))
        },
        Attack("folders that differ by case", "is not distinguished by some file systems from") { _ in
            zip(Entry("Contents/Maps/a"), Entry("Contents/maps/b"))
        },
        Attack(
            "names that differ by the spelling of an accent", "is not distinguished by some file systems from"
        ) { _ in
            zip(Entry("Contents/cafe\u{301}"), Entry("Contents/caf\u{e9}"))
        },
        Attack("the same name twice", "occurs twice") { _ in zip(Entry("Contents/guide.md", "other")) },
        Attack("the same name twice in a tar", "occurs twice") { _ in
            tar(TarBytes.entry("Contents/guide.md", "other"))
        },
        Attack("a file that another lies in", "is both a file and a folder") { _ in zip(Entry("Contents/guide.md/a")) },
        Attack("the name of the installed record", "a reserved name") { _ in
            zip(Entry("Contents/.contentinfo.PLIST"))
        },
        Attack("a folder with the name of the list of files", "a reserved name") { _ in
            zip(Entry("Contents/.ContentManifest.plist/x"))
        },
        Attack("a reserved name with a long s", "a reserved name") { _ in
            zip(Entry("Contents/.contentdige\u{17F}t"))
        },
        Attack("a reserved name with a character that a file system ignores", "a reserved name") { _ in
            tar(TarBytes.entry("Contents/.ContentInfo\u{FEFF}.plist", "x"))
        },
        Attack("names that differ by a joiner", "is not distinguished by some file systems from") { _ in
            zip(Entry("Contents/ab"), Entry("Contents/a\u{200D}b"))
        },
    ]
}
