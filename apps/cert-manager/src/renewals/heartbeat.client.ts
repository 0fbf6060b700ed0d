import { randomUUID } from 'node:crypto';
import { AppError, createCheckMonitorClient, createPingClient, UpstreamFailed } from '@certloop/contracts';
import type { Logger } from '@certloop/server';
import { expectationOf } from './heartbeat-expectation.js';

/** Where the monitor is; set by the operator. */
interface MonitorAddress {
  /** Base address of the monitor, such as `http://127.0.0.1:3001`. */
  readonly url: string;
  readonly apiKey: string;
}

export interface HeartbeatOptions {
  readonly monitor: MonitorAddress;
  /** How often the watched job runs, in seconds. */
  readonly periodSeconds: number;
  readonly logger: Logger;
  /** Milliseconds until a call to the monitor counts as unanswered; 5 s when absent. */
  readonly timeoutMs?: number;
}

/** Tells the monitor of one run of the job; none of it ever throws. */
export interface Heartbeat {
  begin(): Promise<HeartbeatRun>;
}

interface HeartbeatRun {
  succeed(report: string): Promise<void>;
  fail(reason: string): Promise<void>;
}

type Signal = 'pingStart' | 'pingSuccess' | 'pingFail';

/**
 * Heartbeat of a recurring job. Makes sure that its check exists (again, whenever the monitor has lost it) and
 * pings it; a monitor that is away is logged once when it goes and once when it is back.
 */
export function createHeartbeat({
  monitor,
  periodSeconds,
  logger,
  timeoutMs = 5000,
}: HeartbeatOptions): Heartbeat {
  const checks = createCheckMonitorClient({ baseUrl: monitor.url, apiKey: monitor.apiKey, timeoutMs });
  const pings = createPingClient({ baseUrl: monitor.url, timeoutMs });
  let checkUuid: string | undefined;
  let isAway = false;

  const ensureCheck = async (): Promise<string> => {
    const { body } = await checks.createCheck({ body: checkFor(periodSeconds) });
    return uuidIn(body.ping_url);
  };
  const note = (error?: unknown) => {
    if (error === undefined && isAway) logger.info({}, 'monitor.back');
    if (error !== undefined && !isAway) logger.warn({ reason: reasonOf(error) }, 'monitor.away');
    isAway = error !== undefined;
  };
  const send = async (signal: Signal, rid: string, text: string): Promise<void> => {
    try {
      checkUuid ??= await ensureCheck();
      await pings[signal]({ params: { uuid: checkUuid }, query: { rid }, body: Buffer.from(text, 'utf8') });
      note();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') checkUuid = undefined;
      note(error);
    }
  };

  return {
    begin: async () => {
      const rid = randomUUID();
      await send('pingStart', rid, '');
      return {
        succeed: (report) => send('pingSuccess', rid, report),
        fail: (reason) => send('pingFail', rid, reason),
      };
    },
  };
}

function checkFor(periodSeconds: number) {
  return {
    name: 'CertLoop cert-manager',
    slug: 'certloop-cert-manager',
    tags: 'certloop cert-manager',
    desc: `The certificate manager reports here every ${periodSeconds} s.`,
    ...expectationOf(periodSeconds),
    unique: ['slug' as const],
  };
}

/** Only the uuid is taken: the host stays the one that the operator set. */
function uuidIn(pingUrl: unknown): string {
  const [uuid] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(String(pingUrl)) ?? [];
  if (uuid === undefined) throw new UpstreamFailed("the monitor's answer names no ping address");
  return uuid;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
