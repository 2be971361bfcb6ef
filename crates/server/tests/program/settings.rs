//! Tests of settings from the file, the environment and the flags.

use crate::http::Client;
use crate::program::{Program, embedded};

#[test]
fn a_malformed_or_unknown_setting_in_the_file_is_refused_by_name() {
    embedded(|program| {
        let list = ["account", "list"];
        let environment = [
            ("PANJI_RATE_LIMIT__BURST", "many", "PANJI_RATE_LIMIT__BURST"),
            ("PANJI_RATE_LIMIT__BURST", "many", "not \"many\""),
            ("PANJI_RATE_LIMIT__BURST", "0", "rate_limit.burst"),
            ("PANJI_LISTEN", "nowhere", "listen is \"nowhere\""),
            ("PANJI_TRUSTED_PROXIES", "127.0.0.1, here", "trusted_proxies"),
            ("PANJI_TLS_KEY", "key.pem", "tls_cert"),
            ("PANJI_PROXY_HEADER", "X-Real-IP", "proxy_header"),
            ("PANJI_FREE_QUOTA__CALLS_PER_DAY", "-1", "calls_per_day"),
        ];
        for (name, value, part) in environment {
            let complaint = program.with(name, value).fails(&list);
            assert!(complaint.contains(part), "{complaint}");
        }
        let file = program.working_dir().join("panji.toml");
        let files = [
            ("[limits]\nbody_bites = 1\n", "limits.body_bites; did you mean limits.body_bytes?"),
            ("[limits]\nanswer_seconds = 1\n", "did you mean limits.write_seconds?"),
            ("[limits]\nhead_seconds = 1\n", "did you mean limits.header_seconds?"),
            ("color = \"red\"\n", "color"),
            ("[limits]\nbody_bytes = \"large\"\n", "limits.body_bytes"),
            ("[limits\n", "panji.toml"),
        ];
        for (text, part) in files {
            std::fs::write(&file, text).unwrap();
            let complaint = program.fails(&list);
            assert!(complaint.contains(part) && complaint.contains("panji.toml"), "{complaint}");
        }
        std::fs::remove_file(&file).unwrap();
        let missing = program.fails(&["account", "list", "--config", "none.toml"]);
        assert!(missing.contains("none.toml"), "{missing}");
        assert!(program.fails(&["--listen", "nowhere"]).contains("listen"));
        assert!(!program.data_dir().exists(), "a wrong setting stops everything before it begins");
    });
}

/// What Kubernetes sets in every container beside a service named `panji`.
const INJECTED: [(&str, &str); 8] = [
    ("PANJI_SERVICE_HOST", "10.0.0.1"),
    ("PANJI_SERVICE_PORT", "8080"),
    ("PANJI_SERVICE_PORT_HTTP", "8080"),
    ("PANJI_PORT", "tcp://10.0.0.1:8080"),
    ("PANJI_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
    ("PANJI_PORT_8080_TCP_PROTO", "tcp"),
    ("PANJI_PORT_8080_TCP_PORT", "8080"),
    ("PANJI_PORT_8080_TCP_ADDR", "10.0.0.1"),
];

#[test]
fn variables_of_an_orchestrator_cause_one_warning_and_the_program_serves() {
    embedded(|program| {
        let inject = |program: Program, (name, value): &(&str, &str)| program.with(name, value);
        let program = INJECTED.iter().fold(program.clone(), inject);
        let node = program.serve();
        let logged = node.logged();
        let warnings: Vec<&str> =
            logged.lines().filter(|line| line.contains("unknown environment variables")).collect();
        assert_eq!(warnings.len(), 1, "{logged}");
        assert!(INJECTED.iter().all(|(name, _)| warnings[0].contains(name)), "{warnings:?}");
        node.stop();

        let listed = program.with("PANJI_RATE_LIMT__BURST", "5").run(&["account", "list"]);
        assert_eq!((listed.code, listed.stderr.lines().count()), (Some(0), 1), "{listed:?}");
        let meant = "PANJI_RATE_LIMT__BURST (did you mean PANJI_RATE_LIMIT__BURST?)";
        assert!(listed.stderr.contains(meant), "{listed:?}");
    });
}

#[test]
fn the_environment_overrides_the_file_and_a_flag_overrides_both() {
    embedded(|program| {
        let text = "[limits]\nbulk_verify_items = 2\nbulk_enrich_cins = 2\n";
        std::fs::write(program.working_dir().join("panji.toml"), text).unwrap();
        let program =
            program.with("PANJI_LIMITS__BULK_ENRICH_CINS", "1").with("PANJI_LISTEN", "127.0.0.1:1");
        let node = program.serve();
        let key =
            program.ok(&["key", "create", "--account", "demo@panji.example", "--mode", "test"]);
        let bulk = |path: &str, body: &str| node.post(&key, path, &[], body).status;
        let verify = |items: &str| bulk("/v1/bulk/verify", &format!(r#"{{"items":[{items}]}}"#));
        let item = r#"{"value":"99000101"}"#;
        assert_eq!(verify(&[item; 2].join(",")), 200, "the file's two");
        assert_eq!(verify(&[item; 3].join(",")), 400);
        let enrich = |cins: &str| {
            bulk("/v1/bulk/enrich", &format!(r#"{{"cins":[{cins}],"fields":["company"]}}"#))
        };
        let cin = "\"L17111MH1994PLC990011\"";
        assert_eq!(enrich(cin), 200);
        assert_eq!(enrich(&[cin; 2].join(",")), 400, "the environment's one");
        assert_eq!(Client::new(node.address, None).get("/healthz").unwrap().status, 200);
    });
}

#[test]
fn an_address_in_use_gives_one_clear_line() {
    embedded(|program| {
        let node = program.serve();
        let address = node.address.to_string();
        let complaint = program.fails(&["--listen", &address]);
        assert!(complaint.contains(&address), "{complaint}");
        assert!(node.ready(), "the first node keeps serving");
    });
}

#[test]
fn an_unreachable_database_gives_one_clear_line() {
    embedded(|program| {
        let nowhere = format!("postgres://postgres@{}/none", crate::node::free_address());
        let complaint = program.fails(&["--database-url", &nowhere]);
        assert!(complaint.contains("PostgreSQL could not be reached"), "{complaint}");
        let complaint = program.fails(&["account", "list", "--database-url", "mysql://here"]);
        assert!(complaint.contains("database"), "{complaint}");
    });
}
