"""Media types of ours that Schemathesis does not know."""

import schemathesis

schemathesis.serializer.alias("application/x-ndjson", "text/plain")
