import { hostname } from 'node:os';
import type { Check } from '@certloop/contracts';
import { isTemporary, repeat } from '../connection/repeat.js';
import type { Session } from '../connection/session.js';
import { pingAddress, sendPing } from '../jobs/pings.js';
import { endsSoon } from './next-step.js';
import type { StoredPair } from './pair-folders.js';

/** Reports to the check of a machine: it succeeds, or fails with a reason. */
export interface MachineCheck {
  report(succeeded: boolean, sentence: string): Promise<void>;
}

/** How often a machine is to report, in seconds. */
export interface Period {
  readonly timeout: number;
  readonly grace: number;
}

const hour = 3_600;
/** A process that stays reports each hour; one of a timer is expected once a day. */
export const periods = {
  staying: { timeout: hour, grace: 2 * hour },
  once: { timeout: 24 * hour, grace: 24 * hour },
} as const satisfies Record<string, Period>;

const repeatMs = hour * 1_000;

/**
 * The check of an FQDN on this machine: the named one, or one of its own, which is made if it does not exist. A report that
 * does not arrive is a warning: the next one follows. The same report is sent again after an hour.
 */
export function machineCheck(
  session: Session,
  { fqdn, named, period, now }: MachineCheckOptions,
): MachineCheck {
  let address: string | undefined;
  let last = { kind: '', at: Number.NEGATIVE_INFINITY };
  const { io, report } = session;
  const host = hostname();
  return {
    report: async (succeeded, sentence) => {
      const kind = `${succeeded} ${sentence}`;
      if (kind === last.kind && now().getTime() - last.at < repeatMs) return;
      try {
        address ??=
          named === true
            ? await ownAddress(session, `certloop pull ${fqdn} on ${host}`, period)
            : await pingAddress(session, named);
        const target = `${address}${succeeded ? '' : '/fail'}`;
        await repeat(io, () => sendPing(session, target, `${fqdn} on ${host}: ${sentence}\n`));
        last = { kind, at: now().getTime() };
      } catch (error) {
        report.warn(`the check was not pinged: ${(error as Error).message}`);
      }
    },
  };
}

export interface MachineCheckOptions {
  readonly fqdn: string;
  /** Name, slug, uuid or ping address of a check; true for one of its own. */
  readonly named: string | true;
  readonly period: Period;
  readonly now: () => Date;
}

/** Ping address of the check with this name, which keeps the settings that people gave it. */
async function ownAddress({ monitor }: Session, name: string, period: Period): Promise<string> {
  const { checks } = (await monitor.listChecks()).body;
  const found = checks.find((check): check is Check => 'uuid' in check && check.name === name);
  if (found !== undefined) return found.ping_url;
  const desc = 'Installs the newest certificate on this machine (certloop pull).';
  const body = { name, desc, tags: 'certloop-pull', ...period, channels: '*', unique: ['name' as const] };
  return (await monitor.createCheck({ body })).body.ping_url;
}

/** Report of a round that failed: a manager that is away matters only when the certificate here ends soon. */
export function reportOf(error: unknown, current: StoredPair | undefined, now: Date) {
  const { message } = error as Error;
  if (!isTemporary(error)) return { succeeded: false, sentence: message };
  if (current === undefined)
    return {
      succeeded: false,
      sentence: `cert-manager is away, and there is no certificate here yet: ${message}`,
    };
  const { serialNumber, notAfter } = current.leaf;
  const days = Math.floor((notAfter.getTime() - now.getTime()) / 86_400_000);
  const ends = days < 0 ? `ended ${notAfter.toISOString()}` : `ends in ${days} days`;
  const sentence = `cert-manager is away: ${message}; the certificate here (serial ${serialNumber}) is served and ${ends}`;
  return { succeeded: !endsSoon(current.leaf, now), sentence };
}
