import type { AuditAction } from '@certloop/contracts';
import type { Response } from 'supertest';
import type { Operation } from '../../../src/access/route-needs.js';
import type { TestApp } from '../../support/app.js';
import { addFqdn, addSpace } from '../../support/inventory.js';

/** A request that must be answered as the contract says. */
export interface Asked {
  /** Answer of the service. */
  readonly answer: Pick<Response, 'status' | 'headers' | 'body'>;
  /** The entry that it must leave; an operation that writes and leaves none says why. */
  readonly leaves?: AuditAction | { readonly nothingBecause: string };
}

/** A request for each of some operations. */
export type Requests<Of extends Operation> = Readonly<Record<Of, (app: TestApp) => Promise<Asked>>>;

/** The requests, in a type that names their operations. */
export function requestsTo<Of extends Operation>(requests: Requests<Of>): Requests<Of> {
  return requests;
}

export function ask(app: TestApp, method: 'get' | 'post' | 'put' | 'delete', path: string) {
  return app.request[method](path).set(app.people.ada.auth);
}

export async function read(app: TestApp, path: string): Promise<Asked> {
  return { answer: await ask(app, 'get', path) };
}

export async function newFqdn(app: TestApp) {
  return addFqdn(app, (await addSpace(app)).id);
}
