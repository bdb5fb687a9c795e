import ArgumentParser

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Sign and verify catalogs for a web server, and show the catalog of a home.",
        discussion: """
            A root key, which stays offline, signs keys.plist; a key that is listed there signs the catalog. The app \
            contains the root's public key. Signatures are in minisign's legacy format (minisign -S -l), and minisign \
            -V verifies them.

            EXAMPLE:
              vitrine catalog keygen -o root
              vitrine catalog keygen -o online
              vitrine catalog keys --key root.key --app com.example.voyager --version 1 --add online.pub=2027-02-01
              vitrine catalog sign catalog.plist --key online.key --app com.example.voyager
              vitrine catalog verify catalog.plist --root root.pub
              vitrine catalog status
            """,
        subcommands: [
            CatalogKeygenCommand.self, CatalogKeysCommand.self, CatalogSignCommand.self, CatalogVerifyCommand.self,
            CatalogStatusCommand.self,
        ]
    )
}
