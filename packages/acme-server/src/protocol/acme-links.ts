import type { AcmeEndpoint } from '@certloop/contracts';

/** Paths of the server below its base; `:id` and the like stand for parameters. */
export const acmePaths = {
  directory: '/directory',
  newNonce: '/new-nonce',
  newAccount: '/new-account',
  newOrder: '/new-order',
  newAuthz: '/new-authz',
  revokeCert: '/revoke-cert',
  keyChange: '/key-change',
  renewalInfo: '/renewal-info',
  renewalInfoOf: '/renewal-info/:certId',
  account: '/accounts/:id',
  accountOrders: '/accounts/:id/orders',
  order: '/orders/:id',
  finalize: '/orders/:id/finalize',
  authorization: '/authorizations/:id',
  challenge: '/challenges/:id/:type',
  certificate: '/certificates/:id',
  alternateChain: '/certificates/:id/:chain',
  issuer: '/issuers/:chain',
  root: '/roots/:chain',
} as const satisfies Readonly<Record<AcmeEndpoint, string>>;

export type AcmePath = AcmeEndpoint;

/** Where ACME begins on the service. */
export const acmeMount = '/acme';

/** Every address that the server issues. */
export interface AcmeLinks {
  /** Such as `http://127.0.0.1:3002`, as the client wrote it. */
  readonly base: string;
  /** Absolute address of a resource. */
  of(path: AcmePath, parameters?: Readonly<Record<string, string>>): string;
  /** Identifier in an account's address, undefined when it is none of this server. */
  accountIdOf(address: string): string | undefined;
}

export function acmeLinks(base: string): AcmeLinks {
  const accounts = `${base}${acmeMount}${acmePaths.account}`.replace(':id', '');
  return {
    base,
    of: (path, parameters = {}) =>
      `${base}${acmeMount}${acmePaths[path].replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? '')}`,
    accountIdOf: (address) => {
      const id = address.startsWith(accounts) ? address.slice(accounts.length) : '';
      return /^[\w-]+$/.test(id) ? id : undefined;
    },
  };
}

/** Value of a Link header field (RFC 8288). */
export const link = (address: string, relation: string): string => `<${address}>;rel="${relation}"`;
