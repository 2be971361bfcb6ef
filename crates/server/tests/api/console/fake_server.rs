//! A fake HTTP server on loopback, for services of others. It runs on its own thread and ends with the
//! test's process.

use std::net::TcpListener;

use axum::Router;

pub struct FakeServer {
    listener: TcpListener,
    pub url: String,
}

impl FakeServer {
    /// The address is known before its routes, which may have to name it.
    pub fn bind() -> FakeServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        FakeServer { listener, url }
    }

    /// Starts to respond; returns the address.
    pub fn serve(self, routes: Router) -> String {
        let FakeServer { listener, url } = self;
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, routes).await.unwrap();
            });
        });
        url
    }
}
