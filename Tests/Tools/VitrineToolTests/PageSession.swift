import Foundation
import VitrineTestSupport

/// Commands of a page, typed in one shell in a folder with the sample catalogs and packages.
///
/// Servers run in the background, at ports that the system chooses. Later commands use these in place of the ports of the
/// page. curl fails where a server answers with an error.
struct PageSession: Sendable {
    let page: String
    /// Commands that make what the page assumes.
    var setup = ""
    /// Commands that are typed before the first command with a beginning.
    var insertions: [String: String] = [:]
    /// Exit statuses other than 0, by the beginnings of commands.
    var statuses: [String: Int] = [:]

    /// Beginnings of commands that no test types, with the reasons.
    static let untyped = [
        "apt-get ": "installs packages",
        "export VITRINE_POSTGRESQL=": "names a database that the next two commands make",
        "make install": "builds for release; make installed-tests installs what it has built",
        "sudo -u postgres ": "needs the administrator of a database; tests of the server start their own databases",
        "swift package lint-catalogs": "builds; Scripts/check-plugins runs the plugin",
        "swift test": "builds; Scripts/check-new runs the tests of a new package",
    ]

    /// Functions of the script. `serve` starts a server, waits for its address, and sets a variable named after the port of
    /// the page to the port at which the server listens.
    private static let functions = #"""
        set -eo pipefail
        servers=()
        trap '[ ${#servers[@]} = 0 ] || kill -KILL "${servers[@]}"' EXIT
        trap 'echo "failed: $BASH_COMMAND" >&2' ERR
        printed_port() {
            local line
            while read -r line <&$output; do
                echo "$line"
                if [[ $line =~ http://127\.0\.0\.1:([0-9]+) ]]; then
                    eval "port$1=${BASH_REMATCH[1]}"
                    return
                fi
            done
            return 1
        }
        serve() {
            local port=$1
            shift
            exec {output}< <(exec "$@" 2>&1)
            servers+=($!)
            printed_port "$port"
        }
        stop() {
            kill -KILL "${servers[@]}"
            servers=()
        }
        """#

    /// Script for bash that types the commands of the page.
    var script: String {
        get throws {
            var lines = [Self.functions, setup]
            var ports: Set<String> = []
            var insertions = insertions
            for command in try DocumentedBlock.all(on: page).flatMap(\.commands) {
                for (beginning, inserted) in insertions where command.hasPrefix(beginning) {
                    ports.formUnion(inserted.matches(of: #/\b(?:serve|printed_port) ([0-9]+)/#).map { String($0.1) })
                    lines.append(inserted)
                    insertions[beginning] = nil
                }
                guard !Self.untyped.keys.contains(where: command.hasPrefix) else { continue }
                let typed = command.replacing(#/(localhost|127\.0\.0\.1):([0-9]{4})\b/#) { match in
                    ports.contains(String(match.2)) ? "\(match.1):${port\(match.2)}" : String(match.0)
                }
                if let server = ServerCommand(typed) {
                    ports.insert(server.port)
                    lines.append("serve \(server.port) \(server.command)")
                } else if let status = statuses.first(where: { command.hasPrefix($0.key) })?.value {
                    lines += ["status=0", "{ \(typed)", "} || status=$?", "[[ $status == \(status) ]]"]
                } else {
                    lines.append(typed)
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }
}

/// Command of a page that starts a server, and does not end by itself.
private struct ServerCommand {
    /// Port on the page.
    let port: String
    /// Command with a port that the system chooses.
    let command: String

    init?(_ command: String) {
        if let match = command.wholeMatch(of: #/python3 -m http\.server ([0-9]+) (.+) &/#) {
            self.init(port: String(match.1), command: "python3 -u -m http.server 0 \(match.2)")
        } else if command.hasPrefix("vitrine-server serve") && !command.contains("--check")
            || command.hasPrefix("vitrine store serve") || command.hasPrefix("vitrine preview")
        {
            let port = command.firstMatch(of: #/ --port ([0-9]+)/#)
            let rest = port.map { command.replacing($0.0, with: "") } ?? command
            self.init(port: port.map { String($0.1) } ?? "8080", command: rest + " --port 0")
        } else {
            return nil
        }
    }

    private init(port: String, command: String) { (self.port, self.command) = (port, command) }
}
