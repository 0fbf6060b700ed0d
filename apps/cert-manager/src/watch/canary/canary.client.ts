import { createCheckMonitorClient, createPingClient, internalTag } from '@certloop/contracts';
import { createMonitorFetch } from '../../renewals/heartbeat/monitor-fetch.client.js';
import { checkUuidIn } from '../../renewals/heartbeat/ping-address.js';
import { orRefused } from '../monitor/monitor.client.js';

/** The monitor as the canary needs it. Every call throws MonitorRefused. */
export interface CanaryClient {
  /** Makes the check, or resets the settings of the one that exists; returns its uuid. */
  ensureCheck(): Promise<string>;
  ping(uuid: string): Promise<void>;
  /** Whether the check fell within that time, by the monitor's own clock. */
  hasFallen(uuid: string, withinMs: number): Promise<boolean>;
  /** Whether the check has the settings by which it must fall, and is not paused. */
  isArmed(uuid: string): Promise<boolean>;
  /** Pauses the check, so that it is not shown as down; the next ping resumes it. */
  pause(uuid: string): Promise<void>;
  delete(uuid: string): Promise<void>;
}

const [timeout, grace] = [60, 60];
const check = {
  name: 'CertLoop canary',
  slug: 'certloop-canary',
  tags: internalTag,
  desc: 'Meant to fall once an hour: cert-manager sees by it that this monitor raises alerts. It has no integrations.',
  timeout,
  grace,
  channels: '',
};

export function createCanaryClient({
  url,
  apiKey,
}: {
  readonly url: string;
  readonly apiKey: string;
}): CanaryClient {
  const options = {
    baseUrl: url,
    timeoutMs: 5000,
    fetch: createMonitorFetch(),
  };
  const checks = createCheckMonitorClient({ ...options, apiKey });
  const pings = createPingClient(options);
  const other = <T>(answer: Promise<T>) => orRefused(answer, 'other');
  return {
    ensureCheck: () => {
      const made = checks.createCheck({ body: { ...check, unique: ['slug'] } });
      return orRefused(
        made.then(({ body }) => checkUuidIn(body.ping_url)),
        'create',
      );
    },
    ping: async (uuid) => void (await other(pings.pingSuccess({ params: { uuid } }))),
    hasFallen: async (id, withinMs) => {
      const query = { seconds: String(Math.floor(withinMs / 1000)) };
      const { body } = await other(checks.listFlips({ params: { id }, query }));
      return body.some(({ up }) => up === 0);
    },
    isArmed: async (id) => {
      const { body } = await other(checks.getCheck({ params: { id } }));
      const hasTimes = 'timeout' in body && body.timeout === timeout && body.grace === grace;
      return hasTimes && body.status !== 'paused';
    },
    pause: async (id) => void (await other(checks.pauseCheck({ params: { id } }))),
    delete: async (id) => void (await other(checks.deleteCheck({ params: { id } }))),
  };
}
