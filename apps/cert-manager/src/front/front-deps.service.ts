import type { SignedRequest } from '@certloop/acme-server';
import type { RevocationReasonName } from '@certloop/contracts';
import type { KeyRing, Logger } from '@certloop/server';
import type { Caller, Origin } from '../access/caller.js';
import type { AcmeClientRow } from '../acme-clients/acme-client.js';
import { acmeClientCaller } from '../acme-clients/acme-client-caller.js';
import type { Denials } from '../audit/denials.service.js';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import type { DbDeps } from '../db-deps.js';
import type { FqdnEvents } from '../fqdns/fqdns.service.js';
import type { IssuanceRunner } from '../issuance/jobs/issuance-runner.service.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import { requestOriginOf } from '../users/callers/caller.middleware.js';
import type { CountOrder } from './count-order.js';
import type { FrontAccount, FrontCertificate, FrontOrder } from './front-records.service.js';
import type { LineageEvents } from './lineages/lineage-events.service.js';
import type { FrontNonces } from './nonces/front-nonces.service.js';
import type { ClientCsr } from './orders/judge-csr.service.js';

/** Records of the front as its ACME server knows them. */
export interface FrontRecords {
  readonly account: FrontAccount;
  readonly order: FrontOrder;
  readonly certificate: FrontCertificate;
  readonly binding: AcmeClientRow;
  readonly terms: undefined;
  readonly csr: ClientCsr;
}

export type FrontRequest = SignedRequest<FrontAccount>;

export interface FrontDeps extends DbDeps, FrontPorts {
  readonly logger: Logger;
  readonly nonces: FrontNonces;
  readonly denials: Denials;
  /** Keys that encrypt those of the clients; undefined where there are no clients. */
  readonly keyRing: KeyRing | undefined;
  readonly emit: FqdnEvents & LineageEvents;
  readonly countOrder: CountOrder;
  readonly opener: ProviderOpener;
  readonly runner: IssuanceRunner;
}

/** Ports that later slices implement. */
export interface FrontPorts {
  /** Returns when the scheduler would renew the certificate, by the window of its CA where that gives one. */
  renewalWindow(certificate: CertificateRow): Promise<{ readonly start: Date; readonly end: Date }>;
  /**
   * Revokes a certificate for a client whose right was judged, once its CA has. Throws Conflict if it is revoked already,
   * InvalidInput if its CA cannot revoke it, and UpstreamFailed.
   */
  revoke(caller: Caller, certificate: CertificateRow, reason: RevocationReasonName): Promise<void>;
}

/** Where a signed request came from. */
export function originOfRequest({ exchange }: Pick<FrontRequest, 'exchange'>): Origin {
  const { res: response } = exchange;
  if (response === undefined) throw new TypeError('a request has a response');
  return requestOriginOf(exchange, response);
}

/** The client as the caller of what the request asks for. */
export function callerOfClient(
  client: Pick<AcmeClientRow, 'id' | 'name'>,
  request: Pick<FrontRequest, 'exchange'>,
): Caller {
  return acmeClientCaller(client, originOfRequest(request));
}
