import type { AuditLog } from '@certloop/contracts/browser';
import {
  type Column,
  EmptyState,
  exactTime,
  Icon,
  ListTable,
  StateChip,
  serviceUrl,
  useList,
  useTitle,
} from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRights } from '../../rights.js';
import { api } from '../../service.js';
import { Clearings, ClearLog } from './clear-log.js';

const route = getRouteApi('/inside/audit');

const subjects = [
  [undefined, 'Everything'],
  ['certificate.*', 'Certificates'],
  ['csr.*', 'CSRs'],
  ['fqdn.*', 'Names'],
  ['queue.*', 'Renewals'],
  ['space.*', 'Spaces'],
  ['provider.*', 'Providers'],
  ['user.*', 'Users'],
  ['group.*', 'Groups'],
  ['auth.*', 'Sign-in'],
] as const;

const pageSize = 50;

/** What the address of the page asks for: entries of a subject, of a user. */
interface Asked {
  readonly action?: string;
  readonly user?: string;
}

/** What was done, by whom, and how it ended, the newest first. */
export function AuditPage() {
  useTitle('Audit log', 'manager');
  const asked = route.useSearch();
  const list = useAuditLog(asked);
  const [shown, show] = useState<AuditLog>();
  const { isAdmin: mayClear } = useRights();
  return (
    <>
      <div className="cl-title">
        <h1>Audit log</h1>
        <div className="cl-row">
          <Exports asked={asked} />
          {mayClear && <ClearLog />}
        </div>
      </div>
      <Subjects asked={asked} />
      <UserFilter asked={asked} />
      <ListTable
        list={list}
        label="Audit log"
        columns={columnsOf(show)}
        rowKey={({ id }) => id}
        noun="entry"
        nouns="entries"
        empty={
          <EmptyState title="There is no such entry">
            <p>The log shows every change to what you may see, and every refused attempt.</p>
          </EmptyState>
        }
      />
      {mayClear && <Clearings />}
      <Modal
        opened={shown !== undefined}
        onClose={() => show(undefined)}
        title={shown?.action ?? ''}
        size="lg"
      >
        {shown !== undefined && <Details entry={shown} />}
      </Modal>
    </>
  );
}

const filterOf = ({ action, user }: Asked) => ({
  ...(action !== undefined && { action }),
  ...(user !== undefined && { username: user }),
});

function useAuditLog(asked: Asked) {
  const filter = filterOf(asked);
  return useList<AuditLog>(['audit', filter], async (cursor = '0', signal) => {
    const page = { ...filter, limit: String(pageSize), offset: cursor };
    const { logs, total } = (await api.listAuditLogs({ query: page, signal })).body;
    const next = Number(cursor) + pageSize;
    return { rows: logs, total, next: next < total ? String(next) : undefined };
  });
}

function columnsOf(show: (entry: AuditLog) => void): readonly Column<AuditLog>[] {
  return [
    { key: 'at', title: 'Time', width: '15rem', cell: ({ timestamp }) => exactTime(timestamp) },
    { key: 'who', title: 'By', width: '10rem', cell: ({ username }) => username },
    { key: 'what', title: 'Action', width: '15rem', cell: ({ action: done }) => done },
    { key: 'on', title: 'On', cell: subjectOf },
    { key: 'end', title: 'Outcome', width: '8rem', cell: (entry) => <Outcome entry={entry} /> },
    {
      key: 'more',
      title: '',
      width: '7rem',
      cell: (entry) => (
        <Button size="xs" variant="default" onClick={() => show(entry)}>
          Details
        </Button>
      ),
    },
  ];
}

/** The entries that are shown, as files. */
function Exports({ asked }: { readonly asked: Asked }) {
  const addressOf = (format: 'jsonl' | 'csv') =>
    `${serviceUrl()}/audit-logs/export?${new URLSearchParams({ ...filterOf(asked), format }).toString()}`;
  return (
    <div className="cl-row">
      {(['csv', 'jsonl'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          href={addressOf(format)}
          download
          variant="default"
          size="xs"
          leftSection={<Icon name="upload" size={16} />}
        >
          Export as {format === 'csv' ? 'CSV' : 'JSON Lines'}
        </Button>
      ))}
    </div>
  );
}

function Subjects({ asked: { action, user } }: { readonly asked: Asked }) {
  return (
    <nav className="cl-tabs" aria-label="Subjects">
      {subjects.map(([prefix, label]) => (
        <Link
          key={label}
          activeOptions={{ exact: true }}
          to="/audit"
          search={{ ...(prefix !== undefined && { action: prefix }), ...(user !== undefined && { user }) }}
          aria-current={prefix === action || undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function UserFilter({ asked: { action, user } }: { readonly asked: Asked }) {
  const navigate = route.useNavigate();
  return (
    <form
      className="cl-row"
      onSubmit={(event) => {
        event.preventDefault();
        const name = String(new FormData(event.currentTarget).get('user')).trim();
        void navigate({
          search: { ...(action !== undefined && { action }), ...(name !== '' && { user: name }) },
        });
      }}
    >
      <TextInput
        name="user"
        aria-label="User name"
        placeholder="User name"
        defaultValue={user ?? ''}
        maxLength={64}
      />
      <Button type="submit" variant="default">
        Filter by user
      </Button>
    </form>
  );
}

/** The name that an entry is about, else the kind of thing. */
function subjectOf({ details, resourceType }: AuditLog): string {
  const facts = { ...objectOf(details['before']), ...objectOf(details['after']), ...details };
  const names = ['fqdn', 'name', 'username', 'provider'].map((key) => facts[key]);
  const found = names.find((value) => typeof value === 'string');
  return found === undefined ? resourceType : `${resourceType} ${String(found)}`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function Outcome({ entry }: { readonly entry: AuditLog }) {
  const outcome = String(entry.details['outcome'] ?? 'success');
  const isGood = outcome === 'success';
  return (
    <StateChip tone={isGood ? 'ok' : 'bad'} shape={isGood ? 'check' : 'octagon'}>
      {outcome}
    </StateChip>
  );
}

function Details({ entry }: { readonly entry: AuditLog }) {
  return (
    <div className="cl-stack">
      <dl className="cl-facts">
        <dt>Time</dt>
        <dd>{exactTime(entry.timestamp)}</dd>
        <dt>By</dt>
        <dd>{entry.username}</dd>
        {entry.ipAddress !== '' && (
          <>
            <dt>From</dt>
            <dd>{entry.ipAddress}</dd>
            <dt>Program</dt>
            <dd>{entry.userAgent}</dd>
          </>
        )}
        <dt>On</dt>
        <dd>
          {entry.resourceType} <span className="cl-mono">{entry.resourceId}</span>
        </dd>
      </dl>
      <pre className="cl-code">{JSON.stringify(entry.details, undefined, 2)}</pre>
    </div>
  );
}
