import type { KeyedLimiter } from '@certloop/server';
import type { Pause } from '../orders/order-run.service.js';
import type { DnsBackend } from './dns-backend.js';
import { type PropagationTerms, waitForRecord } from './dns-propagation.client.js';
import { type DnsUpdateSettings, sendDnsUpdate, tryDnsUpdate } from './dns-update.client.js';
import {
  type AcmeDnsSettings,
  callWebhook,
  getStatus,
  updateAcmeDns,
  type WebhookSettings,
} from './dns-webhook.client.js';

interface BackendDeps {
  readonly propagation: PropagationTerms;
  readonly pause: Pause;
  /** Orders of one name take turns, as some servers read and write a whole set of records. */
  readonly limitByName: KeyedLimiter;
}

/** Zone that a server of lego's httpreq contract manages. */
export function webhookBackend(settings: WebhookSettings, deps: BackendDeps): DnsBackend {
  return backendOf(deps, {
    present: (record, source) => callWebhook(settings, 'present', record, source),
    cleanUp: (record, source) => callWebhook(settings, 'cleanup', record, source),
    probe: async () => `the DNS webhook answers with ${await getStatus('the DNS webhook', settings)}`,
  });
}

/** Zone of an acme-dns server. */
export function acmeDnsBackend(settings: AcmeDnsSettings, deps: BackendDeps): DnsBackend {
  const backend = backendOf(deps, {
    present: (record) => updateAcmeDns(settings, record),
    cleanUp: async () => undefined,
    probe: async () => `acme-dns answers with ${await getStatus('acme-dns', settings)}`,
  });
  const { fullDomain } = settings;
  if (fullDomain === undefined) return backend;
  return {
    ...backend,
    propagated: async (record) =>
      record.name === fullDomain
        ? backend.propagated(record)
        : `${record.name} does not lead to ${fullDomain} by CNAME`,
  };
}

/** Zone of a name server that takes signed updates (RFC 2136, RFC 8945). */
export function updateBackend(settings: DnsUpdateSettings, deps: BackendDeps): DnsBackend {
  return backendOf(deps, {
    present: (record) => sendDnsUpdate(settings, 'add', record),
    cleanUp: (record) => sendDnsUpdate(settings, 'delete', record),
    probe: () => tryDnsUpdate(settings),
  });
}

function backendOf(
  { propagation, pause, limitByName }: BackendDeps,
  { present, cleanUp, probe }: Pick<DnsBackend, 'present' | 'cleanUp' | 'probe'>,
): DnsBackend {
  return {
    nameOf: (name) => propagation.view.effectiveName(name),
    probe,
    present: (record, source) => limitByName(record.name, () => present(record, source)),
    cleanUp: (record, source) => limitByName(record.name, () => cleanUp(record, source)),
    propagated: (record) => waitForRecord(propagation, pause, record),
  };
}
