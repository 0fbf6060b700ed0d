import type { AuditLog } from '@certloop/contracts/browser';
import { auditSentence, outcomeOf, readableTimes, StateChip } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
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

const outcomeWords = { success: 'done', failure: 'failed', denied: 'denied' } as const;

/** How an act ended. */
export function AuditOutcome({ entry }: { readonly entry: AuditLog }) {
  const outcome = outcomeOf(entry);
  return (
    <StateChip
      tone={outcome === 'success' ? 'ok' : 'bad'}
      shape={outcome === 'success' ? 'check' : 'octagon'}
    >
      {outcomeWords[outcome]}
    </StateChip>
  );
}

/** Actions after which there is nothing to link to. */
const endings = ['fqdn.delete', 'space.delete', 'user.delete', 'group.delete', 'provider.delete'];

function Subject({ entry, name }: { readonly entry: AuditLog; readonly name: string }) {
  const { action, resourceType, resourceId, details } = entry;
  const { isAdmin } = useRights();
  const shown = <bdi>{name}</bdi>;
  if (endings.includes(action)) return shown;
  const { spaceId, fqdnId = resourceType === 'fqdn' ? resourceId : undefined } = details;
  if (typeof spaceId === 'string' && typeof fqdnId === 'string') {
    return (
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
        {shown}
      </Link>
    );
  }
  if (resourceType === 'space') {
    return (
      <Link to="/spaces/$spaceId" params={{ spaceId: resourceId }}>
        {shown}
      </Link>
    );
  }
  if (resourceType === 'provider') {
    return (
      <Link to="/providers/$providerId" params={{ providerId: resourceId }}>
        {shown}
      </Link>
    );
  }
  if (isAdmin && resourceType === 'user') {
    return (
      <Link to="/users/$userId" params={{ userId: resourceId }}>
        {shown}
      </Link>
    );
  }
  if (isAdmin && resourceType === 'permission-group') {
    return (
      <Link to="/groups/$groupId" params={{ groupId: resourceId }}>
        {shown}
      </Link>
    );
  }
  return shown;
}
