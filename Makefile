.PHONY: demo install install-server installed installed-tests deb check-deb test test-all adapter-tests documentation crash-sweep crash-soak content-soak store-soak life-soak subscription-soak model-soak exchange-soak customers-soak server-soak hostile fuzz differential benchmark benchmark-server setup lint samples storekit-crowd apple-self-test

SWIFT ?= swift

# SwiftPM passes the traits of the package to the compiler in the order of a set, which differs from run to run: with another order,
# all modules of the package are compiled again.
export SWIFT_DETERMINISTIC_HASHING = 1

# Options of the commands that build in debug mode; with others, everything is built again. Debug information takes a part of the
# time to build, and C sources that are not optimized, those of ciphers above all, a fifth of the time to test.
DEBUG_OPTIONS ?= -debug-info-format none -Xcc -O2

# Traits of the package for the tests, the demo and the installed server: `--traits default,PostgreSQL` builds what needs libpq, and
# tests it if PostgreSQL is installed.
TRAITS ?=

# The tool that is installed: .build/release/vitrine. On Linux Swift's libraries are linked into it, and their symbols are not
# exported: that takes time at each start. libxml2, libarchive and SQLite stay shared, and because they read files of others, the
# program is loaded at a random address, as the server is; the server's table of functions is read-only too. Programs are installed
# without symbols, so that debug information is not made. Only the linker's options differ between the two, and both have the same traits:
# what one build has compiled, the other takes.
RELEASE_OPTIONS = -c release -debug-info-format none --product vitrine
SERVER_OPTIONS = -c release -debug-info-format none --product vitrine-server
ifeq ($(shell uname -s),Linux)
RELEASE_OPTIONS += --static-swift-stdlib -Xlinker --no-export-dynamic
SERVER_OPTIONS += --static-swift-stdlib -Xlinker -z -Xlinker now
endif

# Folder below which `make install` puts bin/vitrine, and a folder before it, for packages.
PREFIX ?= /usr/local
DESTDIR ?=

# Builds the tool and tells the main story with it: the tool that is installed if that has been built before, and otherwise a
# debug build, which `make test` shares.
demo: setup
	@if [ -e .build/release/vitrine ]; then \
		$(SWIFT) build $(RELEASE_OPTIONS) $(TRAITS) && Scripts/demo .build/release; \
	else \
		$(SWIFT) build $(DEBUG_OPTIONS) $(TRAITS) --product vitrine && Scripts/demo .build/debug; \
	fi

# Builds the tool for release and installs it, without symbols, with its manual page and its completions for bash, zsh and fish.
install: setup
	@$(SWIFT) build $(RELEASE_OPTIONS) $(TRAITS)
	@install -d "$(DESTDIR)$(PREFIX)/bin"
	@install -s -m 755 .build/release/vitrine "$(DESTDIR)$(PREFIX)/bin/vitrine"
	@Packaging/install-pages "$(DESTDIR)$(PREFIX)/bin/vitrine" "$(DESTDIR)$(PREFIX)"

# Builds the servers for release and installs them in the same way. `make install-server TRAITS="--traits default,PostgreSQL"` builds
# what keeps customers in PostgreSQL, too.
install-server: setup
	@$(SWIFT) build $(SERVER_OPTIONS) $(TRAITS)
	@install -d "$(DESTDIR)$(PREFIX)/bin"
	@install -s -m 755 .build/release/vitrine-server "$(DESTDIR)$(PREFIX)/bin/vitrine-server"
	@Packaging/install-pages "$(DESTDIR)$(PREFIX)/bin/vitrine-server" "$(DESTDIR)$(PREFIX)"

# Installs the tool in .build/installed, to measure and to test it.
installed:
	@$(MAKE) --no-print-directory install DESTDIR= PREFIX="$(CURDIR)/.build/installed"

# Runs the demo and all tests of the tool with the installed one. What a static linker leaves out is not noticed before it is
# used.
installed-tests: installed
	@Scripts/demo .build/installed/bin
	@VITRINE_TOOL="$(CURDIR)/.build/installed/bin/vitrine" $(SWIFT) test $(DEBUG_OPTIONS) $(SIDE_BY_SIDE) --filter "^VitrineToolTests\."

# Makes .build/vitrine.deb, a package of the installed tool with its manual page and completions, for the release of Debian or Ubuntu
# that it is made on. It needs dpkg-dev.
deb:
	@rm -rf .build/deb
	@$(MAKE) --no-print-directory install DESTDIR="$(CURDIR)/.build/deb" PREFIX=/usr
	@Packaging/make-deb .build/deb .build/vitrine.deb

# Makes such a package of the debug build, and installs, uses and removes it in a file system of its own, without Swift. It needs
# dpkg-dev, debootstrap and root.
check-deb: setup
	@$(SWIFT) build $(DEBUG_OPTIONS) --product vitrine
	@rm -rf .build/deb
	@install -d .build/deb/usr/bin
	@Packaging/link-static .build/debug .build/deb/usr/bin/vitrine
	@Packaging/make-deb .build/deb .build/vitrine-debug.deb
	@Scripts/check-deb .build/vitrine-debug.deb

