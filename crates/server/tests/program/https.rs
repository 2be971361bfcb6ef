//! Tests of HTTPS: versions, protocols, reloading the certificate, and clients that do not complete
//! the handshake.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertificateParams, CertifiedKey, KeyPair, date_time_ymd};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, StreamOwned,
    SupportedProtocolVersion,
};

use crate::http::{Reply, connect, read_reply};
use crate::node::Node;
use crate::program::{Program, embedded, wait_for};

const BOTH_VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];

/// A self-signed certificate for localhost, in two files.
pub struct Certificate {
    der: CertificateDer<'static>,
}

/// A node that serves HTTPS, with the directory of its certificate.
struct Secured {
    node: Node,
    directory: std::path::PathBuf,
}

pub fn make_certificate(
    directory: &Path,
    change: impl FnOnce(&mut CertificateParams),
) -> Certificate {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    change(&mut params);
    let signing_key = KeyPair::generate().unwrap();
    let cert = params.self_signed(&signing_key).unwrap();
    let certified = CertifiedKey { cert, signing_key };
    std::fs::write(directory.join("cert.pem"), certified.cert.pem()).unwrap();
    std::fs::write(directory.join("key.pem"), certified.signing_key.serialize_pem()).unwrap();
    Certificate { der: certified.cert.der().clone() }
}

fn with_certificate(program: &Program, address: SocketAddr) -> Command {
    let directory = program.working_dir();
    let (cert, key) = (directory.join("cert.pem"), directory.join("key.pem"));
    program.command(&[
        "--listen",
        &address.to_string(),
        "--tls-cert",
        cert.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ])
}

/// Runs a test against a node with a certificate.
fn secured(test: impl FnOnce(&Secured, &Certificate)) {
    embedded(|program| {
        let program = program.with("PANJI_LIMITS__HEADER_SECONDS", "1");
        let certificate = make_certificate(program.working_dir(), |_| {});
        let node = Node::start_with(|address| with_certificate(&program, address));
        let directory = program.working_dir().to_owned();
        test(&Secured { node, directory }, &certificate);
    });
}

fn client_config(
    trusted: &Certificate,
    versions: &[&'static SupportedProtocolVersion],
    protocols: &[&str],
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Arc::new(config)
}

type Stream = BufReader<StreamOwned<ClientConnection, TcpStream>>;

impl Secured {
    /// Connects and completes the handshake.
    fn handshake(&self, config: &Arc<ClientConfig>) -> std::io::Result<Stream> {
        let name = ServerName::try_from("localhost").unwrap();
        let mut tls = ClientConnection::new(config.clone(), name).unwrap();
        let mut tcp = connect(self.node.address)?.into_inner();
        while tls.is_handshaking() {
            tls.complete_io(&mut tcp)?;
        }
        Ok(BufReader::new(StreamOwned::new(tls, tcp)))
    }

    /// Requests a path, trusting only this certificate.
    fn get(&self, trusted: &Certificate, path: &str) -> std::io::Result<Reply> {
        let mut stream = self.handshake(&client_config(trusted, &BOTH_VERSIONS, &["http/1.1"]))?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.get_mut().write_all(request.as_bytes())?;
        read_reply(&mut stream)
    }

    fn serves(&self, trusted: &Certificate) -> bool {
        self.get(trusted, "/healthz").is_ok_and(|reply| reply.status == 200)
    }
}

#[test]
fn both_tls_versions_work_and_the_better_protocol_is_chosen() {
    secured(|secured, certificate| {
        let cases: [(_, _, &[&str], Option<&[u8]>); 4] = [
            (&TLS12, ProtocolVersion::TLSv1_2, &["http/1.1"], Some(b"http/1.1")),
            (&TLS13, ProtocolVersion::TLSv1_3, &["http/1.1", "h2"], Some(b"h2")),
            (&TLS12, ProtocolVersion::TLSv1_2, &["h2"], Some(b"h2")),
            (&TLS13, ProtocolVersion::TLSv1_3, &[], None),
        ];
        for (version, spoken, offered, chosen) in cases {
            let stream =
                secured.handshake(&client_config(certificate, &[version], offered)).unwrap();
            let tls = &stream.get_ref().conn;
            assert_eq!(tls.protocol_version(), Some(spoken), "{offered:?}");
            assert_eq!(tls.alpn_protocol(), chosen, "{offered:?}");
        }
        let unknown = client_config(certificate, &BOTH_VERSIONS, &["gopher"]);
        assert!(secured.handshake(&unknown).is_err(), "a protocol that is not spoken");
    });
}

#[test]
fn many_requests_share_one_http_2_connection() {
    secured(|secured, certificate| {
        let config = client_config(certificate, &BOTH_VERSIONS, &["h2"]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let tcp = tokio::net::TcpStream::connect(secured.node.address).await.unwrap();
            let name = ServerName::try_from("localhost").unwrap();
            let tls = tokio_rustls::TlsConnector::from(config).connect(name, tcp).await.unwrap();
            let (sender, connection) =
                hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(tls))
                    .await
                    .unwrap();
            tokio::spawn(connection);
            let ask = |path: &str| {
                let uri = format!("https://localhost{path}");
                let request = hyper::Request::get(uri).body(Empty::<Bytes>::new()).unwrap();
                let mut sender = sender.clone();
                async move { sender.send_request(request).await.unwrap() }
            };
            let asked = ["/healthz", "/readyz", "/v1/companies/none"];
            let responses = futures_util::future::join_all(asked.map(ask)).await;
            let statuses: Vec<u16> =
                responses.iter().map(|response| response.status().as_u16()).collect();
            assert_eq!(statuses, [200, 200, 401]);
            for response in responses {
                assert_eq!(response.version(), hyper::Version::HTTP_2);
                assert!(!response.into_body().collect().await.unwrap().to_bytes().is_empty());
            }
        });
    });
}

