# make help lists what there is. `make run` is all that a newcomer needs.

ARCH := $(shell uname -m)
STATIC := $(ARCH)-unknown-linux-musl
# The scripts and this file must agree on the folder, whatever the caller's environment says.
export CARGO_TARGET_DIR := $(CURDIR)/target
TOLL := target/$(STATIC)/release/toll

.PHONY: build run test lint bench dist setup embed clean help
.DEFAULT_GOAL := build

build: setup embed ## Set up what is missing and build the one static program
	cargo build --locked --release --target $(STATIC) -p toll-cli

# Findings end toll with exit code 1. That is an answer, not a failure of make.
run: build ## … and look at this machine: toll check
	@echo "$(TOLL) check"
	@$(TOLL) check || [ $$? -eq 1 ]

test: ## Set up what the tests need, check style and lints, run all tests
	dev/test.sh

lint: ## Style and lints only
	dev/test.sh lint

bench: setup embed ## Start-up, the whole check, the engine's own overhead
	cargo bench --locked

dist: build ## The program with completions, man pages and licences, as target/dist/*.tar.gz
	dev/dist.sh $(TOLL)

setup: ## Only set up what is missing to build
	dev/setup.sh run

embed: setup ## Only build what the program carries: the object for libc, the jar for JVMs
	dev/embed.sh || true

clean: ## Remove all that was built
	cargo clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
