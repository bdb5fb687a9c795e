.PHONY: demo test adapter-tests documentation crash-sweep crash-soak content-soak store-soak hostile fuzz benchmark setup lint samples storekit-crowd

SWIFT ?= swift
# Options of the commands that build in debug mode; with others, everything is built again.
DEBUG_OPTIONS ?=

# Builds the tool and tells the main story with it.
demo: setup
	@$(SWIFT) build $(DEBUG_OPTIONS) --product vitrine
	@Scripts/demo

# All at once, the tests open so many files that Foundation's Process reads past their list.
SIDE_BY_SIDE = --experimental-maximum-parallelization-width 16

# Tests of managers that expect of a store what StoreKit is not: one that sends nothing at launch although transactions
# are unfinished, and one whose errors have the simulated store's words.
NOT_ADAPTED = an answer that cannot be read ends|that does not know the subscription any more|known transactions, and leaves|nothing is imported that no receipt says|all styles tell one story
# A tenth of the tests of managers, those about buying, refunds, launches and subscriptions.
ADAPTED = CatalogManagerTests\+(Buying|Refunds|Launches|Promotions|Devices|Subscriptions)|SubscriptionStateTests|StoreClockTests

# Builds everything and runs all tests; a tenth of those of managers once more, over the adapter for StoreKit. The tests about
# revocation and about connections that are never made have ten seconds by the clock of a library, and run by themselves.
test: setup
	@$(SWIFT) test $(DEBUG_OPTIONS) $(SIDE_BY_SIDE) --skip "Revocation|TransportTimeout"
	@$(SWIFT) test $(DEBUG_OPTIONS) --skip-build --filter "Revocation|TransportTimeout"
	@VITRINE_STORE=adapter $(SWIFT) test $(DEBUG_OPTIONS) $(SIDE_BY_SIDE) --skip-build --filter "$(ADAPTED)" --skip "$(NOT_ADAPTED)"

# Runs all tests of managers over the adapter for StoreKit, which asks the simulated store through OpenStoreKit.
adapter-tests: setup
	@VITRINE_STORE=adapter $(SWIFT) test $(DEBUG_OPTIONS) $(SIDE_BY_SIDE) --filter "^VitrineTests\." --skip "$(NOT_ADAPTED)|Revocation|TransportTimeout"

MODULES = Vitrine VitrineMigration CatalogLoading Entitlements EntitlementsSQLite HostedContent Networking ProductCatalog PropertyList Purchasing Receipts \
	StoreSimulator OpenStoreKit OpenStoreKitTest StoreKitAdapter

# Makes the pages about the library, from its comments and Sources/Vitrine/Vitrine.docc. What DocC warns of is an error.
documentation: setup
	@$(SWIFT) package $(DEBUG_OPTIONS) generate-documentation --warnings-as-errors $(MODULES:%=--target %)

# Strikes the tool at every durable system call in every way; the tests strike at a part of them.
crash-sweep: setup
	@CRASH_SWEEP=all $(SWIFT) test --filter CrashSweep

# Kills ten thousand purchases at random times; the tests kill three hundred. CRASH_SOAK says how many.
crash-soak: setup
	@CRASH_SOAK=$${CRASH_SOAK:-10000} $(SWIFT) test --filter CrashSoak

# Buys a guide of 21 MiB a thousand times from a server with a fault at a random place; the tests do fifty. CONTENT_SOAK
# says how many.
content-soak: setup
	@CONTENT_SOAK=$${CONTENT_SOAK:-1000} $(SWIFT) test --filter ContentSoak

# Compares ten thousand random lives of subscribers in the simulated store with a model of its rules; the tests compare
# three hundred. STORE_SOAK says how many.
store-soak: setup
	@STORE_SOAK=$${STORE_SOAK:-10000} $(SWIFT) test --filter RandomLife

# Runs a thousand test sessions in one process, a hundred at a time; the tests run four hundred. STOREKIT_CROWD says how many
# hundreds.
storekit-crowd: setup
	@STOREKIT_CROWD=$${STOREKIT_CROWD:-10} $(SWIFT) test --filter StoreKitCrowd

# Has the release build read files that ask for too much, within a second of a processor each, and load a thousand
# products a hundred times; the tests have the debug build read the files, and load three times.
hostile: setup
	@$(SWIFT) build -c release --product vitrine
	@VITRINE_TOOL=$(CURDIR)/.build/release/vitrine $(SWIFT) test --filter "HostileFile|RepeatedLoad"

# Fuzzes the readers, those of archives too, and the rules of catalogs: their seeds, then half a minute each. FUZZ_SECONDS
# sets another time.
fuzz: setup
	@Fuzz/run $${FUZZ_SECONDS:-30}

# Compares the time from a file's bytes to a catalog with that of Foundation's readers, the ledger with SQLite alone,
# signatures with swift-crypto alone, Apple's Python library and OpenSSL, a year of subscriptions in the simulated store with
# signing and SQLite alone, the listing with a plain join by a dictionary, sending events to ten listeners with sending them
# to none, a warm start with one that does nothing, and a large download with curl, sha256sum and bsdtar.
benchmark: setup
	@Benchmarks/setup
	@$(SWIFT) run --package-path Benchmarks -c release CatalogBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release LedgerBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release SignatureBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release StoreBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release StoreKitBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release ListingBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release EventBenchmark
	@$(SWIFT) build -c release --product vitrine
	@Benchmarks/warm-start
	@Benchmarks/content-download

# Installs what the system lacks.
setup:
	@Scripts/setup

# Checks the layout of the sources, their language, and the graph of targets.
lint:
	@Scripts/check-words
	@Scripts/check-targets
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources

# Builds an app with an unchanged import of StoreKit in two ways, and runs its tests. The folder is that of the package's own
# build, so that what both need is built once.
samples: setup
	@$(SWIFT) test --package-path Tests/Samples/Kiosk --scratch-path .build $(DEBUG_OPTIONS)
	@$(SWIFT) test --package-path Tests/Samples/Newsstand --scratch-path .build $(DEBUG_OPTIONS)
