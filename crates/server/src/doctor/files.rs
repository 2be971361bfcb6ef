//! Checks the data directory, the secret, disk space and the clock.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use panji_api::config::Config;
use panji_api::databases::backup;

use super::Finding;

/// Below this much free space, charges and imports soon fail.
const MIN_SPACE: u64 = 128 << 20;
/// Below this much free space, the operator is warned.
const LOW_SPACE: u64 = 1 << 30;
/// How far a file's time may be ahead of the clock.
const CLOCK_SLACK_MS: i64 = 60_000;
/// 2026-01-01: a clock before the first release is wrong.
const FIRST_RELEASE_MS: i64 = 1_767_225_600_000;

pub fn examine(config: &Config, now_ms: i64) -> Vec<Finding> {
    let data_dir = &config.data_dir;
    let mut findings = vec![directory(data_dir)];
    if data_dir.is_dir() {
        findings.push(secret(data_dir));
        findings.push(space(data_dir));
    }
    findings.push(clock(data_dir, now_ms));
    findings
}

fn directory(path: &Path) -> Finding {
    const CHECK: &str = "data directory";
    let path_text = path.display();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let found = format!("{path_text} does not exist");
            return Finding::warning(
                CHECK,
                found,
                "before the first start, no action is needed: it is created; otherwise set \
                 the correct directory with --data-dir",
            );
        }
        Err(error) => {
            let advice = "give the user that runs Panji access to it";
            return Finding::failure(CHECK, format!("{path_text}: {error}"), advice);
        }
    };
    if let Err(reason) = backup::check_restored(path) {
        return Finding::failure(
            CHECK,
            reason.to_string(),
            "empty the data directory and restore again",
        );
    }
    let draft = path.join(format!("doctor-{}.tmp", std::process::id()));
    if let Err(error) = fs::write(&draft, "").and_then(|()| fs::remove_file(&draft)) {
        let advice = "give the user that runs Panji write access, on a disk that is not read-only";
        return Finding::failure(CHECK, format!("{path_text} cannot be written: {error}"), advice);
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let found = format!("other users have access to {path_text} (mode {mode:o})");
        return Finding::warning(
            CHECK,
            found,
            "run chmod 700: it contains customer data and the secret",
        );
    }
    Finding::ok(CHECK, format!("{path_text}, only its owner has access"))
}

fn secret(data_dir: &Path) -> Finding {
    const CHECK: &str = "secret";
    let path = data_dir.join(backup::SECRET);
    let path_text = path.display();
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let advice = "before the first start of the first node, no action is needed: it is \
                          created; otherwise copy it from another node or from a backup";
            return Finding::warning(CHECK, format!("{path_text} does not exist"), advice);
        }
        Err(error) => {
            let advice = "give the user that runs Panji read access";
            return Finding::failure(CHECK, format!("{path_text}: {error}"), advice);
        }
    };
    if bytes.len() != 32 {
        let found = format!("{path_text} has {} bytes and must have 32", bytes.len());
        return Finding::failure(CHECK, found, "restore it from a backup");
    }
    let mode = fs::metadata(&path).map_or(0, |metadata| metadata.permissions().mode() & 0o777);
    if mode & 0o077 != 0 {
        let found = format!("other users have access to {path_text} (mode {mode:o})");
        return Finding::failure(
            CHECK,
            found,
            "run chmod 600: whoever reads the secret can forge entries of the ledger",
        );
    }
    Finding::ok(CHECK, format!("{path_text}, only its owner has access"))
}

fn space(data_dir: &Path) -> Finding {
    const CHECK: &str = "disk space";
    let advice = "free disk space: with a full disk, every charge and every import is refused";
    let figures = match rustix::fs::statvfs(data_dir) {
        Ok(figures) => figures,
        Err(error) => return Finding::warning(CHECK, error.to_string(), "check the disk with df"),
    };
    let free = figures.f_bavail.saturating_mul(figures.f_frsize);
    let found = format!("{} MiB free", free >> 20);
    // Some file systems report no inodes.
    let no_inodes = figures.f_files > 0 && figures.f_favail == 0;
    if no_inodes {
        return Finding::failure(CHECK, "no inodes are left", advice);
    }
    match free {
        ..MIN_SPACE => Finding::failure(CHECK, found, advice),
        MIN_SPACE..LOW_SPACE => Finding::warning(CHECK, found, advice),
        _ => Finding::ok(CHECK, found),
    }
}

/// Detects a clock that was set back: the ledger was then written after now.
fn clock(data_dir: &Path, now_ms: i64) -> Finding {
    const CHECK: &str = "clock";
    let now = panji_store::calendar::rfc3339(now_ms);
    let advice = "synchronize the clock (chrony, systemd-timesyncd): quotas, test credits and \
                  expiries depend on it";
    if now_ms < FIRST_RELEASE_MS {
        return Finding::failure(CHECK, format!("the clock shows {now}"), advice);
    }
    let written = fs::metadata(data_dir.join(backup::LEDGER)).and_then(|file| file.modified());
    let written_ms = written
        .ok()
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_millis() as i64);
    if written_ms > now_ms + CLOCK_SLACK_MS {
        let later = panji_store::calendar::rfc3339(written_ms);
        let found = format!("the clock shows {now}, but the ledger was written at {later}");
        return Finding::failure(CHECK, found, advice);
    }
    Finding::ok(CHECK, now)
}
