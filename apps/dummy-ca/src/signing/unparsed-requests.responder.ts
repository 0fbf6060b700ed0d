import type { Server } from 'node:http';
import { allowedMethods, dummyCaContract } from '@certloop/contracts';
import { answerUnparsed as answerUnparsedBy } from '@certloop/server';
import { errorText } from './error-body.js';

/** Makes the server answer what Node keeps from every handler, in the API's own shape. */
export function answerUnparsed(server: Server): void {
  answerUnparsedBy(server, {
    allowOf: (path) => allowedMethods(dummyCaContract, path),
    describe: ({ message }, path) => errorText(path, message),
  });
}
