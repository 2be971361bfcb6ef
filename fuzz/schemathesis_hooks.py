"""Media types of this API that Schemathesis does not know."""

import schemathesis

schemathesis.serializer.alias("application/x-ndjson", "text/plain")
