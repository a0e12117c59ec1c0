# Everything that is done with this repository. `make demo` and `make test` need
# a Go toolchain and nothing else.

GO            ?= go
GO_NEEDED     := $(shell awk '$$1 == "go" { print $$2; exit }' go.mod)
GOLANGCI_LINT := v2.15.0
GOFUMPT       := v0.12.0
TOOLS         := $(CURDIR)/.tools

# The version comes from the build info. Outside a usable git checkout there is
# none to be had, and asking for it would fail the build.
BUILDVCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: need-go ## build the static binary bin/storcon-tui
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=$(BUILDVCS) -ldflags '-s -w' -o bin/storcon-tui ./cmd/storcon-tui

.PHONY: demo
demo: build ## open the console on a fake cluster in the same process
	bin/storcon-tui demo

.PHONY: test
test: need-go ## run all tests
	$(GO) test ./...

.PHONY: race
race: need-go need-cc ## run all tests with the race detector
	CGO_ENABLED=1 $(GO) test -race ./...

.PHONY: crash
crash: need-go ## kill the program at every journal record of a run and resume it
	@out=$$(mktemp); STORCON_CRASH=all $(GO) test ./cmd/storcon-tui -count=1 -timeout 60m -v -run '^TestCrash$$' >$$out 2>&1; code=$$?; \
	cat $$out; grep -o 'crash points: .*' $$out; rm -f $$out; exit $$code

.PHONY: lint
lint: tools ## vet and lint; fetches the linters into .tools the first time
	$(GO) vet ./...
	$(TOOLS)/golangci-lint run --allow-parallel-runners ./...

.PHONY: fmt
fmt: tools ## format all Go files
	$(TOOLS)/gofumpt -l -w .

.PHONY: bench
bench: need-go ## make the figures of docs/speed.md, in about eleven minutes
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: soak
soak: need-go ## check the invariants on 100 000 random histories, in some minutes
	$(GO) test ./engine/rollout -count=1 -run '^TestInvariants$$' -v -rapid.checks=5000 -timeout 60m

.PHONY: cover
cover: need-go ## statement coverage per function, in cover.out and as a sum
	$(GO) test -coverprofile=cover.out -coverpkg=./... ./...
	$(GO) tool cover -func=cover.out | tail -n 1

.PHONY: pictures
pictures: need-go ## draw docs/*.svg from real frames
	$(GO) test ./ui -count=1 -run '^TestPictures$$' -args -pictures

.PHONY: tools
tools: need-go $(TOOLS)/golangci-lint-$(GOLANGCI_LINT) $(TOOLS)/gofumpt-$(GOFUMPT) ## fetch the linters, at fixed versions

# The version is in the name of a mark, so that a new one is fetched.
$(TOOLS)/golangci-lint-$(GOLANGCI_LINT):
	GOFLAGS= GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	@touch $@

$(TOOLS)/gofumpt-$(GOFUMPT):
	GOFLAGS= GOBIN=$(TOOLS) $(GO) install mvdan.cc/gofumpt@$(GOFUMPT)
	@touch $@

# What is missing is said in one line.
.PHONY: need-go
need-go:
	@command -v $(GO) >/dev/null 2>&1 || { \
		echo 'storcon-tui needs Go $(GO_NEEDED) or newer, and there is no "$(GO)" in PATH: see https://go.dev/dl/' >&2; exit 1; }
	@have=$$($(GO) env GOVERSION 2>/dev/null || GOTOOLCHAIN=local $(GO) version | awk '{ print $$3 }'); \
	echo "$$have $(GO_NEEDED)" | awk '{ sub(/^go/, "", $$1); split($$1, h, "."); split($$2, n, "."); \
		exit !(h[1]+0 > n[1]+0 || (h[1]+0 == n[1]+0 && h[2]+0 >= n[2]+0)) }' || { \
		echo "storcon-tui needs Go $(GO_NEEDED) or newer, and this is $$have: see https://go.dev/dl/" >&2; exit 1; }

.PHONY: need-cc
need-cc:
	@command -v "$$($(GO) env CC)" >/dev/null 2>&1 || { \
		echo "make race needs a C compiler, and there is no \"$$($(GO) env CC)\" in PATH; make test does without" >&2; exit 1; }
