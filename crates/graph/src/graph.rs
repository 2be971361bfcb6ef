//! The current state of the graph, which many threads read while one replaces it.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use panji_generations::Generations;

use crate::base::Base;
use crate::builder::Builder;
use crate::error::GraphError;
use crate::file;
use crate::snapshot::GraphSnapshot;

/// Thread-safe access to the current graph.
pub struct Graph {
    generations: Option<Generations>,
    /// A reader holds the lock only while it takes a reference; nothing is computed under it.
    serving: RwLock<Arc<Serving>>,
}

pub(crate) struct Serving {
    pub snapshot: Arc<GraphSnapshot>,
    /// The name of its directory; none for a graph in memory, and after its files were removed.
    pub generation: Option<String>,
    /// Whether there is a graph at all.
    pub is_built: bool,
}

impl Graph {
    /// A graph in memory.
    pub fn in_memory(builder: Builder) -> Graph {
        let snapshot = Arc::new(GraphSnapshot::of(Arc::new(builder.finish(0))));
        Graph::serving(None, Serving { snapshot, generation: None, is_built: true })
    }

    /// Opens the current generation in a directory. If there is none, or it cannot be used, there is no
    /// graph until the follower has built one from the register.
    pub fn open(directory: &Path) -> Result<Graph, GraphError> {
        let generations = Generations::open(directory)?;
        let current =
            generations.current().and_then(|name| match file::read(&generations.path(&name)) {
                Ok(base) => Some(Serving::of(base, name)),
                Err(error) => {
                    tracing::warn!(%error, "the graph cannot be used and is rebuilt");
                    None
                }
            });
        let empty = || Serving {
            snapshot: Arc::new(GraphSnapshot::default()),
            generation: None,
            is_built: false,
        };
        Ok(Graph::serving(Some(generations), current.unwrap_or_else(empty)))
    }

    fn serving(generations: Option<Generations>, serving: Serving) -> Graph {
        Graph { generations, serving: RwLock::new(Arc::new(serving)) }
    }

    /// None for a graph in memory.
    pub fn generations(&self) -> Option<&Generations> {
        self.generations.as_ref()
    }

    pub(crate) fn current(&self) -> Arc<Serving> {
        self.serving.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the current graph; running questions finish on the old one.
    pub(crate) fn switch(&self, serving: Serving) {
        *self.serving.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(serving);
    }

    /// The current state; none before the first build is complete.
    pub fn snapshot(&self) -> Option<Arc<GraphSnapshot>> {
        let current = self.current();
        current.is_built.then(|| current.snapshot.clone())
    }

    /// The last change of the register in the graph; none before the first build is complete.
    pub fn indexed_change(&self) -> Option<i64> {
        self.snapshot().map(|snapshot| snapshot.seq)
    }
}

impl Serving {
    pub fn of(base: Base, generation: String) -> Serving {
        let snapshot = Arc::new(GraphSnapshot::of(Arc::new(base)));
        Serving { snapshot, generation: Some(generation), is_built: true }
    }
}
