import type { Server } from 'node:http';
import { allowedMethods, checkMonitorContract } from '@certloop/contracts';
import { answerUnparsed as answerUnparsedBy } from '@certloop/server';

/** Makes the server answer what Node keeps from every handler, as the management API answers refusals. */
export function answerUnparsed(server: Server): void {
  answerUnparsedBy(server, {
    allowOf,
    describe: ({ message }) => ({ contentType: 'application/json', body: { error: message } }),
  });
}

function allowOf(path: string): string | undefined {
  if (path.startsWith('/ping/')) return 'GET, HEAD, POST, PUT, OPTIONS';
  const [, below] = /^\/api\/v[123](\/.*)$/.exec(path) ?? [];
  return below === undefined ? undefined : allowedMethods(checkMonitorContract, below);
}
