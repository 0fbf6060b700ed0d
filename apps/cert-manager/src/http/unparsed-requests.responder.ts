import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { allowedMethods, certManagerContract } from '@certloop/contracts';
import { answerUnparsed as answerUnparsedBy } from '@certloop/server';
import { describeProblem } from './problem.js';

/** Makes the server answer what Node keeps from every handler, as a problem document. */
export function answerUnparsed(server: Server): void {
  answerUnparsedBy(server, {
    allowOf: (path) => allowedMethods(certManagerContract, path),
    describe: (refusal, path) => ({
      contentType: 'application/problem+json',
      body: describeProblem(refusal, path, randomUUID()),
    }),
  });
}