#[test]
fn links_begin_with_https_and_responses_have_hsts() {
    secured(|secured, certificate| {
        let address = secured.node.address;
        assert!(secured.node.printed().contains(&format!("is running at https://{address}")));
        let page = secured.get(certificate, "/console").unwrap();
        assert_eq!(page.header("strict-transport-security"), Some("max-age=31536000"));
        let response = secured.get(certificate, "/v1/companies/none").unwrap();
        assert_eq!((response.status, response.header("strict-transport-security")), (401, None));
    });
    embedded(|program| {
        let page = program.serve().get("", "/console");
        assert_eq!(page.header("strict-transport-security"), None, "without TLS it means nothing");
    });
}

#[test]
fn sighup_loads_a_new_certificate_and_an_invalid_one_changes_nothing() {
    secured(|secured, first| {
        assert!(secured.serves(first));
        let second = make_certificate(&secured.directory, |_| {});
        assert!(secured.serves(first), "files alone change nothing");
        secured.node.signal("HUP");
        wait_for("the new certificate is served", || secured.serves(&second));
        assert!(!secured.serves(first));
        let logged = || secured.node.logged().contains("is valid until");
        wait_for("the log reports it", logged);

        let (cert, key) = (secured.directory.join("cert.pem"), secured.directory.join("key.pem"));
        let right_key = std::fs::read(&key).unwrap();
        let breakages: [(&str, &dyn Fn()); 4] = [
            ("no certificate in it", &|| std::fs::write(&cert, "none").unwrap()),
            ("expired at 2020-", &|| {
                make_certificate(&secured.directory, |params| {
                    params.not_before = date_time_ymd(2019, 1, 1);
                    params.not_after = date_time_ymd(2020, 1, 1);
                });
            }),
            ("cannot be used with its key", &|| {
                make_certificate(&secured.directory, |_| {});
                std::fs::write(&key, &right_key).unwrap();
            }),
            ("No such file", &|| std::fs::remove_file(&cert).unwrap()),
        ];
        for (part, break_files) in breakages {
            break_files();
            secured.node.signal("HUP");
            wait_for(part, || {
                let log = secured.node.logged();
                log.lines()
                    .any(|line| line.contains("the old one remains in use") && line.contains(part))
            });
            assert!(secured.serves(&second), "{part}");
        }
    });
}

