import type { PingSettings } from '../checks/check.js';
import type { Signal } from '../checks/check-state.js';
import type { StoredStatus } from '../checks/check-timing.js';
import { stripWhitespace } from '../python-whitespace.js';
import { firstListFound } from './keywords/keyword-search.js';

/** Action that a ping address requests. */
export type PingAction = Extract<Signal, 'success' | 'start' | 'fail' | 'log'>;

/** Settings of a check that decide how its pings count. */
export interface PingFilter extends PingSettings {
  readonly storedStatus: StoredStatus;
}

export interface HttpPing {
  readonly action: PingAction;
  readonly exitStatus: number | null;
  readonly method: string;
  /** As stored: already cut to the limit. */
  readonly body: Uint8Array;
}

/** Signal of an HTTP ping. Keywords in the body, where they are looked for, decide against the address. */
export function signalOfHttpPing(ping: HttpPing, filter: PingFilter): Signal {
  if (filter.storedStatus === 'paused' && filter.manualResume) return 'ign';
  if (filter.methods === 'POST' && ping.method !== 'POST') return 'ign';
  // A body that is cut within a letter, or is not UTF-8 at all, is still searched.
  if (filter.filterHttpBody) return signalOfText(Buffer.from(ping.body).toString('utf8'), filter);
  return ping.exitStatus !== null && ping.exitStatus > 0 ? 'fail' : ping.action;
}

/** To read a property may take work; a check that does not search it spares that. */
export interface MailPing {
  readonly subject: string;
  /** Texts of the body: the plain one, and that of the HTML. */
  readonly texts: readonly string[];
}

/** Signal of a mail: success, unless keywords in its subject or its body, where they are looked for, decide. */
export function signalOfMail(mail: MailPing, filter: PingFilter): Signal {
  if (filter.storedStatus === 'paused' && filter.manualResume) return 'ign';
  if (!filter.filterSubject && !filter.filterBody) return 'success';
  const searched = [
    ...(filter.filterSubject ? [mail.subject] : []),
    ...(filter.filterBody ? mail.texts : []),
  ];
  return signalOfText(searched.join('\n'), filter);
}

/** Signal of a text by its keywords, which are sought anywhere in it and by case: failure, success, start. */
function signalOfText(text: string, filter: PingFilter): Signal {
  const lists = [filter.failureKeywords, filter.successKeywords, filter.startKeywords].map(keywordsOf);
  const found = firstListFound(text, lists);
  return meanings[found ?? -1] ?? (filter.filterDefaultFail ? 'fail' : 'ign');
}

const meanings = ['fail', 'success', 'start'] as const;

function keywordsOf(keywords: string): string[] {
  return keywords
    .split(',')
    .map(stripWhitespace)
    .filter((keyword) => keyword !== '');
}
