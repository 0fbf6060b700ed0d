import type { Server } from 'node:http';
import { allowedMethods, dummyCaContract } from '@certloop/contracts';
import { answerUnparsed as answerUnparsedBy } from '@certloop/server';
import { errorText } from './error-body.js';

/** Answers requests that Node rejects before any handler, in the error format of the API. */
export function answerUnparsed(server: Server): void {
  answerUnparsedBy(server, {
    allowOf: (path) => allowedMethods(dummyCaContract, path),
    describe: ({ message }, path) => errorText(path, message),
  });
}
