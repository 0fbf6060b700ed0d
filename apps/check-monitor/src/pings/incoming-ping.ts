import { InvalidInput } from '@certloop/contracts';
import { isUuid } from '../storable-text.js';
import type { Origin } from './client-address.js';
import type { PingAddress } from './ping-address.js';
import type { MailPing } from './signal.js';

/** A ping as it came in over HTTP, or by mail. */
export interface IncomingPing {
  readonly address: PingAddress;
  readonly origin: Origin;
  readonly method: string;
  readonly userAgent: string;
  /** First bytes of the body, as many as are stored. */
  readonly body: Buffer;
  /** Parts of a mail that decide its signal; absent for HTTP. */
  readonly mail?: MailPing;
}

/** Code of a refusal that concerns a check that exists. */
export const knownCheck = 'known_check';

/** Exit status of an address; null without one. Throws InvalidInput above 255. */
export function readExitStatus({ exitStatus }: PingAddress): number | null {
  if (exitStatus === undefined) return null;
  const status = Number(exitStatus);
  if (status > 255) throw new InvalidInput('invalid url format', { code: knownCheck });
  return status;
}

/** Run id of an address in lower case; null without one. Throws InvalidInput for anything that is not a UUID. */
export function readRunId(address: PingAddress): string | null {
  const runId = address.runId?.toLowerCase();
  if (runId === undefined) return null;
  if (!isUuid(runId)) throw new InvalidInput('invalid uuid format', { code: knownCheck });
  return runId;
}

/** Refusal of an address that can name no check. */
export function wrongUrl(): InvalidInput {
  return new InvalidInput('invalid url format');
}
