// One load against one address, in a process of its own so that its CPU time is not the server's.
import autocannon from 'autocannon';

process.once('message', async ({ seconds, ...load }) => {
  const request = { ...load, ...apart(load) };
  await autocannon({ ...request, duration: 2 });
  process.send({ warm: true });
  const result = await autocannon({ ...request, duration: seconds });
  process.send({
    perSecond: result.requests.average,
    requests: result.requests.total,
    p50: result.latency.p50,
    p99: result.latency.p99,
    refused: result.non2xx + result.errors,
  });
  process.disconnect();
});

/** Lets connections that have several requests to make begin with different ones, as callers do. */
function apart({ requests, connections }) {
  if (requests === undefined) return {};
  let place = 0;
  const setupClient = (client) => {
    const first = Math.floor((requests.length * (place++ % connections)) / connections);
    client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
  };
  return { setupClient };
}
