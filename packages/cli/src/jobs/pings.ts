import { AppError, abortAfter, InvalidInput, NotFound, UpstreamFailed } from '@certloop/contracts';
import type { Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { findCheck } from '../lookup.js';

/** The ping address of a check, which may also be named by its name, slug or uuid. */
export async function pingAddress({ monitor }: Session, named: string): Promise<string> {
  if (/^https?:\/\//.test(named)) {
    if (!URL.canParse(named)) throw new UsageError(`${named} is not an address`);
    return named.replace(/\/+$/, '');
  }
  return (await findCheck(monitor, named)).ping_url;
}

/** Sends one ping. Throws AppError: `too_many_requests` with Retry-After, UpstreamFailed for 5xx and no answer. */
export async function sendPing({ fetchFrom }: Session, address: string, body: string): Promise<void> {
  const request = { method: 'POST', body, signal: abortAfter(10_000) };
  const response = await fetchFrom('check-monitor')(address, request);
  await response.arrayBuffer();
  if (!response.ok) throw refusalOf(response);
}

function refusalOf({ status, headers }: Response): AppError {
  if (status === 404) return new NotFound('there is no check with this ping address');
  const message = `check-monitor answered the ping with ${status}`;
  const retryAfter = headers.get('retry-after');
  const details = retryAfter === null ? {} : { headers: { 'Retry-After': retryAfter } };
  if (status === 429) return new AppError('too_many_requests', message, details);
  return status >= 500 ? new UpstreamFailed(message, details) : new InvalidInput(message);
}
