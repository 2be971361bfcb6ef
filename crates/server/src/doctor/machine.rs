//! Checks the addresses, the certificate and the process's limits.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use panji_api::config::Config;
use panji_api::config::certificate::CertificateFiles;
use rustix::process::{Resource, getrlimit};

use super::Finding;

/// The open files that all connections, databases and the index may need.
const WANTED_FILES: u64 = 20_000;
/// Below this the program cannot serve many clients.
const MIN_FILES: u64 = 1_024;
/// How long before its expiry a certificate should be renewed.
const RENEW_BEFORE_SECONDS: i64 = 14 * 24 * 3600;
/// How long the program on our port may take to respond.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

pub fn examine(config: &Config, now_ms: i64) -> Vec<Finding> {
    let mut findings = vec![open_files(), address("address", config.listen, config.serves_tls())];
    if let Ok(Some(metrics)) = config.metrics_address() {
        findings.push(address("metrics address", metrics, false));
    }
    findings.push(exposure(config));
    findings.extend(certificate(config, now_ms / 1000));
    findings
}

fn open_files() -> Finding {
    const CHECK: &str = "open files";
    // The program raises its own soft limit to the maximum.
    let Some(limit) = getrlimit(Resource::Nofile).maximum else {
        return Finding::ok(CHECK, "unlimited");
    };
    let found = format!("the limit is {limit}, for processes started like this one");
    let advice = "set the limit to 65536 (LimitNOFILE in systemd, ulimit -n in a shell)";
    match limit {
        ..MIN_FILES => Finding::failure(CHECK, found, advice),
        MIN_FILES..WANTED_FILES => Finding::warning(CHECK, found, advice),
        _ => Finding::ok(CHECK, found),
    }
}

fn address(check: &'static str, address: SocketAddr, tls: bool) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::ok(check, format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            // This plain HTTP check works neither over TLS nor on the metrics address.
            if tls || check != "address" || responds_as_panji(address) {
                return Finding::ok(check, format!("{address} is served"));
            }
            let found = format!("{address} is used by another program");
            Finding::failure(check, found, "stop that program, or set another address")
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Finding::failure(
            check,
            format!("{address}: {error}"),
            "for a port below 1024, set AmbientCapabilities=CAP_NET_BIND_SERVICE in systemd, or \
             use a proxy",
        ),
        Err(error) => {
            let advice = "set an address of this machine";
            Finding::failure(check, format!("{address}: {error}"), advice)
        }
    }
}

fn responds_as_panji(address: SocketAddr) -> bool {
    let probe = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&address, PROBE_TIMEOUT)?;
        stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
        stream.write_all(b"GET /healthz HTTP/1.0\r\nHost: panji\r\n\r\n")?;
        let mut response = Vec::new();
        stream.take(4_096).read_to_end(&mut response)?;
        Ok(response)
    };
    probe().is_ok_and(|response| response.ends_with(b"{\"status\":\"up\"}"))
}

fn exposure(config: &Config) -> Finding {
    const CHECK: &str = "exposure";
    if !config.listen.ip().is_loopback() && !config.serves_tls() && !config.behind_proxy {
        return Finding::warning(
            CHECK,
            format!("{} can be reached over the network without TLS", config.listen),
            "set tls_cert and tls_key, or use a proxy that terminates TLS and set behind_proxy",
        );
    }
    if config.behind_proxy && config.public_url.is_empty() {
        return Finding::warning(
            CHECK,
            "behind_proxy is set and public_url is not, so links in responses have the \
             address behind the proxy",
            "set public_url to the address that clients use",
        );
    }
    Finding::ok(CHECK, format!("clients use {}", config.public_url()))
}

fn certificate(config: &Config, now_seconds: i64) -> Option<Finding> {
    const CHECK: &str = "certificate";
    let files = CertificateFiles::of(config).ok().flatten()?;
    let validity = match files.validity() {
        Ok(validity) => validity,
        Err(error) => {
            let advice = "correct tls_cert and tls_key";
            return Some(Finding::failure(CHECK, error.to_string(), advice));
        }
    };
    if let Err(reason) = validity.check(now_seconds) {
        return Some(Finding::failure(
            CHECK,
            format!("the certificate {reason}"),
            "renew it, then send SIGHUP to Panji",
        ));
    }
    let until = panji_store::calendar::rfc3339(validity.until * 1000);
    if validity.until - now_seconds < RENEW_BEFORE_SECONDS {
        let found = format!("the certificate expires at {until}");
        return Some(Finding::warning(CHECK, found, "renew it, then send SIGHUP to Panji"));
    }
    let mode = std::fs::metadata(&files.key).map_or(0, |file| file.permissions().mode());
    if mode & 0o007 != 0 {
        let found = format!("every user has access to its private key {}", files.key.display());
        return Some(Finding::failure(
            CHECK,
            found,
            "run chmod 600, and replace the key if another user may have read it",
        ));
    }
    Some(Finding::ok(CHECK, format!("valid until {until}")))
}
