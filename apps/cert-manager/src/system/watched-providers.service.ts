import { inSpan, type Metrics } from '@certloop/server';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import type { Provider, RevocationOrder, SignOutcome } from '../providers/provider.js';
import { kindOf } from '../providers/provider-kinds.js';
import type { ProviderRow } from '../providers/providers.repository.js';

/** Purpose of a request for a certificate. */
export type Purpose = 'issuance' | 'renewal';

/** The same opener, whose providers are watched: calls and their duration, certificates, and orders with ACME CAs. */
export type WatchOpener = (opener: ProviderOpener, purpose: Purpose) => ProviderOpener;

export function createProviderWatch(metrics: Metrics): WatchOpener {
  const instruments = createInstruments(metrics);
  const labelOf = createLabels(maxLabels);
  return (opener, purpose) => {
    const watched = (row: ProviderRow, provider: Provider) => {
      const name = labelOf(row.name);
      // as early as it is known, since Prometheus does not see the first rise of a series that did not exist
      for (const outcome of signOutcomes)
        instruments.countCertificate({ provider: name, purpose, outcome }, 0);
      instruments.countLimited({ provider: name, purpose }, 0);
      const isOrdered = kindOf(row).issuance === 'order';
      return watchProvider({ instruments, purpose, name, isOrdered }, provider);
    };
    return {
      open: (row) => watched(row, opener.open(row)),
      openForSigning: (row) => watched(row, opener.openForSigning(row)),
    };
  };
}

// each name costs some 100 series, and a scrape reads all of them
const maxLabels = 50;

const signOutcomes = ['issued', 'refused', 'waiting', 'failed'] as const;
type SignWord = (typeof signOutcomes)[number];

function createInstruments(metrics: Metrics) {
  return {
    observeCall: metrics.histogram({
      name: 'cert_manager_provider_call_duration_seconds',
      help: 'Time that a provider took for one call, with all that it asked of its CA',
      labels: ['provider', 'call', 'outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    }),
    countCertificate: metrics.counter({
      name: 'cert_manager_certificates_requested_total',
      help: 'Certificates asked for of providers, by what came of it',
      labels: ['provider', 'purpose', 'outcome'],
    }),
    countLimited: metrics.counter({
      name: 'cert_manager_rate_limited_calls_total',
      help: 'Certificates asked for that a CA refused for its rate limit (429)',
      labels: ['provider', 'purpose'],
    }),
    countOrder: metrics.counter({
      name: 'cert_manager_acme_orders_total',
      help: 'Rounds of work on orders with ACME CAs, by what came of them',
      labels: ['outcome'],
    }),
  };
}

interface Watch {
  readonly instruments: ReturnType<typeof createInstruments>;
  readonly purpose: Purpose;
  readonly name: string;
  readonly isOrdered: boolean;
}

function watchProvider(watch: Watch, provider: Provider): Provider {
  const { changeAccountKey, adviseRenewal, revoke, findIssued, readRoot } = provider;
  return {
    test: (depth) =>
      timed(
        watch,
        'test',
        () => provider.test(depth),
        ({ success }) => successWord(success),
      ),
    sign: (...order) => sign(watch, () => provider.sign(...order)),
    refresh: (known) =>
      timed(
        watch,
        'refresh',
        () => provider.refresh(known),
        ({ status }) => status,
      ),
    ...(findIssued && { findIssued }),
    ...(readRoot && { readRoot }),
    ...(changeAccountKey && {
      changeAccountKey: () =>
        timed(
          watch,
          'change_key',
          () => changeAccountKey(),
          () => 'succeeded',
        ),
    }),
    ...(adviseRenewal && {
      adviseRenewal: (pem: string) =>
        timed(
          watch,
          'advise',
          () => adviseRenewal(pem),
          () => 'succeeded',
        ),
    }),
    ...(revoke && {
      revoke: (order: RevocationOrder) =>
        timed(
          watch,
          'revoke',
          () => revoke(order),
          ({ status }) => status,
        ),
    }),
  };
}

const successWord = (success: boolean) => (success ? 'succeeded' : 'refused');

async function sign(watch: Watch, work: () => Promise<SignOutcome>): Promise<SignOutcome> {
  const { instruments, purpose, name: provider, isOrdered } = watch;
  let outcome: SignWord = 'failed';
  try {
    const result = await timed(watch, 'sign', work, wordOf);
    outcome = wordOf(result);
    if (!result.isSigned && result.isRateLimited === true) instruments.countLimited({ provider, purpose });
    return result;
  } finally {
    instruments.countCertificate({ provider, purpose, outcome });
    if (isOrdered) instruments.countOrder({ outcome });
  }
}

function wordOf(result: SignOutcome): SignWord {
  if (result.isSigned) return 'issued';
  return result.isWaiting === true ? 'waiting' : 'refused';
}

/** Measures a call and makes a span of it; what throws is `failed`. */
async function timed<T>(
  { instruments, name: provider }: Watch,
  call: string,
  work: () => Promise<T>,
  outcomeOf: (result: T) => string,
): Promise<T> {
  const began = performance.now();
  let outcome = 'failed';
  try {
    const result = await inSpan(`provider ${call}`, { 'certloop.provider': provider }, work);
    outcome = outcomeOf(result);
    return result;
  } finally {
    instruments.observeCall({ provider, call, outcome }, (performance.now() - began) / 1000);
  }
}

/** Names as labels of metrics: the first `max` of them, and `(other)`, which no provider can have, for all further ones. */
export function createLabels(max: number): (name: string) => string {
  const names = new Set<string>();
  return (name) => {
    if (names.size < max) names.add(name);
    return names.has(name) ? name : '(other)';
  };
}
