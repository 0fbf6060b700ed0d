import { type AcmeDirectory, AcmeProblem } from '@certloop/contracts';
import type { Request, Response } from 'express';
import { showRenewalInfo } from '../certificates/renewal-info.service.js';
import type { AcmePorts, AcmeRecords, Nonces, ServerSettings } from '../ports.js';
import { type BaseOf, linksFor, sendReply } from '../protocol/acme-exchange.responder.js';
import type { AcmeLinks, AcmePath } from '../protocol/acme-links.js';
import { type AcmeReply, ok } from '../protocol/acme-reply.js';
import type { SignedRoute } from '../protocol/jws.middleware.js';
import type { Account } from '../records/records.js';

type PlainHandler = (request: Request, response: Response) => Promise<void>;

/** A route that needs no signature, and what answers its POST-as-GET if there is one. */
export type PlainRoute<A extends Account = Account> = readonly [
  AcmePath,
  PlainHandler,
  SignedRoute<A>['serve']?,
];

/**
 * Returns the routes that need no signature, which also answer a POST-as-GET: directory and newNonce must (RFC 8555
 * §6.3).
 */
export function plainRoutes<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  baseOf: BaseOf,
): readonly PlainRoute<T['account']>[] {
  return [
    [
      'directory',
      plainHandler(async (request) => ok(directoryView(linksFor(request, baseOf), ports.settings))),
      async ({ links }) => ok(directoryView(links, ports.settings)),
    ],
    // Every answer to a signed request has a nonce.
    [
      'newNonce',
      async (request, response) => sendNonce(ports.nonces, request, response),
      async () => ({ status: 200 }),
    ],
    [
      'renewalInfoOf',
      plainHandler(async (request) => showRenewalInfo(ports, parameter(request, 'certId'), request)),
    ],
  ];
}

/** Handler that sends the reply of a use case. */
export const plainHandler =
  (serve: (request: Request) => Promise<AcmeReply>): PlainHandler =>
  async (request, response) =>
    sendReply(response, await serve(request));

/** RFC 8555 §7.2: 200 for HEAD, 204 for GET. */
function sendNonce(nonces: Nonces, request: Request, response: Response): void {
  response.setHeader('Replay-Nonce', nonces.issue());
  response.status(request.method === 'HEAD' ? 200 : 204).end();
}

export function parameter({ params }: Request, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

export const refuseMethod = (allow: string) => (request: Request) => {
  throw new AcmeProblem('malformed', `${request.method} is not allowed here`, {
    kind: 'method_not_allowed',
    headers: { Allow: allow },
  });
};

/** Directory (RFC 8555 §7.1.1). */
function directoryView(links: AcmeLinks, settings: ServerSettings): AcmeDirectory {
  const { termsOfService, website, profiles, requireExternalAccount, hasNewAuthz } = settings;
  return {
    newNonce: links.of('newNonce'),
    newAccount: links.of('newAccount'),
    newOrder: links.of('newOrder'),
    ...(hasNewAuthz && { newAuthz: links.of('newAuthz') }),
    revokeCert: links.of('revokeCert'),
    keyChange: links.of('keyChange'),
    renewalInfo: links.of('renewalInfo'),
    meta: {
      ...(termsOfService !== undefined && { termsOfService }),
      ...(website !== undefined && { website }),
      externalAccountRequired: requireExternalAccount,
      ...(profiles !== undefined && { profiles }),
    },
  };
}
