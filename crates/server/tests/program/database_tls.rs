//! The connection to PostgreSQL: as private and as sure as its address says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::own_postgres::OwnPostgres;
use crate::program::Program;

/// An authority: its certificate in PEM, and what it signs with.
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

    /// A server with a certificate for `localhost`, and for nothing else.
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

/// The program over an address of this server.
fn program(place: &Path, server: &OwnPostgres, host: &str, parameters: &str) -> Program {
    let url = format!("postgres://postgres@{host}:{}/postgres?{parameters}", server.port());
    Program::new(&place.join("data"), Some(&url))
}

const LIST: [&str; 2] = ["account", "list"];
/// Makes the ledger that is then listed.
const CREATE: [&str; 6] =
    ["account", "create", "--email", "namuna@example.in", "--name", "Namuna Traders"];

#[test]
fn the_server_is_checked_as_the_address_says() {
    let place = tempfile::tempdir().unwrap();
    let (authority, stranger) = (Authority::new(), Authority::new());
    let server = authority.server();
    let [right, wrong] = [("right.pem", &authority), ("wrong.pem", &stranger)].map(|(name, of)| {
        let path = place.path().join(name);
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
    program(place.path(), &server, "127.0.0.1", "").ok(&CREATE);
    for (host, parameters) in &accepted {
        program(place.path(), &server, host, parameters).ok(&LIST);
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
        let complaint = program(place.path(), &server, host, parameters).fails(&LIST);
        assert!(complaint.contains(part), "{parameters}: {complaint}");
    }
}

#[test]
fn the_connection_is_private_where_the_server_can_and_refused_where_it_must_and_cannot() {
    let place = tempfile::tempdir().unwrap();
    let secured = Authority::new().server();
    let node = program(place.path(), &secured, "127.0.0.1", "").serve();
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
fn a_backup_goes_over_the_same_private_connection() {
    let place = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let server = authority.server();
    let file = place.path().join("authority.pem");
    fs::write(&file, &authority.pem).unwrap();
    let parameters = format!("sslmode=verify-full&sslrootcert={}", file.display());
    let program = program(place.path(), &server, "localhost", &parameters);
    program.serve().stop();
    program.ok(&["backup", place.path().join("backup").to_str().unwrap()]);
}
