import { createServer } from 'node:net';

/** Each process of tests has ports of its own, as a program takes its port seconds after it was found free. */
const first = 15_000 + 1000 * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 8);
const count = 1000;
let next = Math.floor(Math.random() * count);

/**
 * A port that is free right now, below those that systems give to outgoing connections and to servers without a chosen
 * port. None is returned twice in a row of 1000, as programs take theirs later. No stack has reserved it: stacks take
 * theirs from 23000 on, and their processes hold at 127.0.0.2 what they have not taken yet.
 */
export async function freePort(): Promise<number> {
  const port = first + next;
  next = (next + 1) % count;
  return (await isFree(port, '127.0.0.1')) && (await isFree(port, '127.0.0.2')) ? port : freePort();
}

function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    // where there is no 127.0.0.2, as on macOS, nothing is reserved
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
