# Frontdesk: run it, test it, measure it.

CONFIG ?= Caddyfile.example

.PHONY: run test real citus nodes quick flaky race fuzz bench generate pictures lint vulnerabilities newest types tools

# The demo shop, tracked, on http://localhost:8080; its untouched origin on :8081; the console on :8090.
run:
	go run ./cmd/caddy run --config $(CONFIG)

# Vet is one of the linters, and looks at everything but once.
# One package more is tested at once than there are processors.
AT_ONCE ?= $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
GO_TEST = go test -vet=off -timeout 40m -p $(AT_ONCE)

# Everything: unit, golden and fuzz seeds, on SQLite and PostgreSQL, in Chromium; the instructions of arm64 in QEMU.
# Those that take longest begin first. With WATCHED=yes, the race detector watches what serves requests (make race), and
# of that only what it would disturb or slow down is tested without it.
WATCHED ?= no
test: tools types
ifeq ($(WATCHED),yes)
	$(GO_TEST) ./e2e ./system $(filter-out $(shell go list $(RACE)),$(shell go list ./...)) $(DISTURBED)
	$(GO_TEST) -run '$(ALONE)' ./backend/console ./backend/capture ./snippet/phone
	$(MAKE) race
else
	$(GO_TEST) ./e2e ./system ./backend/console ./...
endif
	! command -v qemu-aarch64 >/dev/null || GOARCH=arm64 go test -vet=all -exec qemu-aarch64 -run TestBitmaps ./snippet/weave/sweep

# What serves requests, under the race detector, which needs a C compiler. RACE=./... is everything.
# SQLite and hashes of passwords are somebody else's and are not watched: they would take twenty and three times as long.
# The console's tests take longest, so they begin first.
RACE ?= ./backend/console ./caddymodule ./edge/... ./snippet/... ./backend/...
DISTURBED = ./snippet/weave ./backend/api/platforms
# The tests that .ci/alone names do thousands of things one after the other. That takes up to ten times as long under the
# detector, and they have nobody to race with.
ALONE = ^($(shell paste -sd '|' .ci/alone))$$
race: tools
	$(GO_TEST) -race -gcflags='modernc.org/...=-race=false' -gcflags='golang.org/x/crypto/...=-race=false' -skip '$(ALONE)' $(RACE)

# Other people's programs, as Debian has them: WebKit, Firefox, WordPress, MediaWiki, Django and Express,
# Exim, and npm's libraries of signatures; and PgBouncer between the service's rooms and PostgreSQL.
real:
	@.ci/tools real
	$(GO_TEST) -tags real -run '^TestReal' ./e2e ./system
	FRONTDESK_POOLED=yes go test -vet=off -timeout 20m -run /postgres ./backend/db ./backend/journal ./backend/queue ./backend/lead ./backend/visit

# The tests of the rooms whose tables Citus distributes, on a database that it has distributed. It has to be installed
# beside PostgreSQL; Debian does not have it. Three tests fill their database by a statement that it does not take.
citus:
	FRONTDESK_CITUS=yes go test -timeout 60m -p 1 -run /postgres -skip 'OldVisitsArePruned|ErasureIsResumed|ErasingBesideTraffic' ./backend/visit/... ./backend/report/... ./backend/api ./backend/call ./backend/lead ./backend/person ./edge

# The tests of the rooms that differ from main, and of those that import them; or of ROOM=backend/lead and those.
ROOM ?=
quick:
	@.ci/quick $(ROOM)

# A real cluster in namespaces of this machine, under load and faults; it needs root, and Debian's servers.
# ARGS are those of e2e/nodes, such as "-faults 100", "-sqlite", "-scale" or "-idle".
ARGS ?= -faults 20
nodes:
	go run ./e2e/nodes $(ARGS)

# The tests of PKG=backend/queue, COUNT times, LOAD of them at once, and which failed how often.
COUNT ?= 100
LOAD ?= 10
flaky: tools
	@COUNT=$(COUNT) LOAD=$(LOAD) .ci/flaky $(PKG)

# Every fuzz target for FUZZTIME (12s), or those alone whose names are like FUZZ.
fuzz:
	FUZZ='$(FUZZ)' FUZZTIME='$(FUZZTIME)' .ci/fuzz

# Go's benchmarks, then the side-by-side runs; see docs/benchmarks.md.
bench: tools
	go test -run '^$$' -bench . -benchmem ./snippet/... ./backend/...
	go run ./bench

# The pictures of the console and of the panels in docs/images; it needs Chromium.
pictures:
	go run ./e2e/pictures

# What is built from sources and committed: the browser's scripts, the console's assets, data lists.
generate:
	go generate ./...

# Formatting and Caddy's linters; .golangci.yml says which. vet and staticcheck are two of them.
lint:
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

# Known vulnerabilities in what the programs call.
vulnerabilities:
	.ci/vulnerabilities

# A build with Caddy's newest release.
newest:
	.ci/newest

# The sources of pages and of the console against their types.
types:
	cd snippet/browser && npm ci --no-audit --no-fund --silent && \
		for project in . ../../backend/console ../../backend/console/tsconfig.worker.json; do npx --no-install tsc --noEmit -p $$project || exit 1; done

# Chromium, PostgreSQL, Node.js and QEMU, where they are missing and may be installed.
tools:
	@.ci/tools
