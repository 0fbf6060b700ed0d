import type { Micros } from '../instants.js';
import { type AlertStatus, displayName } from '../integrations/messages/alert-event.js';
import type { Notice } from '../integrations/messages/notice.js';
import { spokenMoment } from '../integrations/messages/spoken-time.js';

/** A change that a digest names. */
export interface DigestedChange {
  readonly checkId: number;
  readonly name: string;
  readonly slug: string;
  readonly tz: string;
  readonly status: AlertStatus;
  readonly at: Micros;
}

/** Checks by their status, of which a digest says only how many they are. */
export interface CheckCounts {
  readonly down: number;
  readonly up: number;
}

/** One message about many checks, which names some of them with the moments of their changes. */
export function digestNotice(changes: readonly DigestedChange[], further: CheckCounts): Notice {
  const byCheck = new Map<number, DigestedChange[]>();
  for (const change of changes) {
    const ofCheck = byCheck.get(change.checkId);
    if (ofCheck === undefined) byCheck.set(change.checkId, [change]);
    else ofCheck.push(change);
  }
  const latest = [...byCheck.values()].flatMap((ofCheck) => ofCheck.at(-1) ?? []);
  const namedDown = latest.filter(({ status }) => status === 'down').length;
  const down = namedDown + further.down;
  const up = latest.length - namedDown + further.up;
  const parts = [...(down > 0 ? [countOf(down, 'DOWN')] : []), ...(up > 0 ? [countOf(up, 'UP')] : [])];
  return {
    status: down > 0 ? 'down' : 'up',
    title: parts.join(', '),
    lines: [...byCheck.values()].map(lineOf),
    moreLines: further.down + further.up,
  };
}

function countOf(count: number, word: string): string {
  return count === 1 ? `1 more check is ${word}` : `${count} more checks are ${word}`;
}

function lineOf(changes: readonly DigestedChange[]): string {
  const [first] = changes;
  const moments = changes.map(({ status, at, tz }) => `${status.toUpperCase()} at ${spokenMoment(at, tz)}`);
  return `${first === undefined ? '' : displayName(first)}: ${moments.join(', ')}`;
}

/** Facts of a channel that does not work. */
export interface BrokenChannel {
  readonly label: string;
  readonly name: string;
  readonly projectName: string;
  readonly lastError: string | null;
  readonly disabledAt: Micros | null;
  readonly failingSince: Micros | null;
}

/** Message to people who can mend a channel. */
export function brokenChannelNotice(channel: BrokenChannel): Notice {
  const { label, name, projectName, lastError, disabledAt, failingSince } = channel;
  const which = `${label} integration “${name}” of project “${projectName}”`;
  const reason = lastError === null ? [] : [`The last error is: ${lastError}`];
  if (disabledAt !== null) {
    return {
      status: 'down',
      title: `The ${which} is switched off`,
      lines: [
        `Its target refused a message for good at ${spokenMoment(disabledAt, 'UTC')}. It gets no further alerts.`,
        ...reason,
        'To enable it again, save its settings again or add another integration.',
      ],
    };
  }
  const since = failingSince === null ? '' : ` since ${spokenMoment(failingSince, 'UTC')}`;
  return {
    status: 'down',
    title: `The ${which} does not work`,
    lines: [
      `Messages to it fail${since}. One was tried for 24 hours and is given up; newer ones are still tried.`,
      ...reason,
      'Correct its target or change its settings.',
    ],
  };
}

/** Message to those who rely on alerts, while the database cannot be written since its disk is full. */
export function fullDiskNotice(since: Micros): Notice {
  return {
    status: 'down',
    title: 'The disk of the monitor is full: alerts are held',
    lines: [
      `Since ${spokenMoment(since, 'UTC')} the monitor cannot store anything. It rejects pings, does not see which jobs are late, and sends no alerts.`,
      'Free space on the disk of its database. It continues within seconds and sends the alerts that it holds.',
      'This notice is not repeated.',
    ],
  };
}
