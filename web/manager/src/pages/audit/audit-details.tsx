import type { AuditLog } from '@certloop/contracts/browser';
import { type Column, DataTable, exactTime, Fact } from '@certloop/web-kit';
import { AuditLine } from '../../audit/audit-line.js';

/** Everything that the log has of an entry. */
export function AuditDetails({ entry }: { readonly entry: AuditLog }) {
  const { timestamp, ipAddress, userAgent, resourceType, resourceId, details } = entry;
  const changes = changesOf(details);
  return (
    <div className="cl-stack">
      <p>
        <AuditLine entry={entry} />
      </p>
      <dl className="cl-facts">
        <Fact title="Time">{exactTime(timestamp)}</Fact>
        {ipAddress !== '' && (
          <>
            <Fact title="From">{ipAddress}</Fact>
            <Fact title="Program">{userAgent}</Fact>
          </>
        )}
        <Fact title="On">
          {resourceType} <span className="cl-mono">{resourceId}</span>
        </Fact>
        <Fact title="Request id" isMono>
          {textOf(details['requestId'])}
        </Fact>
      </dl>
      {changes.length > 0 && (
        <DataTable label="Changes" columns={columns} rows={changes} rowKey={({ key }) => key} />
      )}
      <details>
        <summary>All details</summary>
        <pre className="cl-code">{JSON.stringify(details, undefined, 2)}</pre>
      </details>
    </div>
  );
}

interface Change {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

const columns: readonly Column<Change>[] = [
  { key: 'key', title: 'Changed', cell: ({ key }) => key },
  { key: 'before', title: 'Before', cell: ({ before }) => textOf(before) },
  { key: 'after', title: 'After', cell: ({ after }) => textOf(after) },
];

/** Members that are not the same before and after. */
function changesOf(details: AuditLog['details']): readonly Change[] {
  const [before, after] = [objectOf(details['before']), objectOf(details['after'])];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((key) => ({ key, before: before[key], after: after[key] }))
    .filter((change) => textOf(change.before) !== textOf(change.after));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
