import { linksFor, ok, sendReply } from '@certloop/acme-server';
import type { AcmeLinks, AcmePath } from '@certloop/acme-server/rules';
import { type AcmeDirectory, AcmeProblem } from '@certloop/contracts';
import type { Request, Response } from 'express';
import type { AcmeDeps, AcmeRoute } from './acme-deps.service.js';
import type { AcmeSettings } from './acme-settings.js';
import { showIssuer, showRoot } from './certificates/certificates.service.js';
import { showRenewalInfo } from './certificates/renewal-info.service.js';
import { describeProfile } from './issuance/acme-profile.js';

type PlainHandler = (request: Request, response: Response) => Promise<void>;

/**
 * Returns the routes that need no signature, which also answer a POST-as-GET: directory and newNonce must (RFC 8555
 * §6.3), and an issuer is among what clients fetch so.
 */
export function plainRoutes(
  deps: AcmeDeps,
  publicUrl: string | undefined,
): [AcmePath, PlainHandler, AcmeRoute['serve']?][] {
  return [
    [
      'directory',
      async (request, response) =>
        sendReply(response, ok(directoryView(linksFor(request, publicUrl), deps.settings))),
      async ({ links }) => ok(directoryView(links, deps.settings)),
    ],
    // Every answer to a signed request has a nonce.
    [
      'newNonce',
      async (request, response) => sendNonce(deps, request, response),
      async () => ({ status: 200 }),
    ],
    [
      'renewalInfoOf',
      async (request, response) =>
        sendReply(response, await showRenewalInfo(deps, parameter(request, 'certId'))),
    ],
    [
      'issuer',
      async (request, response) => sendReply(response, showIssuer(deps, parameter(request, 'chain'))),
      async (_, asked) => showIssuer(deps, parameter(asked, 'chain')),
    ],
    ['root', async (request, response) => sendReply(response, showRoot(deps, parameter(request, 'chain')))],
  ];
}

/** RFC 8555 §7.2: 200 for HEAD, 204 for GET. */
function sendNonce({ nonces }: AcmeDeps, request: Request, response: Response): void {
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
function directoryView(links: AcmeLinks, settings: AcmeSettings): AcmeDirectory {
  const { termsOfService, profiles, requireExternalAccount } = settings;
  return {
    newNonce: links.of('newNonce'),
    newAccount: links.of('newAccount'),
    newOrder: links.of('newOrder'),
    newAuthz: links.of('newAuthz'),
    revokeCert: links.of('revokeCert'),
    keyChange: links.of('keyChange'),
    renewalInfo: links.of('renewalInfo'),
    meta: {
      ...(termsOfService !== undefined && { termsOfService }),
      externalAccountRequired: requireExternalAccount,
      profiles: Object.fromEntries(profiles.map((profile) => [profile.name, describeProfile(profile)])),
    },
  };
}
