/// Sessions of the pages.
extension PageSession {
    private static let articles = "Sources/App/Vitrine/Vitrine.docc"

    static let all = [
        PageSession(
            page: "README.md", insertions: ["vitrine buy ": "serve 8080 vitrine-server serve --port 0"]),
        appServer,
        PageSession(
            page: "Documentation/AppStoreEmulator.md",
            // The page's webhook is the server under test, which is not there.
            insertions: ["vitrine store advance": "stop"]),
        PageSession(
            page: "Documentation/Catalog.md",
            setup: #"""
                printf 'product,price\ncom.example.lisbon,4.99\n' > prices.csv
                printf '<plist version="1.0"><array><dict>%s</dict></array></plist>' \
                    '<key>productIdentifier</key><string>com.example.lisbon</string><key>consumable</key><false/>' \
                    > shop.plist
                """#,
            insertions: [
                "vitrine lint": #"""
                printf '<plist version="1.0"><array><dict>%s<string>50</string>%s</dict></array></plist>' \
                    '<key>productIdentifier</key><string>com.example.pack</string><key>productValue</key>' \
                    '<key>consumable</key><false/><key>childProducts</key><array><string>com.example.lisbom</string></array>' > shop.plist
                """#
            ], statuses: ["vitrine lint": 1]),
        PageSession(
            page: "Documentation/Content.md",
            setup: """
                mkdir -p Guides/Rome; cp HostedContent/Rome/Contents/guide.md Guides/Rome; rm -r HostedContent/Rome
                cp Catalogs/Voyager.plist catalog.plist; bsdtar --format xar -cf Rome.pkg HostedContent
                """),
        PageSession(
            page: "Documentation/Loading.md",
            insertions: [
                "vitrine catalog keygen": "cp Catalogs/Voyager.plist .",
                "minisign -S": "minisign -G -W -s minisign.key -p minisign.pub",
            ]),
        PageSession(page: "Documentation/Preview.md"),
        PageSession(
            page: "Documentation/Receipts.md",
            setup: """
                vitrine init --catalog Catalogs/Voyager.plist --store Catalogs/Voyager.storekit --original-build 150
                vitrine buy com.example.voyager.lisbon
                """,
            statuses: ["vitrine receipt verify": 1]),
        teams,
        PageSession(
            page: "\(articles)/DownloadingContent.md", setup: "cp Catalogs/Voyager.plist ."),
        PageSession(page: "\(articles)/FromZeroToTheAppStore.md", setup: "cp Catalogs/Voyager.plist Shop.plist"),
        PageSession(page: "\(articles)/GettingStarted.md", setup: "cp Catalogs/Voyager.plist ."),
        PageSession(page: "\(articles)/SignedCatalogs.md", setup: "cp Catalogs/Voyager.plist ."),
    ]

    /// The configuration is that of the page, with folders that exist. A second server has an operator.
    private static let appServer = PageSession(
        page: "Documentation/AppServer.md",
        setup: "cp Catalogs/Voyager.plist .; vitrine content pack HostedContent/Rome -o Content",
        insertions: [
            "vitrine-server serve --config":
                "sed 's|/var/lib/vitrine|Data|; s|/srv/voyager|Content|' page.plist > server.plist",
            "b64()": #"""
            vitrine catalog keygen -o root
            vitrine catalog keygen -o online
            vitrine catalog keys --key root.key --app com.example.voyager --version 1 --add online.pub=2099-01-01
            vitrine catalog sign Voyager.plist --key online.key --app com.example.voyager --version 1 --expires 7
            vitrine store root > root.pem
            stop
            digest=$(tr -d '\n' < token | sha256sum | cut -d ' ' -f 1)
            cat > operators.plist <<END
            <plist version="1.0"><dict>
              <key>data</key><string>.vitrine/Server</string>
              <key>listen</key><dict><key>port</key><integer>0</integer></dict>
              <key>operators</key><dict><key>port</key><integer>0</integer></dict>
              <key>operatorTokens</key><array><dict>
                <key>name</key><string>anna</string><key>role</key><string>admin</string>
                <key>digest</key><string>$digest</string>
              </dict></array>
              <key>apps</key><array><dict>
                <key>bundleIdentifier</key><string>com.example.voyager</string>
                <key>environment</key><string>Sandbox</string>
                <key>roots</key><array><string>root.pem</string></array>
                <key>catalog</key><string>Voyager.plist</string><key>content</key><string>Content</string>
              </dict></array>
            </dict></plist>
            END
            serve 8080 vitrine-server serve --config operators.plist
            printed_port 8081
            """#,
            "curl -H \"Authorization: Bearer $device\"": #"""
            device=$T
            customer=$(curl -H "Authorization: Bearer $T" localhost:$port8080/v1/me/state | jq -r .customer)
            curl -H "Authorization: Bearer $(cat token)" \
                http://127.0.0.1:$port8081/v1/admin/customers/$customer/grants \
                -d '{"product":"com.example.voyager.rome","token":"case-4710","reason":"test"}'
            """#,
        ],
        // The page's device and account do not exist. An erased customer cannot be exported.
        statuses: [
            "admin customers/$customer/removals": 22, "admin customers/$customer/transfers": 22,
            "admin customers/$customer/export": 22,
        ])

    private static let teams = PageSession(
        page: "Documentation/Teams.md",
        setup: #"""
            vitrine new Shop
            cd Shop
            git init -q
            git add .
            git -c user.name=Anna -c user.email=anna@example.com commit -qm Shop
            git update-ref refs/remotes/origin/main HEAD
            GITHUB_BASE_REF=main RUNNER_TEMP=$HOME CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD)
            # The programs are built.
            swift() { [[ "$1 $2" == "run vitrine-catalogs" ]] && "${@:2}"; }
            """#)
}
