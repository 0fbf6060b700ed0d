import type { Provider } from '@certloop/contracts/browser';
import {
  type Column,
  DataTable,
  EmptyState,
  Fault,
  Loaded,
  StateChip,
  sentenceOf,
  useTitle,
} from '@certloop/web-kit';
import { Button, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProviders } from '../../providers.js';
import { useRights } from '../../rights.js';
import { api } from '../../service.js';
import { ConfigureProvider } from './configure-provider.js';

/** Who issues certificates, and whether each can be asked. */
export function ProvidersPage() {
  useTitle('Providers', 'manager');
  const { isAdmin } = useRights();
  const [editedId, edit] = useState<string>();
  const query = useProviders();
  const edited = query.data?.find(({ id }) => id === editedId);
  const columns: readonly Column<Provider>[] = [
    { key: 'name', title: 'Provider', cell: ({ displayName }) => displayName },
    { key: 'short', title: 'Name', width: '10rem', cell: ({ name }) => name },
    { key: 'kind', title: 'Kind', width: '8rem', cell: ({ kind }) => kind },
    { key: 'address', title: 'Address', cell: addressOf },
    {
      key: 'state',
      title: 'State',
      width: '11rem',
      cell: (provider) => (isAdmin ? <EnabledSwitch provider={provider} /> : <State provider={provider} />),
    },
    ...(isAdmin
      ? [
          {
            key: 'act',
            title: '',
            width: '16rem',
            cell: (provider: Provider) => <Actions provider={provider} configure={() => edit(provider.id)} />,
          },
        ]
      : []),
  ];
  return (
    <>
      <h1>Providers</h1>
      {!isAdmin && <p className="cl-dim">Administrators configure and enable providers.</p>}
      <Loaded query={query}>
        {(providers) =>
          providers.length === 0 ? (
            <EmptyState title="There is no provider">
              <p>A provider issues certificates for the names of all spaces.</p>
            </EmptyState>
          ) : (
            <DataTable label="Providers" columns={columns} rows={providers} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      {edited !== undefined && <ConfigureProvider provider={edited} close={() => edit(undefined)} />}
    </>
  );
}

function addressOf({ config }: Provider): string {
  const address = config['baseUrl'] ?? config['directoryUrl'];
  return typeof address === 'string' ? address : 'not configured';
}

function State({ provider }: { readonly provider: Provider }) {
  return (
    <StateChip tone={provider.enabled ? 'ok' : 'idle'} shape={provider.enabled ? 'check' : 'bars'}>
      {provider.enabled ? 'enabled' : 'disabled'}
    </StateChip>
  );
}

function EnabledSwitch({ provider }: { readonly provider: Provider }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      api.setProviderEnabled({ params: { id: provider.id }, body: { enabled } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['providers'] }),
  });
  // answers at once, and goes back when it is refused
  const isOn = change.isPending ? change.variables : provider.enabled;
  return (
    <Switch
      label={isOn ? 'enabled' : 'disabled'}
      aria-label={`${isOn ? 'enabled' : 'disabled'}: ${provider.displayName}`}
      checked={isOn}
      error={change.isError ? sentenceOf(change.error) : undefined}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
}

/** Tests a provider with its stored configuration, and opens the form of that. */
function Actions({ provider, configure }: { readonly provider: Provider; readonly configure: () => void }) {
  const test = useMutation({
    mutationFn: async () => (await api.testProvider({ params: { id: provider.id }, body: {} })).body,
  });
  const failure = test.isError ? sentenceOf(test.error) : failureOf(test.data);
  return (
    <div className="cl-stack">
      <div className="cl-row">
        <Button
          size="xs"
          variant="default"
          loading={test.isPending}
          aria-label={`Test ${provider.displayName}`}
          onClick={() => test.mutate()}
        >
          Test
        </Button>
        <Button
          size="xs"
          variant="default"
          aria-label={`Configure ${provider.displayName}`}
          onClick={configure}
        >
          Configure
        </Button>
      </div>
      <Fault>{failure}</Fault>
      {test.data?.success === true && (
        <p className="cl-result" role="status">
          {test.data.message}
        </p>
      )}
    </div>
  );
}

function failureOf(result: { readonly success: boolean; readonly message: string } | undefined) {
  return result?.success === false ? result.message : undefined;
}