#[test]
fn a_client_without_a_handshake_is_dropped_and_others_are_served() {
    secured(|secured, certificate| {
        for beginning in ["", "\x16\x03\x01", "GET /healthz HTTP/1.1\r\nHost: panji\r\n\r\n"] {
            let mut silent = connect(secured.node.address).unwrap();
            silent.get_mut().write_all(beginning.as_bytes()).unwrap();
            assert!(secured.serves(certificate), "meanwhile");
            let mut heard = Vec::new();
            let _ = silent.read_to_end(&mut heard);
            assert!(!heard.starts_with(b"HTTP"), "{beginning:?} got a response in plain text");
        }
        // A client that completes the handshake and then sends nothing.
        let mut silent =
            secured.handshake(&client_config(certificate, &BOTH_VERSIONS, &["http/1.1"])).unwrap();
        let mut heard = Vec::new();
        let _ = silent.read_to_end(&mut heard);
        assert!(!heard.starts_with(b"HTTP/1.1 200"));
        assert!(secured.serves(certificate));
    });
}

#[test]
fn a_shutdown_does_not_wait_for_handshakes() {
    embedded(|program| {
        make_certificate(program.working_dir(), |_| {});
        let node = Node::start_with(|address| with_certificate(program, address));
        let silent: Vec<_> = (0..20).map(|_| connect(node.address).unwrap()).collect();
        node.stop();
        drop(silent);
    });
}

#[test]
fn the_start_fails_with_one_line_if_the_certificate_is_unusable() {
    embedded(|program| {
        let directory = program.working_dir();
        let (cert, key) = (directory.join("cert.pem"), directory.join("key.pem"));
        let start =
            |arguments: &[&str]| program.fails(&[&["--listen", "127.0.0.1:0"], arguments].concat());
        let [cert_text, key_text] = [&cert, &key].map(|path| path.to_str().unwrap());
        let both = ["--tls-cert", cert_text, "--tls-key", key_text];
        assert!(start(&both[..2]).contains("tls_key is not"));
        assert!(start(&both[2..]).contains("tls_cert is not"));
        assert!(start(&both).contains("cert.pem"), "there is none");
        make_certificate(directory, |_| {});
        std::fs::write(&key, "none").unwrap();
        assert!(start(&both).contains("key.pem"));
        let other = KeyPair::generate().unwrap();
        std::fs::write(&key, other.serialize_pem()).unwrap();
        assert!(start(&both).contains("cannot be used with its key"));
    });
}

#[test]
fn an_untrusted_proxy_causes_one_warning_and_its_header_is_ignored() {
    embedded(|program| {
        let program = program
            .with("PANJI_BEHIND_PROXY", "true")
            .with("PANJI_TRUSTED_PROXIES", "192.0.2.1")
            .with("PANJI_GUESS_LIMIT__PER_MINUTE", "1")
            .with("PANJI_GUESS_LIMIT__BURST", "3");
        let node = program.serve();
        let statuses: Vec<u16> = (1..=5)
            .map(|host| {
                let from = format!("203.0.113.{host}");
                let mut client = node.client("pk_test_none");
                let headers = [("X-Forwarded-For", from.as_str())];
                client.send("GET", "/v1/directors/99000101", &headers, b"").unwrap().status
            })
            .collect();
        assert_eq!(statuses, [401, 401, 401, 429, 429], "all count as the proxy");
        wait_for("the warning", || node.logged().contains("not in trusted_proxies"));
        assert_eq!(node.logged().matches("not in trusted_proxies").count(), 1);
    });
}

#[test]
fn a_public_address_without_tls_causes_a_warning_unless_a_proxy_is_in_front() {
    embedded(|program| {
        make_certificate(program.working_dir(), |_| {});
        let warns = |arguments: &[&str]| {
            let node = Node::start_with(|address| {
                let open = format!("0.0.0.0:{}", address.port());
                program.command(&[&["--listen", &open], arguments].concat())
            });
            node.logged().contains("without TLS")
        };
        assert!(warns(&[]));
        assert!(!warns(&["--behind-proxy"]));
        let directory = program.working_dir();
        let files = ["cert.pem", "key.pem"].map(|name| directory.join(name));
        let [cert, key] = files.each_ref().map(|path| path.to_str().unwrap());
        assert!(!warns(&["--tls-cert", cert, "--tls-key", key]));
    });
}
