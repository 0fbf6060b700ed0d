import { randomUUID } from 'node:crypto';
import { AppError, createCheckMonitorClient, createPingClient } from '@certloop/contracts';
import type { Clock, Logger } from '@certloop/server';
import { expectationOf } from './heartbeat-expectation.js';
import { createMonitorFetch } from './monitor-fetch.client.js';
import { checkUuidIn } from './ping-address.js';

/** Where the monitor is; set by the operator. */
interface MonitorAddress {
  /** Base address of the monitor, such as `http://127.0.0.1:3001`. */
  readonly url: string;
  readonly apiKey: string;
}

/** How the check of a job shows in the monitor. */
export interface HeartbeatCheck {
  readonly name: string;
  readonly slug: string;
  readonly desc: string;
}

/** Ends of runs that the monitor did not take; they are sent before the next run begins. */
export interface LostPings {
  store(signal: 'success' | 'fail', rid: string, text: string): Promise<void>;
  /** Oldest first. */
  list(): Promise<readonly { readonly signal: LostSignal; readonly rid: string; readonly text: string }[]>;
  remove(rid: string): Promise<void>;
}

/** Why the monitor takes no run: it does not answer, refuses the key, or has no room for the check of the job. */
export type ContactFault = 'no_answer' | 'key_refused' | 'no_room';

export type LostSignal = 'success' | 'fail' | 'log';

export interface HeartbeatOptions {
  readonly monitor: MonitorAddress;
  /** That of the renewal queue when absent. */
  readonly check?: HeartbeatCheck;
  /** Where lost pings are stored; absent, they are dropped. */
  readonly lost?: LostPings;
  /** Called after each run with why the monitor does not take it, or the key; undefined when all is well. A rejection is logged. */
  readonly onAnswer?: (fault: ContactFault | undefined) => Promise<void>;
  /** How often the key is tried, in milliseconds, as pings need none; with the check, once a day, when absent. */
  readonly keyTriedMs?: number;
  /** How often the watched job runs, in seconds. */
  readonly periodSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds until a call to the monitor counts as unanswered; 5 s when absent. */
  readonly timeoutMs?: number;
}

/** Sends the monitor the pings of one run of the job; no method ever throws. */
export interface Heartbeat {
  begin(): Promise<HeartbeatRun>;
}

interface HeartbeatRun {
  succeed(report: string): Promise<void>;
  fail(reason: string): Promise<void>;
}

type Signal = 'start' | LostSignal;
const pingOf = { start: 'pingStart', success: 'pingSuccess', fail: 'pingFail', log: 'pingLog' } as const;

const ensureCheckMs = 86_400_000;

/**
 * Heartbeat of a recurring job. Makes sure that its check exists and has integrations (first, once a day, and whenever
 * the monitor has lost it) and pings it; a monitor that is away is logged once when it goes and once when it is back.
 */
export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { logger, lost, onAnswer } = options;
  const contact = createContact(options);
  // a database that does not answer is what the heartbeat may be about
  const orLogged = (work: Promise<void> | undefined) =>
    work?.catch((error: unknown) => logger.warn({ reason: reasonOf(error) }, 'monitor.ping_not_stored'));
  const sendLost = async () => {
    for (const { signal, rid, text } of (await lost?.list()) ?? []) {
      if (!(await contact.send(signal, rid, text))) return;
      await lost?.remove(rid);
    }
  };
  const end = async (signal: 'success' | 'fail', rid: string, text: string) => {
    const isAnswered = await contact.send(signal, rid, text);
    if (!isAnswered) await orLogged(lost?.store(signal, rid, text));
    await orLogged(onAnswer?.(await contact.fault()));
  };
  return {
    begin: async () => {
      const rid = randomUUID();
      await orLogged(sendLost());
      await contact.send('start', rid, '');
      return {
        succeed: (report) => end('success', rid, report),
        fail: (reason) => end('fail', rid, reason),
      };
    },
  };
}

