import type { Fqdn } from '@certloop/contracts/browser';
import { Fault, faultsOf, queryOptions, SendForm, sentenceOf, useForm, useSettled } from '@certloop/web-kit';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { renewalsResource } from '../../resources.js';
import { api } from '../../service.js';

// a year, as the service has it
const maxMinutes = 525_600;
const retryMs = 5_000;

/** Queues a renewal at a time of one's choice, and has the queue processed now: for tests of an installation. */
export function TestEntries() {
  const process = useMutation({
    mutationFn: () => api.triggerRenewals({}),
    meta: { changes: [renewalsResource] },
  });
  return (
    <details className="cl-panel">
      <summary>Test entries</summary>
      <div className="cl-stack">
        <p className="cl-dim">
          A test entry renews a name at the time that you choose, even if its automatic renewal is off. The
          provider issues a real certificate.
        </p>
        <NewTestEntry />
        <p className="cl-dim">
          Pending entries run at their time. You can also process those that are due now.
        </p>
        <div className="cl-row">
          <Button variant="default" loading={process.isPending} onClick={() => process.mutate()}>
            Process the queue now
          </Button>
          {process.isSuccess && <span role="status">The service processes the queue.</span>}
        </div>
        <Fault>{faultsOf(process.error, []).general}</Fault>
      </div>
    </details>
  );
}

function NewTestEntry() {
  const [name, type] = useState('');
  const [chosen, choose] = useState<string>();
  const [minutes, wait] = useState('0');
  const { names, fault } = useRenewable(name.trim());
  const target = names.find(({ id }) => id === chosen) ?? names[0];
  const { byField, form, sending } = useForm({
    api,
    send: async (to) => target && to.createTestRenewal({ body: entryOf(target, Number(minutes)) }),
    fields: ['minutesFromNow'],
    changes: [renewalsResource],
  });
  return (
    <SendForm {...form} label="Queue a test entry" disabled={target === undefined}>
      <TextInput
        label="Name to renew"
        value={name}
        onChange={({ currentTarget: { value } }) => {
          type(value);
          sending.reset();
        }}
        error={fault}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={1_000}
        required
      />
      {names.length > 1 && (
        <NativeSelect
          label="Space of the name"
          data={names.map(({ id, spaceName = '' }) => ({ value: id, label: spaceName }))}
          value={target?.id ?? ''}
          onChange={({ currentTarget: { value } }) => choose(value)}
        />
      )}
      <MinutesField minutes={minutes} wait={wait} error={byField['minutesFromNow']} />
      {sending.isSuccess && (
        <p className="cl-result" role="status">
          The test entry is queued.
        </p>
      )}
    </SendForm>
  );
}

function entryOf({ id: fqdnId, spaceId, status }: Fqdn, minutesFromNow: number) {
  return { fqdnId, spaceId, certificateId: status?.certificate?.id ?? '', minutesFromNow };
}

function MinutesField({
  minutes,
  wait,
  error,
}: {
  readonly minutes: string;
  readonly wait: (minutes: string) => void;
  readonly error: string | undefined;
}) {
  return (
    <TextInput
      type="number"
      label="Minutes from now"
      value={minutes}
      onChange={({ currentTarget: { value } }) => wait(value)}
      error={error}
      min={0}
      max={maxMinutes}
      required
    />
  );
}

/** The FQDNs of that name that have a certificate, one for each space; `fault` says why there is none. */
function useRenewable(name: string): { readonly names: readonly Fqdn[]; readonly fault?: string } {
  const fqdn = useSettled(name);
  const { data, error } = useQuery({
    ...queryOptions(api.listAllFqdns, { query: { fqdn, include: 'status', limit: '100' } }),
    enabled: fqdn !== '',
    // also while the service is known to be away, so that the reason is shown
    networkMode: 'always',
    retry: false,
    refetchInterval: ({ state: { status } }) => (status === 'error' ? retryMs : false),
  });
  if (data === undefined && error !== null && fqdn === name) return { names: [], fault: sentenceOf(error) };
  if (data === undefined || fqdn !== name) return { names: [] };
  const names = data.filter(({ status }) => status?.certificate !== undefined);
  if (names.length > 0) return { names };
  return { names, fault: data.length === 0 ? 'There is no such name.' : 'This name has no certificate yet.' };
}
