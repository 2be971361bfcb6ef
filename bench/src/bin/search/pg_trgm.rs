//! PostgreSQL's trigrams: similar names, ordered by similarity.

use std::time::Instant;

use panji_bench::companies::Company;
use panji_bench::golden::score::Answers;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, Statement};

use super::contender::{Caller, Contender, Cost};

pub struct PgTrgm {
    url: String,
    cost: Cost,
}

/// Names per statement.
const ROWS: usize = 50_000;

fn sentence(error: tokio_postgres::Error) -> String {
    error.to_string()
}

async fn connect(url: &str) -> Result<Client, String> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(sentence)?;
    tokio::spawn(connection);
    Ok(client)
}

fn runtime() -> Result<Runtime, String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| error.to_string())
}

impl PgTrgm {
    pub fn build(companies: &[Company], url: &str) -> Result<PgTrgm, String> {
        let runtime = runtime()?;
        let started = Instant::now();
        let megabytes = runtime.block_on(async {
            let client = connect(url).await?;
            client
                .batch_execute(
                    "create extension if not exists pg_trgm; drop table if exists bench_names; \
                     create unlogged table bench_names (place int not null, name text not null); \
                     set maintenance_work_mem = '512MB'",
                )
                .await
                .map_err(sentence)?;
            for (chunk, page) in companies.chunks(ROWS).enumerate() {
                let mut places = Vec::new();
                let mut names: Vec<&str> = Vec::new();
                for (offset, company) in page.iter().enumerate() {
                    for name in std::iter::once(&company.name).chain(&company.former_names) {
                        places.push((chunk * ROWS + offset) as i32);
                        names.push(name);
                    }
                }
                client
                    .execute(
                        "insert into bench_names select * from unnest($1::int[], $2::text[])",
                        &[&places, &names],
                    )
                    .await
                    .map_err(sentence)?;
            }
            client
                .batch_execute(
                    "create index bench_names_trgm on bench_names using gin (name gin_trgm_ops); \
                     analyze bench_names",
                )
                .await
                .map_err(sentence)?;
            let row = client
                .query_one("select pg_total_relation_size('bench_names')", &[])
                .await
                .map_err(sentence)?;
            Ok::<f64, String>(row.get::<_, i64>(0) as f64 / 1e6)
        })?;
        let cost = Cost { seconds: started.elapsed().as_secs_f64(), megabytes };
        Ok(PgTrgm { url: url.to_owned(), cost })
    }
}

impl Contender for PgTrgm {
    fn name(&self) -> &'static str {
        "pg_trgm"
    }

    fn cost(&self) -> Cost {
        self.cost
    }

    fn caller(&self) -> Result<Box<dyn Caller + '_>, String> {
        let runtime = runtime()?;
        let (client, find) = runtime.block_on(async {
            let client = connect(&self.url).await?;
            let find = client
                .prepare(
                    "select place from bench_names where name % $1 \
                     order by similarity(name, $1) desc limit 10",
                )
                .await
                .map_err(sentence)?;
            Ok::<_, String>((client, find))
        })?;
        Ok(Box::new(Session { runtime, client, find }))
    }
}

struct Session {
    runtime: Runtime,
    client: Client,
    find: Statement,
}

impl Caller for Session {
    fn ask(&mut self, text: &str) -> Result<Answers, String> {
        let rows =
            self.runtime.block_on(self.client.query(&self.find, &[&text])).map_err(sentence)?;
        Ok(rows.iter().map(|row| row.get::<_, i32>(0) as u32).collect())
    }
}
