// Process that asks a service again and again whether it lives, one request after the other, and gives the longest wait
// of each stretch of time: { url } begins, 'next' gives { maxMs } since the last message.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../measuring/measure.mjs';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let maxMs = 0;

process.on('message', (message) => {
  if (message === 'next') {
    process.send({ maxMs });
    maxMs = 0;
  } else void askAgainAndAgain(message.url);
});

async function askAgainAndAgain(url) {
  for (;;) {
    const start = performance.now();
    await exchange(agent, { url });
    maxMs = Math.max(maxMs, performance.now() - start);
    await sleep(2);
  }
}
