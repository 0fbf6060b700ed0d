import type { ChallengeSetup, OwnFqdn } from '@certloop/contracts/browser';
import { CodeBlock, type Column, CopyText, DataTable, queryOptions, wholeSentence } from '@certloop/web-kit';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../service.js';

type DnsRecord = NonNullable<ChallengeSetup['dns01']>['records'][number];
type Waiting = ChallengeSetup['waiting'][number];

/**
 * Shows what must be set up before the CA can see that the name is under control; nothing where the provider asks for
 * no proof.
 */
export function ChallengeCard({ fqdn }: { readonly fqdn: OwnFqdn }) {
  const { data: setup } = useQuery(
    queryOptions(api.getChallengeSetup, { params: { spaceId: fqdn.spaceId, fqdnId: fqdn.id } }),
  );
  if (setup?.type === undefined) return null;
  const { message, obstacle, http01, dns01, waiting } = setup;
  return (
    <section className="cl-panel" aria-label="Proof of control">
      <h2>What the CA must see</h2>
      <p>{wholeSentence(message)}</p>
      {obstacle !== undefined && <p className="cl-strip">{wholeSentence(obstacle)}</p>}
      {waiting.length > 0 && (
        <>
          <h3>Publish this now</h3>
          <DataTable
            label="To publish"
            columns={waitingColumns}
            rows={waiting}
            rowKey={({ jobId, name }) => `${jobId} ${name}`}
          />
        </>
      )}
      {http01 !== undefined && <Http01 setup={http01} />}
      {dns01 !== undefined && dns01.records.length > 0 && (
        <DataTable
          label="DNS records"
          columns={recordColumns}
          rows={dns01.records}
          rowKey={({ name, type }) => `${type} ${name}`}
        />
      )}
    </section>
  );
}

const waitingColumns: readonly Column<Waiting>[] = [
  { key: 'name', title: 'Name', cell: ({ name }) => name },
  { key: 'place', title: 'Where', cell: ({ type, place }) => `${type} ${place}` },
  {
    key: 'content',
    title: 'Content',
    cell: ({ content }) => (
      <span className="cl-row">
        <span className="cl-mono">{content}</span>
        <CopyText text={content} />
      </span>
    ),
  },
];

const recordColumns: readonly Column<DnsRecord>[] = [
  { key: 'name', title: 'Record', cell: ({ name }) => <span className="cl-mono">{name}</span> },
  { key: 'type', title: 'Type', width: '5rem', cell: ({ type }) => type },
  {
    key: 'value',
    title: 'Value',
    cell: ({ value }) =>
      value === undefined ? (
        'changes with each order'
      ) : (
        <span className="cl-row">
          <span className="cl-mono">{value}</span>
          <CopyText text={value} />
        </span>
      ),
  },
  {
    key: 'by',
    title: 'Set by',
    width: '8rem',
    cell: ({ setBy }) => (setBy === 'you' ? 'you, once' : 'this service'),
  },
];

/** The lines for the web server of the name. */
function Http01({ setup }: { readonly setup: NonNullable<ChallengeSetup['http01']> }) {
  const { servers, redirect } = setup;
  const [chosen, choose] = useState<string>();
  const shown = servers.find(({ server }) => server === chosen) ?? servers[0];
  if (shown === undefined) return null;
  return (
    <>
      <NativeSelect
        label="Web server"
        value={shown.server}
        data={servers.map(({ server }) => server)}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      <CodeBlock text={shown.config} />
      {redirect !== undefined && (
        <p className="cl-dim cl-anywhere">
          A redirect with status 302 to {redirect}, with the token at its end, does the same.
        </p>
      )}
    </>
  );
}
