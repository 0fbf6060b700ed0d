import { setTimeout as delay } from 'node:timers/promises';
import type { AcmePath } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import type { NextFunction, Request, Response } from 'express';
import type { Nonces } from '../nonces.service.js';
import type { Fault } from './fault.js';
import type { FaultsStore } from './faults.store.js';

/** Counts the request, and lets what goes wrong at the endpoint go wrong before its own handler runs. */
export function faultsAt(path: AcmePath, faults: FaultsStore, nonces: Nonces) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    response.once('close', () => faults.count(path, response.writableFinished ? response.statusCode : 0));
    const late = faults.take(path, 'delay');
    if (late !== undefined) await delay(late.seconds * 1000);
    const struck = faults.take(path, ...(request.method === 'POST' ? forSigned : forAll));
    if (struck === undefined) return next();
    if (struck.fault === 'drop') return drop(struck, response, next);
    // A refusal, too, issues a nonce that is good for the next attempt (RFC 8555 §6.5).
    if (request.method === 'POST') response.setHeader('Replay-Nonce', nonces.issue());
    throw refusalOf(struck);
  };
}

const forAll = ['status', 'drop'] as const;
const forSigned = [...forAll, 'badNonce'] as const;

function drop({ when }: Extract<Fault, { fault: 'drop' }>, response: Response, next: NextFunction): void {
  if (when === 'before') {
    response.socket?.destroy();
    return;
  }
  // Nothing of an answer is out before its end.
  response.end = () => {
    response.socket?.destroy();
    return response;
  };
  next();
}

function refusalOf(fault: Extract<Fault, { fault: 'status' | 'badNonce' }>): AcmeProblem {
  if (fault.fault === 'badNonce') return new AcmeProblem('badNonce', 'the nonce is refused on request');
  const { status, retryAfterSeconds } = fault;
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  if (status === 429) return new AcmeProblem('rateLimited', 'too many requests, on request', { headers });
  const kind = status === 500 ? 'internal' : 'unavailable';
  return new AcmeProblem('serverInternal', 'the server fails on request', { kind, headers });
}
