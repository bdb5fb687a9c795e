package import Foundation
import Synchronization

/// Real PostgreSQL server for tests, in a temporary folder, which is reached only through a socket in that folder. The
/// server ends, and the folder is removed, when the process of the tests ends in any way.
package final class PostgreSQLServer: Sendable {
    /// Folder with the server's data, its socket and its log.
    package let folder: URL
    private let orders: FileHandle
    private let answers: FileHandle
    private let databases = Mutex(0)

    private static let user = "vitrine"

    /// Starts a server that only one test uses, and may kill.
    package init() throws {
        // The path of a socket has at most 107 bytes.
        folder = FileManager.default.temporaryDirectory.appending(
            path: "vitrine-postgresql-\(UUID().uuidString.prefix(8))", directoryHint: .notDirectory)
        let (orders, answers, process) = (Pipe(), Pipe(), Process())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script]
        process.environment = Self.environment(["FOLDER": folder.path])
        process.currentDirectoryURL = URL(filePath: "/")
        (process.standardInput, process.standardOutput) = (orders, answers)
        (self.orders, self.answers) = (orders.fileHandleForWriting, answers.fileHandleForReading)
        try process.run()
        try waitForStart()
    }

    /// Script that executes commands, one per line, until its input ends. The input is a pipe from the process of the
    /// tests.
    ///
    /// What a killed server has written stays with the system, so that nothing is lost without `fsync`. With it, the start
    /// after a kill synchronizes all files of the server, which takes minutes on a busy disk.
    private static let script = """
        install -d ${ROOT:+-o postgres -g postgres} -m 700 "$FOLDER" && exec 2>>"$FOLDER/log" || exit 1
        as() {
            if [ -n "$ROOT" ]
            then exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"
            else exec "$@"
            fi
        }
        start() {
            as "$PROGRAMS/postgres" -D "$FOLDER/data" -k "$FOLDER" -c listen_addresses= \
                -c max_connections=400 -c fsync=off >>"$FOLDER/log" </dev/null &
            server=$!
            echo started
        }
        stop() { kill -$1 $server; wait $server; }
        (as "$PROGRAMS/initdb" -D "$FOLDER/data" -U \(user) -A trust -E UTF8 --locale=C.UTF-8 --no-sync >>"$FOLDER/log") ||
            exit 1
        start
        while read -r order
        do
            stop INT
            case $order in
            start) start ;;
            stop) echo stopped ;;
            esac
        done
        stop QUIT
        rm -rf "$FOLDER"
        """

    // MARK: One for all tests

    private static let one = Result { try PostgreSQLServer() }

    /// Returns the server that all tests of this process share, each with databases of its own.
    package static func shared() throws -> PostgreSQLServer { try one.get() }

    /// `true` if PostgreSQL is installed.
    package static var isInstalled: Bool { programs != nil }

    /// Folder with the programs of PostgreSQL; Debian does not put all of them on the path.
    private static let programs: String? = {
        let candidates = """
            for folder in "$(pg_config --bindir 2>/dev/null)" $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV)
            do test -x "$folder/initdb" -a -x "$folder/postgres" -a -x "$folder/psql" && echo "$folder" && exit
            done
            exit 1
            """
        guard let found = try? shell(candidates) else { return nil }
        // PostgreSQL refuses to run as root.
        guard !isRoot || (try? shell("id postgres && command -v setpriv")) != nil else { return nil }
        return found
    }()

    private static var isRoot: Bool { getuid() == 0 }

    private static func environment(_ more: [String: String]) -> [String: String] {
        let own = ["PROGRAMS": programs ?? "", "ROOT": isRoot ? "yes" : "", "LC_ALL": "C.UTF-8"]
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        return inherited.merging(own) { $1 }.merging(more) { $1 }
    }

    /// Runs a script and returns what it prints.
    private static func shell(_ script: String, _ environment: [String: String]? = nil) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        if let environment { process.environment = environment }
        (process.standardOutput, process.standardError) = (output, output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let printed = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(output: printed) }
        return printed.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Output of PostgreSQL or a client before it failed.
    package struct Failure: Error {
        package let output: String
    }

    // MARK: Databases

    /// Creates an empty database, and returns the connection string for it.
    package func makeDatabase() throws -> String {
        let number = databases.withLock { databases in
            databases += 1
            return databases
        }
        let name = "test\(number)"
        try query("CREATE DATABASE \(name)", in: connection(to: "postgres"))
        return connection(to: name)
    }

    private func connection(to database: String) -> String {
        "host=\(folder.path) user=\(Self.user) dbname=\(database)"
    }

    /// Runs SQL with PostgreSQL's own client, and returns the rows with `|` between the columns.
    @discardableResult
    package func query(_ sql: String, in connection: String) throws -> String {
        let script = "exec \"$PROGRAMS/psql\" -X -q -A -t -v ON_ERROR_STOP=1 -c \"$SQL\" \"$CONNECTION\""
        return try Self.shell(script, Self.environment(["CONNECTION": connection, "SQL": sql]))
    }

    // MARK: Ending and starting again

    /// Kills the server and all of its processes, as a power failure would. Returns once they are gone.
    package func kill() throws {
        // All processes of the server work in the folder with its data.
        let script = """
            data=$(cd "$FOLDER/data" && pwd -P)
            found=yes
            while test -n "$found"
            do
                found=
                for process in /proc/[0-9]*
                do
                    if [ "$(readlink "$process/cwd")" = "$data" ]
                    then found="$found ${process#/proc/}"
                    fi
                done
                test -z "$found" || kill -KILL $found
            done
            exit 0
            """
        _ = try Self.shell(script, Self.environment(["FOLDER": folder.path]))
    }

    /// Stops the server gracefully, with all connections to it.
    package func stop() throws {
        try orders.write(contentsOf: Data("stop\n".utf8))
        try waitForAnswer()
    }

    /// Starts the server again, for example after ``kill()`` or ``stop()``. Returns once it accepts connections.
    package func restart() throws {
        try orders.write(contentsOf: Data("start\n".utf8))
        try waitForStart()
    }

    private func waitForStart() throws {
        try waitForAnswer()
        let deadline = ContinuousClock().now + .seconds(60)
        while true {
            do {
                try query("SELECT 1", in: connection(to: "postgres"))
                return
            } catch {
                guard ContinuousClock().now < deadline else {
                    throw Failure(output: try String(contentsOf: folder.appending(path: "log"), encoding: .utf8))
                }
            }
        }
    }

    /// Waits for the line that the script prints after a command.
    private func waitForAnswer() throws {
        while true {
            guard let byte = try answers.read(upToCount: 1), !byte.isEmpty else {
                throw Failure(output: "PostgreSQL has not started")
            }
            if byte.first == UInt8(ascii: "\n") { return }
        }
    }
}
