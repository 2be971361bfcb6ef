# For scripts that call the running program with third-party tools: packages of PyPI and npm, and the program on
# a data directory of its own. Sourced in the project's folder by fuzz/schemathesis, clients/run, clients/run-mcp
# and sdk/run.

# PANJI_BIN names a program that is already built.
program=${PANJI_BIN:-$PWD/target/debug/panji}
work=""
service=""
address=""
key=""

finish() {
    local status=$?
    [[ -z $service ]] || kill "$service" 2>/dev/null || true
    [[ -z $work ]] || rm -rf "$work"
    exit "$status"
}
trap finish EXIT

# A virtual environment with packages, made once: make_venv DIRECTORY PACKAGE...
make_venv() {
    local directory=$1
    shift
    if [[ ! -f $directory/ready ]]; then
        rm -rf "$directory"
        python3 -m venv "$directory"
        "$directory/bin/pip" --quiet --disable-pip-version-check install "$@"
        touch "$directory/ready"
    fi
}

# Packages of npm in a directory of their own, installed once: install_node_packages DIRECTORY PACKAGE...
install_node_packages() {
    local directory=$1
    shift
    if [[ ! -f $directory/ready ]]; then
        rm -rf "$directory"
        mkdir -p "$directory"
        echo '{ "private": true, "type": "module" }' >"$directory/package.json"
        npm --prefix "$directory" install --silent --no-audit --no-fund --no-save "$@"
        touch "$directory/ready"
    fi
}

# Builds the program as the tests build it (in ./test it is there already), and creates a directory for its data.
prepare_service() {
    if [[ -z ${PANJI_BIN:-} ]]; then
        cargo test --quiet --workspace --no-run
    fi
    work=$(mktemp --directory)
    # They are not settings of Panji.
    export -n PANJI_BIN PANJI_TEST_POSTGRES PANJI_TEST_POSTGRES_BIN PANJI_TEST_AXE PANJI_TEST_CITUS
}

# Serves with options, in $work/NAME: start_service NAME [OPTION...]. Sets the address and a test key.
start_service() {
    local name=$1 try
    shift
    address=http://127.0.0.1:$((20000 + RANDOM % 12000))
    key=""
    mkdir "$work/$name"
    touch "$work/$name/banner"
    # Rates, quota and balance that no run reaches: their refusals have tests of their own.
    PANJI_RATE_LIMIT__PER_SECOND=1000000 PANJI_RATE_LIMIT__BURST=1000000 \
        PANJI_BULK_RATE_LIMIT__PER_SECOND=1000000 PANJI_BULK_RATE_LIMIT__BURST=1000000 \
        PANJI_GUESS_LIMIT__PER_MINUTE=1000000 PANJI_GUESS_LIMIT__BURST=1000000 \
        PANJI_FREE_QUOTA__CALLS_PER_DAY=1000000 RUST_LOG=warn \
        "$program" --data-dir "$work/$name/data" --listen "${address#http://}" "$@" \
        >"$work/$name/banner" 2>"$work/$name/log" &
    service=$!
    for try in {1..1800}; do
        key=$(grep --only-matching --max-count=1 'pk_test_[0-9A-Za-z]*' "$work/$name/banner" || true)
        [[ -z $key ]] && kill -0 "$service" 2>/dev/null || break
        sleep 0.1
    done
    [[ -n $key ]] || { cat "$work/$name/log" >&2; exit 1; }
}

stop_service() {
    kill "$service"
    wait "$service"
    service=""
}
