import type { AuditLog } from '@certloop/contracts/browser';
import { type AuditFacts, formOf } from './audit-forms.js';

/** Sentence of an entry of the audit log, in parts, so that its subject can be a link. */
export interface AuditSentence {
  readonly who: string;
  /** Text up to the subject, without `who`. */
  readonly before: string;
  /** Subject of the entry; undefined where the text already says it. */
  readonly subject: string | undefined;
  /** Text after the subject. */
  readonly after: string;
  /** Why it failed or was denied, if the entry says so. */
  readonly reason: string | undefined;
}

/** The sentence of an entry: `ada renewed the certificate of shop.example.com`. */
export function auditSentence(entry: AuditLog): AuditSentence {
  const { action, details, username } = entry;
  const after = objectOf(details['after']);
  const outcome = outcomeOf(entry);
  const form = formOf(action, { details, after });
  const [did, tried, what] = form ?? [action, action, '{on}'];
  const deed = { success: did, failure: `could not ${tried}`, denied: `was not allowed to ${tried}` }[
    outcome
  ];
  const [before = '', rest] = what.split('{on}');
  const reason = outcome === 'success' ? undefined : textOf(details['reason']);
  return {
    who: builtIns.get(username) ?? username,
    before: before === '' ? deed : `${deed} ${before.trimEnd()}`,
    subject: rest === undefined ? undefined : subjectOf(entry, { details, after }),
    after: rest ?? '',
    // a code reads as words
    reason: reason !== undefined && /^[a-z_]+$/.test(reason) ? reason.replaceAll('_', ' ') : reason,
  };
}

export type AuditOutcome = 'success' | 'failure' | 'denied';

/** How an act ended. */
export function outcomeOf({ action, details }: AuditLog): AuditOutcome {
  const { outcome } = details;
  if (outcome === 'failure' || outcome === 'denied') return outcome;
  return /\.(fail|reject)$/.test(action) ? 'failure' : 'success';
}

/** User names of the service at its own work, and of callers without an account. */
const builtIns = new Map([
  ['', 'An unknown caller'],
  ['scheduler', 'The scheduler'],
  ['open-mode', 'A caller without sign-in'],
  ['cli', 'An operator at the command line'],
]);

const kinds = new Map([
  ['fqdn', 'a name'],
  ['certificate', 'a certificate'],
  ['csr', 'a CSR'],
  ['renewal', 'a name'],
  ['target', 'a name'],
  ['space', 'a space'],
  ['user', 'a user'],
  ['permission-group', 'a group'],
  ['provider', 'a provider'],
  ['acme-client', 'an ACME client'],
]);

/** The name of what an entry is about, else which kind of thing it is. */
function subjectOf({ resourceType, userId, resourceId, username }: AuditLog, facts: AuditFacts): string {
  const all = { ...objectOf(facts.details['before']), ...facts.after, ...facts.details };
  const keys = ['fqdn', 'name', 'username', 'provider', 'subject', 'tokenId'];
  const name = keys.map((key) => textOf(all[key])).find((text) => text !== undefined);
  if (name !== undefined) return name;
  // the account of the user who acts
  if (resourceType === 'user' && resourceId === userId) return username;
  return kinds.get(resourceType) ?? resourceType;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
