import type { AcmeRecords, SignedRequest, SignedRoute } from '@certloop/acme-server';
import type { AcmeCsr } from '@certloop/acme-server/rules';
import type { CsrProfile } from '@certloop/contracts';
import type { Clock, Logger } from '@certloop/server';
import type { CaCounts } from '../authority/ca-counts.service.js';
import type { CertificatesStore } from '../authority/certificates.store.js';
import type { StatusDeps } from '../status/status-deps.service.js';
import type { AcmeSettings } from './acme-settings.js';
import type { FaultsStore } from './faults/faults.store.js';
import type { AcmeIssuer } from './issuance/acme-issuer.service.js';
import type { OrderTerms } from './issuance/acme-profile.js';
import type { Nonces } from './nonces.service.js';
import type { AcmeStore } from './records/acme.store.js';
import type { Account, AcmeCertificate, Order } from './records/records.js';
import type { ValidateChallenge } from './validation/validate-challenge.client.js';

/** Dependencies of the use cases of ACME. */
export interface AcmeDeps {
  readonly store: AcmeStore;
  /** Where certificates of every way of issuing are found by their id. */
  readonly certificates: CertificatesStore;
  /** The register of revocations, which is the one of the whole authority. */
  readonly status: StatusDeps;
  readonly counts: CaCounts;
  readonly nonces: Nonces;
  readonly issuer: AcmeIssuer;
  readonly validate: ValidateChallenge;
  readonly faults: FaultsStore;
  readonly settings: AcmeSettings;
  /** Rules that the CSR of an order must keep; undefined for none. */
  readonly lint: CsrProfile | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Records of this CA, and values that pass through the ports of the server. */
export interface DummyRecords extends AcmeRecords {
  readonly account: Account;
  readonly order: Order;
  readonly certificate: AcmeCertificate;
  readonly terms: OrderTerms;
  readonly csr: AcmeCsr;
}

/** A request that an account of this server, or a key, signed. */
export type AcmeRequest = SignedRequest<Account>;
export type AcmeRoute = SignedRoute<Account>;
