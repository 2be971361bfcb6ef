//! PostgreSQL's trigrams: similar names, ordered by similarity.

use std::time::Instant;

use panji_bench::companies::Company;
use panji_bench::golden::score::Results;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, Statement};

use super::search_system::{Caller, Cost, SearchSystem};

pub struct PgTrgm {
    url: String,
    cost: Cost,
}

/// Names per statement.
const ROWS: usize = 50_000;

async fn connect(url: &str) -> anyhow::Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn runtime() -> anyhow::Result<Runtime> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    Ok(runtime?)
}

impl PgTrgm {
    pub fn build(companies: &[Company], url: &str) -> anyhow::Result<PgTrgm> {
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
                .await?;
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
                    .await?;
            }
            client
                .batch_execute(
                    "create index bench_names_trgm on bench_names using gin (name gin_trgm_ops); \
                     analyze bench_names",
                )
                .await?;
            let row = client.query_one("select pg_total_relation_size('bench_names')", &[]).await?;
            anyhow::Ok(row.get::<_, i64>(0) as f64 / 1e6)
        })?;
        let cost = Cost { seconds: started.elapsed().as_secs_f64(), megabytes };
        Ok(PgTrgm { url: url.to_owned(), cost })
    }
}

impl SearchSystem for PgTrgm {
    fn name(&self) -> &'static str {
        "pg_trgm"
    }

    fn cost(&self) -> Cost {
        self.cost
    }

    fn caller(&self) -> anyhow::Result<Box<dyn Caller + '_>> {
        let runtime = runtime()?;
        let (client, find) = runtime.block_on(async {
            let client = connect(&self.url).await?;
            let find = client
                .prepare(
                    "select place from bench_names where name % $1 \
                     order by similarity(name, $1) desc limit 10",
                )
                .await?;
            anyhow::Ok((client, find))
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
    fn ask(&mut self, text: &str) -> anyhow::Result<Results> {
        let rows = self.runtime.block_on(self.client.query(&self.find, &[&text]))?;
        Ok(rows.iter().map(|row| row.get::<_, i32>(0) as u32).collect())
    }
}
