import { z } from 'zod';
import type { Contract, Endpoint } from '../endpoint.js';
import { type Client, type ClientOptions, createClient } from '../http/http.client.js';
import { openApiDocument } from '../openapi/openapi.js';
import { accountContract } from './account.js';
import { badgeContract, badgesContract } from './badges.js';
import { channelsContract } from './channels.js';
import { checksContract } from './checks.js';
import { earlierFlipsContract, flipsContract } from './flips.js';
import { keysContract } from './keys.js';
import { pingContract, pingLogContract } from './pings.js';
import { probesContract } from './probes.js';
import { errorBodySchema } from './replies.js';
import { accountBasePath, checkMonitorBasePath } from './words.js';

export * from './account.js';
export * from './account-checks.js';
export * from './account-console.js';
export * from './alert-reach.js';
export * from './badges.js';
export * from './change-checks.js';
export * from './channels.js';
export * from './checks.js';
export * from './flips.js';
export * from './keys.js';
export * from './pings.js';
export * from './probes.js';
export { type ErrorBody, errorBodySchema } from './replies.js';
export * from './words.js';

/** Every operation of the management API; paths are relative to `checkMonitorBasePath`. */
export const checkMonitorContract = {
  ...checksContract,
  ...pingLogContract,
  ...flipsContract,
  ...channelsContract,
  ...badgesContract,
  ...keysContract,
};

/** The same under `/api/v1` and `/api/v2`: flips stand within an object there. */
export const earlierCheckMonitorContract = { ...checkMonitorContract, ...earlierFlipsContract };

const jsonError = { contentType: 'application/json', schema: errorBodySchema };
const wordsOf = (contentType: string) => ({ contentType, schema: z.string() });

/** OpenAPI 3.1 document of the check-monitoring service: management API, ping addresses and badges; made once. */
export function checkMonitorOpenApi(): object {
  document ??= describeCheckMonitor();
  return document;
}

let document: object | undefined;

function describeCheckMonitor(): object {
  const contract: Contract = {
    ...atBasePath(checkMonitorBasePath, checkMonitorContract),
    ...atBasePath(accountBasePath, accountContract),
    ...pingContract,
    ...badgeContract,
    ...probesContract,
  };
  return openApiDocument(contract, {
    title: 'Check-monitoring service',
    version: '3',
    description:
      'Monitors periodic jobs by the pings that they send. Ping addresses accept GET, HEAD, POST and PUT. ' +
      'A change of a check leaves members unchanged that the request does not contain.',
    groups: {
      Checks: checksContract,
      Pings: { ...pingContract, ...pingLogContract },
      Flips: flipsContract,
      Integrations: channelsContract,
      Badges: { ...badgesContract, ...badgeContract },
      Keys: keysContract,
      Accounts: accountContract,
      Service: probesContract,
    },
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      session: { type: 'apiKey', in: 'cookie', name: '__Host-monitor_session' },
    },
    errorBody: errorBodyOf,
  });
}

/** Programs that ping read words, and pictures have none. */
function errorBodyOf({ path }: Endpoint) {
  if (path.startsWith('/ping/')) return wordsOf('text/html');
  return path.startsWith('/badge/') || path.startsWith('/b/') ? wordsOf('text/plain') : jsonError;
}

function atBasePath(base: string, contract: Contract): Contract {
  return Object.fromEntries(
    Object.entries(contract).map(([name, shape]) => [name, { ...shape, path: `${base}${shape.path}` }]),
  );
}

export interface CheckMonitorClientOptions extends ClientOptions {
  /** Key of the project, read-write or read-only. */
  readonly apiKey: string;
}

/** Typed client of the management API; `baseUrl` is the monitor's address without `/api/v3`. */
export function createCheckMonitorClient({
  apiKey,
  baseUrl,
  ...options
}: CheckMonitorClientOptions): Client<typeof checkMonitorContract> {
  return createClient(checkMonitorContract, {
    ...options,
    baseUrl: `${baseUrl.replace(/\/+$/, '')}${checkMonitorBasePath}`,
    headers: { 'x-api-key': apiKey, ...options.headers },
  });
}

/** Typed client of the ping addresses; `baseUrl` is the monitor's address. */
export function createPingClient(options: ClientOptions): Client<typeof pingContract> {
  return createClient(pingContract, options);
}
