.PHONY: demo test setup lint

SWIFT ?= swift

# Builds the tool in release mode and tells the main story with it.
demo: setup
	@$(SWIFT) build -c release --product vitrine
	@Scripts/demo

# Builds everything and runs all tests.
test: setup
	@$(SWIFT) test

# Installs what the system lacks.
setup:
	@Scripts/setup

# Checks the layout of the sources.
lint:
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
