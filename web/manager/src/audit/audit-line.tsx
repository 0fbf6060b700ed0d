import type { AuditLog } from '@certloop/contracts/browser';
import {
  auditSentence,
  type Column,
  exactTime,
  outcomeOf,
  readableTimes,
  StateChip,
} from '@certloop/web-kit';
import { Link, type ToOptions } from '@tanstack/react-router';
import { useRights } from '../rights.js';

/** An entry of the audit log as a sentence, with a link to what it is about. */
export function AuditLine({ entry }: { readonly entry: AuditLog }) {
  const { who, before, subject, after, reason } = auditSentence(entry);
  return (
    <span className="cl-anywhere">
      <strong>
        <bdi>{who}</bdi>
      </strong>{' '}
      {before}
      {subject !== undefined && ' '}
      {subject !== undefined && <Subject entry={entry} name={subject} />}
      {after}
      {reason !== undefined && `: ${readableTimes(reason)}`}
    </span>
  );
}

const outcomes = {
  success: { tone: 'ok', shape: 'check', word: 'done' },
  failure: { tone: 'bad', shape: 'octagon', word: 'failed' },
  denied: { tone: 'bad', shape: 'octagon', word: 'denied' },
} as const;

/** When an act was, what it was, and how it ended. */
export const auditColumns: readonly Column<AuditLog>[] = [
  { key: 'at', title: 'Time', width: '15rem', cell: ({ timestamp }) => exactTime(timestamp) },
  { key: 'what', title: 'What was done', cell: (entry) => <AuditLine entry={entry} /> },
  {
    key: 'outcome',
    title: 'Outcome',
    width: '8rem',
    cell: (entry) => <StateChip {...outcomes[outcomeOf(entry)]} />,
  },
];

function Subject({ entry, name }: { readonly entry: AuditLog; readonly name: string }) {
  const page = pageOf(entry, useRights().isAdmin);
  const shown = <bdi>{name}</bdi>;
  return page === undefined ? shown : <Link {...page}>{shown}</Link>;
}

/** Actions after which there is nothing to link to. */
const endings = ['fqdn.delete', 'space.delete', 'user.delete', 'group.delete', 'provider.delete'];

/** The page of what an entry is about; undefined if there is none, or the user may not see it. */
function pageOf(
  { action, resourceType, resourceId, details }: AuditLog,
  isAdmin: boolean,
): ToOptions | undefined {
  if (endings.includes(action)) return undefined;
  const { spaceId, fqdnId = resourceType === 'fqdn' ? resourceId : undefined } = details;
  if (typeof spaceId === 'string' && typeof fqdnId === 'string') {
    return { to: '/spaces/$spaceId/fqdns/$fqdnId', params: { spaceId, fqdnId } };
  }
  if (resourceType === 'space') return { to: '/spaces/$spaceId', params: { spaceId: resourceId } };
  if (resourceType === 'provider') {
    return { to: '/providers/$providerId', params: { providerId: resourceId } };
  }
  if (!isAdmin) return undefined;
  if (resourceType === 'user') return { to: '/users/$userId', params: { userId: resourceId } };
  if (resourceType !== 'permission-group') return undefined;
  return { to: '/groups/$groupId', params: { groupId: resourceId } };
}
