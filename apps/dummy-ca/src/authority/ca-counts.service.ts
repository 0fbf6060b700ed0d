import type { Metrics } from '@certloop/server';
import type { CertificatesStore } from './certificates.store.js';

/** Metrics of the authority, in addition to those of requests that every service has. */
export type CaCounts = ReturnType<typeof createCaCounts>;

export function createCaCounts(metrics: Metrics, certificates: CertificatesStore) {
  metrics.gaugesOf({
    name: 'dummy_ca_certificates',
    gauges: {
      inMemory: { name: 'dummy_ca_certificates_kept', help: 'Certificates in memory', labels: [] },
    },
    read: async () => ({ inMemory: [{ labels: {}, value: certificates.size }] }),
  });
  return {
    /** `way` is `csr` or `acme`, `key` the kind of key that is certified. */
    countIssued: metrics.counter({
      name: 'dummy_ca_certificates_issued_total',
      help: 'Certificates issued, by POST /csr or by ACME',
      labels: ['way', 'key'],
    }),
    countRevoked: metrics.counter({
      name: 'dummy_ca_revocations_total',
      help: 'Certificates revoked, by ACME or by the administrative API',
      labels: ['issuer', 'reason'],
    }),
    /** `outcome` is `placed`, `issued` or `failed`. */
    countOrder: metrics.counter({
      name: 'dummy_ca_acme_orders_total',
      help: 'Orders placed by ACME, and those that came to an end by finalize',
      labels: ['outcome'],
    }),
    /** `outcome` is `valid`, or the type of the problem. */
    countChallenge: metrics.counter({
      name: 'dummy_ca_acme_challenges_total',
      help: 'Challenges that were validated, by outcome',
      labels: ['type', 'outcome'],
    }),
    countFault: metrics.counter({
      name: 'dummy_ca_faults_total',
      help: 'Requests that a fault struck on demand',
      labels: ['fault', 'endpoint'],
    }),
  };
}
