import { createCheckMonitorClient, createPingClient } from '@certloop/contracts';
import { createMonitorFetch } from '../../renewals/heartbeat/monitor-fetch.client.js';
import { checkUuidIn } from '../../renewals/heartbeat/ping-address.js';
import type { CheckDescription } from '../checks/check-description.js';
import type { CheckExpectation } from '../checks/check-expectation.js';
import type { WatchSignal } from '../signal-now.js';
import { faultOf, type MonitorFault } from './monitor-fault.js';

/** The monitor did not do what it was asked. */
export class MonitorRefused extends Error {
  override readonly name = 'MonitorRefused';
  readonly fault: MonitorFault;

  constructor(fault: MonitorFault, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.fault = fault;
  }
}

export type WatchedCheck = CheckDescription & CheckExpectation;

/** The monitor as the watch needs it. Every call throws MonitorRefused. */
export interface MonitorClient {
  /** Makes the check, or finds the one of that slug; returns its uuid. All integrations are assigned to a new one. */
  createCheck(check: WatchedCheck): Promise<string>;
  /** Changes the check; one that has no integrations gets all of them. */
  updateCheck(uuid: string, check: WatchedCheck): Promise<void>;
  deleteCheck(uuid: string): Promise<void>;
  /** Uuids of the checks of a slug. */
  findChecks(slug: string): Promise<string[]>;
  ping(
    uuid: string,
    signal: WatchSignal,
    sent: { readonly rid: string; readonly text: string },
  ): Promise<void>;
}

const pingOf = { success: 'pingSuccess', fail: 'pingFail', log: 'pingLog' } as const;

export function createMonitorClient({
  url,
  apiKey,
  timeoutMs = 5000,
}: {
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs?: number | undefined;
}): MonitorClient {
  const fetch = createMonitorFetch();
  const checks = createCheckMonitorClient({ baseUrl: url, apiKey, timeoutMs, fetch });
  const pings = createPingClient({ baseUrl: url, timeoutMs, fetch });
  const other = <T>(answer: Promise<T>) => orRefused(answer, 'other');
  return {
    createCheck: async (check) => {
      const made = checks.createCheck({ body: { ...check, channels: '*', unique: ['slug'] } });
      return orRefused(
        made.then(({ body }) => checkUuidIn(body.ping_url)),
        'create',
      );
    },
    updateCheck: async (id, check) => {
      const { body } = await other(checks.updateCheck({ params: { id }, body: check }));
      if (body.channels !== '') return;
      await other(checks.updateCheck({ params: { id }, body: { channels: '*' } }));
    },
    deleteCheck: async (id) => void (await other(checks.deleteCheck({ params: { id } }))),
    findChecks: async (slug) => {
      const { body } = await other(checks.listChecks({ query: { slug } }));
      return body.checks.flatMap((check) => ('ping_url' in check ? [checkUuidIn(check.ping_url)] : []));
    },
    ping: async (uuid, signal, { rid, text }) => {
      const body = Buffer.from(text, 'utf8');
      await other(pings[pingOf[signal]]({ params: { uuid }, query: { rid }, body }));
    },
  };
}

/** Returns the response of the call. Throws MonitorRefused. */
export async function orRefused<T>(answer: Promise<T>, asked: 'create' | 'other'): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new MonitorRefused(faultOf(error, asked), error);
  }
}
