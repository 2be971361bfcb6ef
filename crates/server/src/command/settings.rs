//! The flags for settings. Every command accepts all of them, so that one set of flags works
//! everywhere; the help of a command lists those that it uses.

use std::path::PathBuf;

use clap::{Arg, Args, Command};
use panji_api::config::error::ConfigError;
use panji_api::config::{Config, Overrides};

const COMMON: &str = "Common options";
const SERVING: &str = "Serving";
/// Commands with options for serving in their help.
const WITH_SERVING: [&str; 2] = ["serve", "doctor"];
/// Commands that use no settings.
const WITHOUT_SETTINGS: [&str; 5] = ["check", "completions", "generate", "openapi", "sources"];

/// Flags that every command accepts.
#[derive(Args)]
pub struct SettingFlags {
    /// A settings file [default: panji.toml, if it exists]
    #[arg(long, global = true, value_name = "FILE", help_heading = COMMON)]
    config: Option<PathBuf>,
    /// The data directory [default: ./panji-data]
    #[arg(long, global = true, value_name = "DIR", help_heading = COMMON)]
    data_dir: Option<String>,
    /// The URL of PostgreSQL, postgres://…; without it the embedded engine is used
    #[arg(long, global = true, value_name = "URL", help_heading = COMMON)]
    database_url: Option<String>,
    /// The listening address [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = SERVING)]
    listen: Option<String>,
    /// The address of the metrics for Prometheus [default: none]
    #[arg(long, global = true, value_name = "ADDRESS", help_heading = SERVING)]
    metrics_listen: Option<String>,
    /// The URL of PostgreSQL replicas, for reads of the register
    #[arg(long, global = true, value_name = "URL", help_heading = SERVING)]
    read_database_url: Option<String>,
    /// The certificate chain for HTTPS, in PEM
    #[arg(long, global = true, value_name = "FILE", help_heading = SERVING)]
    tls_cert: Option<String>,
    /// The certificate's private key, in PEM
    #[arg(long, global = true, value_name = "FILE", help_heading = SERVING)]
    tls_key: Option<String>,
    /// A proxy in front terminates TLS: no warning about plain HTTP
    #[arg(long, global = true, help_heading = SERVING)]
    behind_proxy: bool,
}

impl SettingFlags {
    /// The given settings, by name.
    pub fn named(&self) -> Vec<(String, String)> {
        let named = [
            ("data_dir", self.data_dir.clone()),
            ("listen", self.listen.clone()),
            ("database_url", self.database_url.clone()),
            ("read_database_url", self.read_database_url.clone()),
            ("metrics_listen", self.metrics_listen.clone()),
            ("tls_cert", self.tls_cert.clone()),
            ("tls_key", self.tls_key.clone()),
            ("behind_proxy", self.behind_proxy.then(|| "true".to_owned())),
        ];
        named
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)))
            .collect()
    }

    /// Loads the settings; the flags override the file and the environment.
    #[allow(clippy::disallowed_methods, reason = "the one place that reads settings")]
    pub fn load(&self) -> Result<Config, ConfigError> {
        // Other programs' variables need not be Unicode.
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        });
        let overrides = Overrides { file: self.config.clone(), settings: self.named() };
        Config::load(&overrides, environment)
    }
}

/// Hides flags in the help of commands that do not use them. They are still accepted.
pub fn hide_where_unused(command: Command) -> Command {
    let flags: Vec<Arg> =
        command.get_arguments().filter(|flag| flag.is_global_set()).cloned().collect();
    command.mut_subcommands(|command| {
        let name = command.get_name();
        let is_used = |flag: &Arg| match flag.get_help_heading() {
            Some(SERVING) => WITH_SERVING.contains(&name),
            _ => !WITHOUT_SETTINGS.contains(&name),
        };
        let unused: Vec<Arg> = flags.iter().filter(|flag| !is_used(flag)).cloned().collect();
        command.args(unused.into_iter().map(|flag| flag.hide(true)))
    })
}
