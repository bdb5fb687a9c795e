package import ArgumentParser
import VitrineCatalog
package import VitrineCommandSupport

package struct SchemaCommand: ReportingCommand {
    package static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of catalogs in JSON.",
        discussion: """
            Editors and services that write catalogs in JSON check them against the schema. It knows the keys, their \
            types, and which keys a product needs; 'vitrine lint', which reads the same files, also checks what the \
            values say, and how products refer to each other. 'vitrine convert --to json' writes a property list in JSON.

            EXAMPLE:
              vitrine schema > catalog.schema.json
            """
    )

    @OptionGroup package var output: OutputOptions

    package init() {}

    package func report() throws -> Report {
        Report(
            lines: [], json: CatalogSchema.document,
            bytes: Array((try Console.encode(CatalogSchema.document) + "\n").utf8))
    }
}
