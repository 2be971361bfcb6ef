//! Tests of TLS to PostgreSQL, as its URL requires.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::own_postgres::OwnPostgres;
use crate::program::Program;

/// A certificate authority: its certificate in PEM, and its signing key.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "Namuna authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Authority { pem, issuer: Issuer::new(params, key) }
    }

    /// A server with a certificate for `localhost` only.
    fn server(&self) -> OwnPostgres {
        OwnPostgres::start_with(|directory| {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
            let certificate = params.signed_by(&key, &self.issuer).unwrap();
            let files = [("cert.pem", certificate.pem()), ("key.pem", key.serialize_pem())];
            let [cert, key] = files.map(|(name, text)| {
                let path = directory.join(name);
                fs::write(&path, text).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
                path.display().to_string()
            });
            format!("-c ssl=on -c ssl_cert_file={cert} -c ssl_key_file={key}")
        })
    }
}

/// The program with a URL of this server.
fn program(directory: &Path, server: &OwnPostgres, host: &str, parameters: &str) -> Program {
    let url = format!("postgres://postgres@{host}:{}/postgres?{parameters}", server.port());
    Program::new(&directory.join("data"), Some(&url))
}

const LIST: [&str; 2] = ["account", "list"];
/// Creates the ledger that is then listed.
const CREATE: [&str; 6] =
    ["account", "create", "--email", "namuna@example.in", "--name", "Namuna Traders"];

#[test]
fn the_server_is_verified_as_the_url_requires() {
    let directory = tempfile::tempdir().unwrap();
    let (authority, other_authority) = (Authority::new(), Authority::new());
    let server = authority.server();
    let [right, wrong] =
        [("right.pem", &authority), ("wrong.pem", &other_authority)].map(|(name, of)| {
            let path = directory.path().join(name);
            fs::write(&path, &of.pem).unwrap();
            format!("sslrootcert={}", path.display())
        });
    let accepted = [
        ("127.0.0.1", "sslmode=disable".to_owned()),
        ("127.0.0.1", "sslmode=prefer".to_owned()),
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", format!("sslmode=verify-ca&{right}")),
        ("127.0.0.1", format!("sslmode=require&{right}")),
        ("localhost", format!("sslmode=verify-full&{right}")),
    ];
    program(directory.path(), &server, "127.0.0.1", "").ok(&CREATE);
    for (host, parameters) in &accepted {
        program(directory.path(), &server, host, parameters).ok(&LIST);
    }
    let refused = [
        ("127.0.0.1", format!("sslmode=verify-full&{right}"), "not valid for name"),
        ("localhost", format!("sslmode=verify-full&{wrong}"), "invalid peer certificate"),
        ("localhost", format!("sslmode=verify-ca&{wrong}"), "invalid peer certificate"),
        ("localhost", format!("sslmode=require&{wrong}"), "invalid peer certificate"),
        ("localhost", "sslmode=verify-full".to_owned(), ""),
        ("localhost", "sslmode=verify-full&sslrootcert=none.pem".to_owned(), "none.pem"),
        ("localhost", "sslmode=perhaps".to_owned(), "sslmode must be one of"),
    ];
    for (host, parameters, part) in &refused {
        let complaint = program(directory.path(), &server, host, parameters).fails(&LIST);
        assert!(complaint.contains(part), "{parameters}: {complaint}");
    }
}

#[test]
fn the_connection_uses_tls_if_available_and_is_refused_if_required_and_unavailable() {
    let directory = tempfile::tempdir().unwrap();
    let secured = Authority::new().server();
    let node = program(directory.path(), &secured, "127.0.0.1", "").serve();
    let private = "select 1 / (count(*) filter (where ssl))::int from pg_stat_ssl \
                   join pg_stat_activity using (pid) where application_name = 'panji'";
    secured.run_sql(private);
    node.stop();
    let plain = OwnPostgres::start();
    let elsewhere = tempfile::tempdir().unwrap();
    program(elsewhere.path(), &plain, "127.0.0.1", "sslmode=prefer").ok(&CREATE);
    let complaint = program(elsewhere.path(), &plain, "127.0.0.1", "sslmode=require").fails(&LIST);
    assert!(complaint.contains("TLS"), "{complaint}");
}

#[test]
fn a_backup_uses_the_same_tls_settings() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let server = authority.server();
    let file = directory.path().join("authority.pem");
    fs::write(&file, &authority.pem).unwrap();
    let parameters = format!("sslmode=verify-full&sslrootcert={}", file.display());
    let program = program(directory.path(), &server, "localhost", &parameters);
    program.serve().stop();
    program.ok(&["backup", directory.path().join("backup").to_str().unwrap()]);
}
