import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RevocationReasonName } from '@certloop/contracts';
import { parseCertificate, splitChain } from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import { textOf } from '../small-server.js';
import { createCounted, createGate } from './held-answers.js';

/** How the CA answers what concerns revocations. */
export type RevokingManner =
  | 'normally'
  | 'with a fault'
  | 'never'
  /** Revokes, and never says so. */
  | 'with silence'
  /** As without DUMMY_CA_ADMIN. */
  | 'without administration'
  | 'when let go';

interface Revocation {
  readonly at: string;
  readonly reason: RevocationReasonName;
}

/** Revocations of a CA with the API of the dummy one, which can also misbehave. */
export interface FakeRevocations {
  answer(manner: RevokingManner): void;
  /** Lets the answers go that wait for it. */
  release(): void;
  /** Reasons by serial number, in the order of the revocations. */
  reasons(): readonly (readonly [string, RevocationReasonName])[];
  /** Revokes without anyone's request, as an operator of the CA would. */
  revoke(serialNumber: string, reason: RevocationReasonName): void;
  /** Resolves when so many certificates are revoked. */
  hasRevoked(count: number): Promise<void>;
  /** Answers a request for the path; false for one that does not concern revocations. */
  handle(path: string, request: IncomingMessage, response: ServerResponse): boolean;
}

export function createFakeRevocations(clock: Clock, issuedPems: () => Iterable<string>): FakeRevocations {
  const revoked = new Map<string, Revocation>();
  let manner: RevokingManner = 'normally';
  const gate = createGate();
  const counted = createCounted(() => revoked.size);

  const isKnown = (serialNumber: string) => [...issuedPems()].some((pem) => serialOf(pem) === serialNumber);
  const insert = (serialNumber: string, reason: RevocationReasonName) => {
    revoked.set(serialNumber, { at: clock.now().toISOString(), reason });
    counted.note();
  };
  const statusOf = (serialNumber: string) => {
    const found = revoked.get(serialNumber);
    const status = { serial_number: serialNumber, issuer: 'root', not_after: clock.now().toISOString() };
    if (found === undefined) return { ...status, status: 'good' };
    return { ...status, status: 'revoked', revoked_at: found.at, reason: found.reason };
  };
  const revoke = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await textOf(request)) as { serialNumber: string; reason: RevocationReasonName };
    const { serialNumber, reason } = body;
    if (manner === 'when let go') await gate.wait();
    if (manner === 'without administration') return answer(response, 404, 'no such page');
    if (!isKnown(serialNumber)) return answer(response, 404, 'no such certificate');
    if (revoked.has(serialNumber)) return answer(response, 409, 'the certificate is already revoked');
    insert(serialNumber, reason);
    if (manner !== 'with silence') answer(response, 201, statusOf(serialNumber));
  };
  const show = (serialNumber: string, response: ServerResponse) => {
    if (!isKnown(serialNumber)) return answer(response, 404, 'no such certificate');
    return answer(response, 200, statusOf(serialNumber));
  };
  const statusPath = '/certificate-status/';
  return {
    answer: (next) => {
      manner = next;
    },
    release: gate.release,
    reasons: () => [...revoked].map(([serialNumber, { reason }]) => [serialNumber, reason] as const),
    revoke: insert,
    hasRevoked: counted.reached,
    handle: (path, request, response) => {
      const isStatus = path.startsWith(statusPath);
      if (!isStatus && path !== '/admin/revocations') return false;
      if (manner === 'with a fault') answer(response, 500, 'out of order');
      else if (manner === 'never') return true;
      else if (isStatus) show(path.slice(statusPath.length), response);
      else void revoke(request, response);
      return true;
    },
  };
}

/** Hex of the serial number of the leaf of a PEM text. */
export function serialOf(pem: string): string {
  const [der = Buffer.alloc(0)] = splitChain(pem);
  return parseCertificate(der).serialNumber;
}

function answer(response: ServerResponse, status: number, body: object | string): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
}