# Builds everything and runs the main tests.
test: setup
	@$(SWIFT) build --build-tests $(DEBUG_OPTIONS) $(TRAITS)
	@SWIFT="$(SWIFT)" TEST_OPTIONS="$(DEBUG_OPTIONS) $(TRAITS)" Scripts/run-tests

# Builds everything and runs all tests: also random lives and orders, sweeps, floods, browsers, and a tenth of the tests of managers
# once more, over the adapter for StoreKit.
test-all: setup
	@$(SWIFT) build --build-tests $(DEBUG_OPTIONS) $(TRAITS)
	@SWIFT="$(SWIFT)" TEST_OPTIONS="$(DEBUG_OPTIONS) $(TRAITS)" Scripts/run-tests all

# As many tests at a time as in Scripts/run-tests.
SIDE_BY_SIDE = --experimental-maximum-parallelization-width 6

# Runs all tests of managers over the adapter for StoreKit, which asks the simulated store through OpenStoreKit.
adapter-tests: setup
	@VITRINE_STORE=adapter $(SWIFT) test $(DEBUG_OPTIONS) $(SIDE_BY_SIDE) --filter "^VitrineTests\." --skip "Revocation|TransportTimeout"

MODULES = Vitrine VitrineMigration VitrineShopContent VitrineCatalog VitrineCatalogLoading VitrineDeviceExchange VitrineEntitlements VitrineEntitlementsSQLite \
	VitrineHostedContent VitrineNetworking VitrinePropertyList VitrinePurchasing VitrineReceipts VitrineStoreKitAdapter \
	VitrineStoreSimulator VitrineAppStoreEmulator VitrineAppServer OpenStoreKit OpenStoreKitTest

# Makes the pages about the library, from its comments and Sources/App/Vitrine/Vitrine.docc. What DocC warns of is an error.
documentation: setup
	@$(SWIFT) package $(DEBUG_OPTIONS) generate-documentation --warnings-as-errors $(MODULES:%=--target %)

# Strikes the tool at every durable system call in every way; the tests strike at a part of them.
crash-sweep: setup
	@CRASH_SWEEP=all $(SWIFT) test $(DEBUG_OPTIONS) --filter CrashSweep

# Kills ten thousand purchases at random times; the tests kill three hundred. CRASH_SOAK says how many.
crash-soak: setup
	@CRASH_SOAK=$${CRASH_SOAK:-10000} $(SWIFT) test $(DEBUG_OPTIONS) --filter CrashSoak

# Buys a guide of 21 MiB a thousand times from a server with a fault at a random place; the tests do fifty. CONTENT_SOAK
# says how many.
content-soak: setup
	@CONTENT_SOAK=$${CONTENT_SOAK:-1000} $(SWIFT) test $(DEBUG_OPTIONS) --filter ContentSoak

# Compares ten thousand random lives of subscribers in the simulated store with a model of its rules; the tests compare
# a hundred and fifty. STORE_SOAK says how many.
store-soak: setup
	@STORE_SOAK=$${STORE_SOAK:-10000} $(SWIFT) test $(DEBUG_OPTIONS) --filter RandomLife

# Compares ten thousand random lives of two customers with their apps and a simulated store with a model; the tests compare
# eighty. LIFE_SOAK says how many, LIFE_SEED is one seed alone.
life-soak: setup
	@LIFE_SOAK=$${LIFE_SOAK:-10000} $(SWIFT) test $(DEBUG_OPTIONS) --filter CustomerLifeTests

# Compares four hundred random lives of a subscriber with two devices with the simulated store, after each of forty steps; the tests
# compare six. SUBSCRIPTION_SOAK says how many.
subscription-soak: setup
	@SUBSCRIPTION_SOAK=$${SUBSCRIPTION_SOAK:-400} $(SWIFT) test $(DEBUG_OPTIONS) --filter SubscriptionLifeTests

# Compares ten thousand runs of 250 random purchases, refunds and failures with a model; the tests do 150. MODEL_SOAK says how many,
# VITRINE_MODEL_SEED is one seed alone.
model-soak: setup
	@MODEL_SOAK=$${MODEL_SOAK:-10000} $(SWIFT) test $(DEBUG_OPTIONS) --filter PurchaseModelTests

# Has ten devices of a customer buy, spend and exchange at random ten thousand times, and compares them with a model; the tests
# do it two hundred times. EXCHANGE_SOAK says how often, EXCHANGE_SEED is one seed alone.
exchange-soak: setup
	@EXCHANGE_SOAK=$${EXCHANGE_SOAK:-10000} $(SWIFT) test $(DEBUG_OPTIONS) --filter ExchangePropertyTests

# Has ten customers enroll, buy, merge and be told of it in random orders a thousand times, in memory; the tests do it twenty
# times. CUSTOMERS_SOAK says how often, CUSTOMERS_SEED is one seed alone.
customers-soak: setup
	@CUSTOMERS_SOAK=$${CUSTOMERS_SOAK:-1000} $(SWIFT) test $(DEBUG_OPTIONS) $(TRAITS) --filter CustomerPropertyTests

