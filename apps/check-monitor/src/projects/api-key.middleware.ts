import { InvalidInput } from '@certloop/contracts';
import { receiveBytes } from '@certloop/server';
import type { Request, Response } from 'express';
import type { KeyKind } from './api-key.js';
import type { ApiVersion, Caller } from './caller.js';
import { type IdentifyDeps, identifyProject } from './identify-project.service.js';
import { type JsonObject, parseJsonObject } from './json-object.js';

/** Largest body of a management request, in octets. */
export const maxBodyBytes = 2_621_440;

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
 * Identifies the caller. The body is judged before the key, since the key may stand in it: a header, even an empty one,
 * wins over it. Only POST bodies count.
 */
export function callerOf(deps: IdentifyDeps, version: ApiVersion) {
  return async ({ operation, request, response }: ApiRequest): Promise<Caller> => {
    const body = request.method === 'POST' ? await receiveObject(request, response) : {};
    const key = request.get('x-api-key') ?? textOf(body['api_key']);
    const needed: KeyKind = openToReaders.has(operation) ? 'read-only' : 'read-write';
    return { ...(await identifyProject(deps, key, needed)), version, body };
  };
}

/** The key as text; a JSON number may be one. Empty for other types. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * Object in the body of a request; none without a body. Reads the bytes as they came, whatever the headers say of them:
 * other services of this API family look at neither. Throws InvalidInput.
 */
export async function receiveObject(request: Request, response: Response): Promise<JsonObject> {
  delete request.headers['content-encoding'];
  try {
    return parseJsonObject(await receiveBytes(request, response, maxBodyBytes));
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new InvalidInput(`request body is larger than ${maxBodyBytes} bytes`);
    }
    throw error;
  }
}
