import { type AppError, InvalidInput, Unauthenticated } from '@certloop/contracts';
import { receiveBytes } from '@certloop/server';
import type { Request, Response } from 'express';
import type { KeyKind } from './api-key.js';
import type { ApiVersion, Caller } from './caller.js';
import { type IdentifyDeps, type Identity, identifyProject, verifyKey } from './identify-project.service.js';
import { type JsonObject, parseJsonObject } from './json-object.js';

/** Largest body of a management request, in octets. */
export const maxBodyBytes = 2_621_440;
/** Largest body that is read for a key in it, in octets. */
const maxBytesForKey = 65_536;

interface ApiRequest {
  readonly operation: string;
  readonly request: Request;
  readonly response: Response;
}

/** Operations of the management API for which read-only access is enough. */
export const openToReaders: ReadonlySet<string> = new Set([
  'listChecks',
  'getCheck',
  'listFlips',
  'listBadges',
  'getOwnKey',
]);

/**
 * Identifies the caller. The key in the header is looked up first, and decides how much of a body is read. If it is not
 * valid, the body is judged before the key, since the key may stand in it: a header, even an empty one, wins over it.
 * Only POST bodies count.
 */
export function callerOf(deps: IdentifyDeps, version: ApiVersion) {
  return async ({ operation, request, response }: ApiRequest): Promise<Caller> => {
    const needed: KeyKind = openToReaders.has(operation) ? 'read-only' : 'read-write';
    const sent = request.get('x-api-key');
    const judged = await verifyKey(deps, sent ?? '', needed);
    const body =
      request.method === 'POST' ? await receiveObject(request, response, boundsFor(judged, sent)) : {};
    if (!(judged instanceof Unauthenticated)) return { ...judged, version, body };
    if (sent !== undefined) throw judged;
    return { ...(await identifyProject(deps, textOf(body['api_key']), needed)), version, body };
  };
}

interface BodyBounds {
  readonly maxBytes: number;
  /** Error with which a larger body is rejected. */
  readonly refusal: AppError;
}

const boundsOfHolders = (): BodyBounds => ({
  maxBytes: maxBodyBytes,
  refusal: new InvalidInput(`request body is larger than ${maxBodyBytes} bytes`),
});

function boundsFor(judged: Identity | Unauthenticated, sent: string | undefined): BodyBounds {
  if (!(judged instanceof Unauthenticated)) return boundsOfHolders();
  if (sent !== undefined) return { maxBytes: maxBytesForKey, refusal: judged };
  const wayOut = `a body of more than ${maxBytesForKey} bytes needs it in the header X-Api-Key`;
  return { maxBytes: maxBytesForKey, refusal: new Unauthenticated(`${judged.message}: ${wayOut}`) };
}

/** The key as text; a JSON number may be one. Empty for other types. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * Object in the body of a request; none without a body. Reads the bytes as they came, whatever the headers say of them:
 * other services of this API family look at neither. Throws InvalidInput, and the refusal of a larger body.
 */
export async function receiveObject(
  request: Request,
  response: Response,
  { maxBytes, refusal }: BodyBounds = boundsOfHolders(),
): Promise<JsonObject> {
  delete request.headers['content-encoding'];
  try {
    return parseJsonObject(await receiveBytes(request, response, maxBytes));
  } catch (error) {
    throw error instanceof Error && 'type' in error && error.type === 'entity.too.large' ? refusal : error;
  }
}