# Kills the app's own server and its databases for five minutes each, while two hundred clients write; the tests do it for twenty
# seconds. SERVER_SOAK says for how many seconds. With TRAITS="--traits default,PostgreSQL", PostgreSQL is killed too.
server-soak: setup
	@SERVER_SOAK=$${SERVER_SOAK:-300} $(SWIFT) test $(DEBUG_OPTIONS) $(TRAITS) --filter ServerKillTests

# Runs a thousand test sessions in one process, a hundred at a time; the tests run four hundred. STOREKIT_CROWD says how many
# hundreds.
storekit-crowd: setup
	@STOREKIT_CROWD=$${STOREKIT_CROWD:-10} $(SWIFT) test $(DEBUG_OPTIONS) --filter StoreKitCrowd

# Has the release build read files that ask for too much, within a second of a processor each, and load a thousand
# products a hundred times; the tests have the debug build read the files, and load three times.
hostile: setup
	@$(SWIFT) build $(RELEASE_OPTIONS)
	@VITRINE_TOOL=$(CURDIR)/.build/release/vitrine $(SWIFT) test $(DEBUG_OPTIONS) --filter "HostileFile|RepeatedLoad"

# Fuzzes the readers, those of archives too, and the rules of catalogs, ledgers and the app's server: their seeds, then
# half a minute each. FUZZ_SECONDS sets another time.
fuzz: setup
	@Fuzz/run $${FUZZ_SECONDS:-30}

# Compares what the tool reads of five thousand mutated property lists and JSON files with what Python's plistlib and json read; the
# tests compare files that are not mutated. DIFFERENTIAL_COUNT and DIFFERENTIAL_SEED set another number and another seed.
differential: setup
	@$(SWIFT) build $(DEBUG_OPTIONS) --product vitrine
	@python3 Tests/Differential/mutate.py --count $${DIFFERENTIAL_COUNT:-5000} --seed $${DIFFERENTIAL_SEED:-56} .build/debug/vitrine

# Compares the time from a file's bytes to a catalog with that of Foundation's readers, the ledger with SQLite alone,
# signatures with swift-crypto alone, Apple's Python library and OpenSSL, a year of subscriptions in the simulated store with
# signing and SQLite alone, look-ups in its server with ready-made answers and bare signing, the listing with a plain join by a dictionary, sending events to ten listeners with sending them
# to none, a large download with curl, sha256sum and bsdtar, and starts of the installed tool with one of an empty program. Measures the
# page of a previewed shop in Chromium.
benchmark: setup
	@Benchmarks/setup
	@$(SWIFT) run --package-path Benchmarks -c release CatalogBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release LedgerBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release SignatureBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release StoreBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release ServerBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release StoreKitBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release ListingBenchmark
	@$(SWIFT) run --package-path Benchmarks -c release EventBenchmark
	@$(MAKE) --no-print-directory installed
	@Benchmarks/content-download .build/installed/bin/vitrine
	@$(SWIFT) run --package-path Benchmarks -c release CatalogBenchmark --write 10000 .build/installed/Catalog.plist
	@Benchmarks/tool .build/installed/bin/vitrine .build/installed/Catalog.plist
	@$(SWIFT) build $(SERVER_OPTIONS)
	@.build/peers/bin/python3 Benchmarks/preview .build/release/vitrine-server

# Measures the app's own server beside nginx and pgbench, on SQLite and PostgreSQL.
benchmark-server: setup
	@Benchmarks/setup server
	@$(SWIFT) build $(SERVER_OPTIONS) --traits default,PostgreSQL
	@.build/peers/bin/python3 Benchmarks/app-server .build/release/vitrine-server

# Checks that Scripts/check-apple finds each of the faults that are put into the sources.
apple-self-test: setup
	@$(SWIFT) build $(DEBUG_OPTIONS) --build-tests
	@Scripts/check-apple --self-test .build/debug

# Installs what the system lacks.
setup:
	@Scripts/setup

# Checks the layout of the sources, their language, and the graph of targets.
lint:
	@Scripts/check-words
	@Scripts/check-targets
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Plugins Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources

# Builds an app with an unchanged import of StoreKit in two ways, and runs its tests; builds a package whose catalog is checked, and
# packages that `vitrine new` makes. The folder is that of the package's own build, so that what both need is built once.
samples: setup
	@$(SWIFT) test --package-path Tests/Samples/Kiosk --scratch-path .build $(DEBUG_OPTIONS)
	@$(SWIFT) test --package-path Tests/Samples/Newsstand --scratch-path .build $(DEBUG_OPTIONS)
	@DEBUG_OPTIONS="$(DEBUG_OPTIONS)" Scripts/check-plugins
	@DEBUG_OPTIONS="$(DEBUG_OPTIONS)" Scripts/check-new .build/debug
