//! Tests of settings from environment variables and flags.

use super::layers::{names, variable_of};
use super::operation::Tariff;
use super::*;

fn load(environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let overrides = Overrides { file: None, settings: flags.iter().map(own).collect() };
    Config::load(&overrides, environment.iter().map(own).collect::<Vec<_>>().into_iter())
}

#[test]
fn the_defaults_are_valid() {
    let config = load(&[], &[]).expect("defaults");
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.prices.of(Operation::GetCompanyProfile), 10);
    assert!(Operation::ALL.iter().all(|operation| {
        let priced = matches!(operation.tariff(), Tariff::FreeQuota | Tariff::Priced)
            || *operation == Operation::MatchCompanies;
        (config.prices.of(*operation) > 0) == priced
    }));
}

#[test]
fn a_price_can_be_set_for_every_operation_that_is_not_always_free() {
    for operation in Operation::ALL {
        let name = format!("prices.{}", operation.id());
        let known = load(&[], &[]).expect("defaults").prices.0.contains_key(operation.id());
        let bulk = matches!(operation, Operation::BulkVerify | Operation::BulkEnrich);
        assert_eq!(known, operation.tariff() != Tariff::Free && !bulk, "{name}");
    }
}

#[test]
fn flags_override_the_environment() {
    let environment = [("PANJI_RATE_LIMIT__PER_SECOND", "7"), ("PANJI_LISTEN", "127.0.0.1:1")];
    let config = load(&environment, &[("listen", "127.0.0.1:2")]).expect("valid");
    assert_eq!(config.rate_limit.per_second.get(), 7);
    assert_eq!(config.listen.port(), 2);
    let price = load(&[("PANJI_PRICES__GETCOMPANY", "4")], &[]).expect("valid");
    assert_eq!(price.prices.of(Operation::GetCompany), 4);
}

#[test]
fn the_error_of_a_malformed_setting_has_its_name_and_value() {
    let check = |name: &str, text: &str, part: &str| {
        let error = load(&[(name, text)], &[]).expect_err(name).to_string();
        assert!(error.contains(part), "{error}");
    };
    let many = "rate_limit.burst must be a whole number, not \"many\"";
    check("PANJI_RATE_LIMIT__BURST", "many", many);
    check("PANJI_RATE_LIMIT__BURST", "0", "the setting rate_limit.burst must be at least 1, not 0");
    check(
        "PANJI_LIMITS__BODY_BYTES",
        "0",
        "the setting limits.body_bytes must be at least 1, not 0",
    );
    check("PANJI_REPLICA_LAG_SECONDS", "0", "the setting replica_lag_seconds must be at least 1");
    check("PANJI_RATE_LIMIT__BURST", "-1", "the setting rate_limit.burst is -1: ");
    check("PANJI_BEHIND_PROXY", "perhaps", "true or false, not \"perhaps\"");
    check("PANJI_LISTEN", "here", "the setting listen is \"here\": ");
    check("PANJI_TRACING__OTLP_ENDPOINT", "collector:4318", "tracing.otlp_endpoint must be");
    check("PANJI_TRACING__SAMPLE_PER_THOUSAND", "1001", "must be 0 to 1000");
}

#[test]
fn a_number_of_0_is_refused_except_where_it_has_a_meaning() {
    let may_be_zero =
        ["free_quota.calls_per_day", "mcp.confirm_above", "tracing.sample_per_thousand"];
    let mut settings: Table = DEFAULTS.parse().expect("the embedded defaults are valid TOML");
    for name in names(&settings.clone(), "") {
        if !find(&mut settings, &name).is_some_and(|value| value.is_integer()) {
            continue;
        }
        let loaded = load(&[], &[(&name, "0")]).map(drop).map_err(|error| error.to_string());
        if name.starts_with("prices.") || may_be_zero.contains(&name.as_str()) {
            assert_eq!(loaded, Ok(()), "{name}");
        } else {
            assert_eq!(loaded, Err(format!("the setting {name} must be at least 1, not 0")));
        }
    }
}

#[test]
fn one_warning_lists_unknown_variables_with_suggestions() {
    let environment = [
        ("PANJI_SERVICE_HOST", "10.0.0.1"),
        ("PANJI_RATE_LIMT__BURST", "5"),
        ("PANJI_LIMITS", "1"),
        ("PANJI_RATE_LIMIT__BURST", "7"),
        ("HOME", "/"),
    ];
    let config = load(&environment, &[]).expect("unknown variables are ignored");
    assert_eq!(config.rate_limit.burst.get(), 7);
    assert_eq!(
        config.warning.as_deref(),
        Some(
            "unknown environment variables are ignored: PANJI_LIMITS, \
             PANJI_RATE_LIMT__BURST (did you mean PANJI_RATE_LIMIT__BURST?), PANJI_SERVICE_HOST"
        )
    );
    assert_eq!(load(&[("PANJI_RATE_LIMIT__BURST", "7")], &[]).expect("valid").warning, None);
}

#[test]
fn an_old_name_gets_the_new_one_as_suggestion() {
    for (old, new) in [("ANSWER", "WRITE"), ("HEAD", "HEADER")] {
        let old = format!("PANJI_LIMITS__{old}_SECONDS");
        let warning = load(&[(&old, "5")], &[]).expect("unknown variables are ignored").warning;
        let suggestion = format!("{old} (did you mean PANJI_LIMITS__{new}_SECONDS?)");
        assert!(warning.as_ref().is_some_and(|text| text.ends_with(&suggestion)), "{warning:?}");
    }
}

/// For a service named `panji`, or with that prefix, Kubernetes sets `…_SERVICE_HOST`,
/// `…_SERVICE_PORT…`, `…_PORT` and `…_PORT_8080_TCP…`.
#[test]
fn no_setting_has_a_name_that_an_orchestrator_sets() {
    let settings: Table = DEFAULTS.parse().expect("the embedded defaults are valid TOML");
    for name in names(&settings, "") {
        let variable = variable_of(&name);
        let injected = variable.ends_with("_PORT")
            || variable.contains("_PORT_")
            || variable.contains("_SERVICE_PORT")
            || variable.ends_with("_SERVICE_HOST");
        assert!(!injected, "{variable}");
    }
}
