import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import type { Notices } from '../../events/notices.service.js';
import type { ServedFqdnRow } from './served-fqdns.repository.js';

type ServedFqdn = Pick<ServedFqdnRow, 'id' | 'spaceId' | 'fqdn'>;

/** The newest certificate of an FQDN, served at all addresses for the first time. */
export interface InService {
  readonly certificate: Pick<CertificateRow, 'id' | 'serialNumber' | 'expiresAt'>;
  /** From storing it until it was served at all addresses. */
  readonly seconds: number;
  readonly addresses: number;
}

/** Records what people and programs should know of served certificates, in the transaction that stores it. */
export interface ServedNews {
  /** The targets of the FQDN are at fault in these words, and were not before. */
  readonly drifted: (tx: Tx, fqdn: ServedFqdn, fault: string) => Promise<void>;
  readonly inService: (tx: Tx, fqdn: ServedFqdn, inService: InService) => Promise<void>;
}

/** Records nothing without a destination of notices. */
export function createServedNews(notices: Notices | undefined, clock: Clock): ServedNews {
  return {
    drifted: async (tx, { id: fqdnId, spaceId, fqdn }, fault) => {
      const message = `${fqdn} is not served as it should be. ${fault.replaceAll('\n', ' ')}`;
      await notices?.record(tx, {
        type: 'served.drifted',
        subject: fqdnId,
        spaceId,
        // once a day: a server between two states would be news at each probe
        onceKey: `served.drifted:${fqdnId}:${clock.now().toISOString().slice(0, 10)}`,
        data: { message, fqdn, fqdnId, spaceId },
      });
    },
    inService: async (tx, { id: fqdnId, spaceId, fqdn }, { certificate, seconds, addresses }) => {
      const { id: certificateId, serialNumber, expiresAt } = certificate;
      const message = `All addresses of the targets of ${fqdn} serve certificate ${serialNumber}.`;
      await notices?.record(tx, {
        type: 'served.in_service',
        subject: fqdnId,
        spaceId,
        onceKey: `served.in_service:${certificateId}`,
        data: {
          message,
          fqdn,
          fqdnId,
          spaceId,
          certificateId,
          serialNumber,
          addresses,
          expiresAt: expiresAt.toISOString(),
          secondsToInService: Math.round(seconds),
        },
      });
    },
  };
}
