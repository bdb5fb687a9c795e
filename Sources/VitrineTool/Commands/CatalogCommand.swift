import ArgumentParser

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Sign catalogs that a web server has, check them, and tell which one a home has.",
        discussion: """
            A root key, which stays offline, signs keys.plist; a key that is named there signs the catalog. The app \
            knows the root's public key. Signatures are those of minisign in its legacy form (minisign -S -l), and \
            minisign -V checks them.

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
