// Reads the stream of events with npm's eventsource, and prints the number of each event.
// PANJI_BASE_URL and PANJI_API_KEY name the program and a test key.
import { EventSource } from "eventsource";

const types = process.env.EVENT_TYPES.split(",");
const source = new EventSource(`${process.env.PANJI_BASE_URL}/v1/events/stream?after=0`, {
  fetch: (input, init) =>
    fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${process.env.PANJI_API_KEY}` } }),
});
for (const type of types) source.addEventListener(type, (event) => console.log(JSON.parse(event.data).seq, event.type));
// While it waits to connect again, eventsource does not keep Node running.
setInterval(() => {}, 60_000);
