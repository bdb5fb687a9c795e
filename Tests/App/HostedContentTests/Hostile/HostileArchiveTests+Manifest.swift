import Testing
import VitrineHostedContent

extension HostileArchiveTests {
    @Test(arguments: listed)
    func `an archive that differs from its manifest is refused, and no file is written outside the target`(
        _ attack: Attack
    ) async throws { try await check(attack) }

    private static let listed: [Attack] = [
        Attack(
            "a file that is not listed", #""Contents/evil" is not in the manifest"#, code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in zip(Entry("Contents/evil")) },
        Attack(
            "a folder that is not listed", #"the folder "Contents/evil" is not in the manifest"#, code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in zip(Entry("Contents/evil/", mode: 0o040755)) },
        Attack(
            "a file of a Mac's that is not listed", #""Contents/.DS_Store" is not in the manifest"#,
            code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in zip(Entry("Contents/.DS_Store")) },
        Attack(
            "a file that is missing", #""Contents/map.svg" is in the manifest but not in the archive"#,
            code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "x"))
        ) { _ in zip() },
        Attack(
            "an empty folder that is missing", #""Contents/notes" is in the manifest but not in the archive"#,
            code: .wrongContent, manifest: SampleArchive.manifest(emptyFolders: ["Contents/notes"])
        ) { _ in zip() },
        Attack(
            "a file that is longer", "is 3 bytes long, but has 2 bytes in the manifest", code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "xx"))
        ) { _ in zip(Entry("Contents/map.svg", "xxx")) },
        Attack(
            "a file that is shorter", "is 1 bytes long, but has 2 bytes in the manifest", code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "xx"))
        ) { _ in tar(TarBytes.entry("Contents/map.svg", "x")) },
        Attack(
            "a file with another byte", "does not have the digest that the manifest lists", code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "xx"))
        ) { _ in zip(Entry("Contents/map.svg", "xy")) },
        Attack(
            "a package for another product", "names another product or version", code: .wrongContent,
            manifest: SampleArchive.manifest(product: "athens")
        ) { _ in zip() },
        Attack(
            "a package in a folder, with a manifest", "is not in the manifest", code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in ZipBytes([Entry("rome/ContentInfo.plist", SampleArchive.info)]).bytes },
    ]
}
