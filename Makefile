# Frontdesk: run it, test it, measure it.

CONFIG ?= Caddyfile.example

.PHONY: run test race bench generate lint types tools

# The demo shop, tracked, on http://localhost:8080; its untouched origin on :8081; the console on :8090.
run:
	go run ./cmd/caddy run --config $(CONFIG)

# Everything: unit, golden and fuzz seeds, on SQLite and PostgreSQL, in Chromium.
test: tools lint types
	go test ./...

# The same under the race detector, which needs a C compiler and three times the time.
race: tools
	go test -race ./...

# Go's benchmarks, then the side-by-side runs; see docs/benchmarks.md.
bench: tools
	go test -run '^$$' -bench . -benchmem ./snippet/... ./backend/...
	go run ./bench

# What is built from sources and committed: the browser's scripts, the console's assets, data lists.
generate:
	go generate ./...

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted by gofmt: $$unformatted"; exit 1; }
	go vet ./...

# The browser's sources against their types.
types:
	cd snippet/browser && npm ci --no-audit --no-fund --silent && npx --no-install tsc --noEmit -p .

# Chromium, PostgreSQL and Node.js, where they are missing and may be installed.
tools:
	@.ci/tools