/** Contact with the monitor about one check; none of it ever throws. */
interface Contact {
  /** Whether the monitor took the ping. */
  send(signal: Signal, rid: string, text: string): Promise<boolean>;
  /** Why it did not take the ping sent last, or refuses the key although it takes pings. */
  fault(): Promise<ContactFault | undefined>;
}

function createContact(options: HeartbeatOptions): Contact {
  const { monitor, logger, timeoutMs = 5000 } = options;
  const fetch = createMonitorFetch();
  const { url: baseUrl, apiKey } = monitor;
  const check = createJobCheck(options, createCheckMonitorClient({ baseUrl, apiKey, timeoutMs, fetch }));
  const pings = createPingClient({ baseUrl, timeoutMs, fetch });
  const noteAnswer = createAnswerLog(logger);
  let fault: ContactFault | undefined;
  return {
    send: async (signal, rid, text) => {
      try {
        const uuid = await check.ensure();
        const body = Buffer.from(text, 'utf8');
        await pings[pingOf[signal]]({ params: { uuid }, query: { rid }, body });
        noteAnswer();
        fault = undefined;
      } catch (error) {
        fault = faultOf(error);
        if (error instanceof AppError && error.kind === 'not_found') check.forget();
        noteAnswer(error);
      }
      return fault === undefined;
    },
    fault: async () => fault ?? ((await check.isKeyRefused()) ? 'key_refused' : undefined),
  };
}

/** Logs once when the monitor goes, and once when it is back. */
function createAnswerLog(logger: Logger): (error?: unknown) => void {
  let isAway = false;
  return (error) => {
    if (error === undefined && isAway) logger.info({}, 'monitor.back');
    if (error !== undefined && !isAway) logger.warn({ reason: reasonOf(error) }, 'monitor.away');
    isAway = error !== undefined;
  };
}

/** The check of the job in the monitor. */
function createJobCheck(
  { check, periodSeconds, keyTriedMs, clock }: HeartbeatOptions,
  checks: ReturnType<typeof createCheckMonitorClient>,
) {
  const described = checkFor(check ?? queueCheck(periodSeconds), periodSeconds);
  const find = async () => (await checks.listChecks({ query: { slug: described.slug } })).body.checks;
  let uuid: string | undefined;
  let ensuredAt = 0;
  let keyTriedAt = 0;
  return {
    /** Uuid of the check, after it was made or completed. */
    ensure: async (): Promise<string> => {
      const now = clock.now().getTime();
      if (uuid !== undefined && now - ensuredAt < ensureCheckMs) return uuid;
      // a check without integrations gets all of them; which ones another check has is up to its users
      const hasChannels = (await find()).some((found) => !('channels' in found) || found.channels !== '');
      const body = hasChannels ? described : { ...described, channels: '*' };
      uuid = checkUuidIn((await checks.createCheck({ body })).body.ping_url);
      ensuredAt = now;
      keyTriedAt = now;
      return uuid;
    },
    forget: (): void => {
      uuid = undefined;
    },
    isKeyRefused: async (): Promise<boolean> => {
      const now = clock.now().getTime();
      if (keyTriedMs === undefined || now - keyTriedAt < keyTriedMs) return false;
      try {
        await find();
        keyTriedAt = now;
        return false;
      } catch (error) {
        return faultOf(error) === 'key_refused';
      }
    },
  };
}

function faultOf(error: unknown): ContactFault {
  if (!(error instanceof AppError)) return 'no_answer';
  if (error.kind === 'unauthenticated') return 'key_refused';
  // the check API document: 403 to a creation is the limit of checks
  return error.kind === 'forbidden' ? 'no_room' : 'no_answer';
}

function queueCheck(periodSeconds: number): HeartbeatCheck {
  return {
    name: 'CertLoop cert-manager',
    slug: 'certloop-cert-manager',
    desc: `The certificate manager reports here every ${periodSeconds} s.`,
  };
}

function checkFor(check: HeartbeatCheck, periodSeconds: number) {
  const tags = 'certloop cert-manager';
  return { ...check, tags, ...expectationOf(periodSeconds), unique: ['slug' as const] };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
