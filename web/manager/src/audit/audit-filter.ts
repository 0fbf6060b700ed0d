import type { AuditLog } from '@certloop/contracts/browser';
import { type ListPage, listOptions, type ReplyTo, type TimeZone } from '@certloop/web-kit';
import { api } from '../service.js';

export const auditOutcomes = ['success', 'failure', 'denied'] as const;

/** Which entries of the audit log the address of a page asks for. */
export interface AuditFilter {
  /** An action, or the beginning of several followed by `*`. */
  readonly action?: string;
  readonly user?: string;
  readonly outcome?: (typeof auditOutcomes)[number];
  /** First and last day, such as 2026-03-01. */
  readonly from?: string;
  readonly to?: string;
  /** Text in the details. */
  readonly q?: string;
}

/** The filter in the address of a page; what it does not know is omitted. */
export function auditFilterIn(search: Record<string, unknown>): AuditFilter {
  const outcome = auditOutcomes.find((one) => one === search['outcome']);
  const texts = (['action', 'user', 'q'] as const).map((key) => [key, textOf(search[key])] as const);
  const days = (['from', 'to'] as const).map((key) => [key, dayIn(search[key])] as const);
  const found = [...texts, ...days, ['outcome', outcome] as const];
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function textOf(value: unknown): string | undefined {
  // what looks like a number was read as one
  return typeof value === 'number'
    ? String(value)
    : typeof value === 'string' && value !== ''
      ? value
      : undefined;
}

function dayIn(value: unknown): string | undefined {
  const isDay =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDay ? value : undefined;
}

/** The filter as the service takes it; days begin and end in this zone. */
export function auditQueryOf({ action, user, outcome, from, to, q }: AuditFilter, timeZone: TimeZone) {
  return {
    ...(action !== undefined && { action }),
    ...(user !== undefined && { username: user }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { from: startOf(from, 0, timeZone) }),
    ...(to !== undefined && { to: startOf(to, 1, timeZone) }),
    ...(q !== undefined && { q }),
  };
}

/** When a day begins, or one that comes some days later. */
function startOf(day: string, later: number, timeZone: TimeZone): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const at =
    timeZone === 'UTC'
      ? new Date(Date.UTC(year, month - 1, date + later))
      : new Date(year, month - 1, date + later);
  return at.toISOString();
}

const pageSize = 50;

/** The log, the newest entry first; pages follow each other by position, so new entries move none. */
export function auditList(query: Readonly<Record<string, string>>) {
  return listOptions(
    api.listAuditLogs,
    { query: { ...query, limit: String(pageSize) } },
    { pageOf: pageOfLog, next: (after) => ({ after }) },
  );
}

function pageOfLog({ body: { logs, total } }: ReplyTo<typeof api.listAuditLogs>): ListPage<AuditLog> {
  const last = logs.length < pageSize ? undefined : logs.at(-1)?.seq;
  return { rows: logs, total, next: last === undefined ? undefined : String(last) };
}
