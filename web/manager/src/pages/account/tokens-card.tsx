import { type ApiToken, type Me, type TokenScope, tokenScopes } from '@certloop/contracts/browser';
import {
  CodeBlock,
  type Column,
  DataTable,
  Fault,
  faultsOf,
  Icon,
  Loaded,
  Moment,
  sentenceOf,
  serviceUrl,
} from '@certloop/web-kit';
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../service.js';

/** API tokens of the user: made here, shown once, revoked here. */
export function TokensCard({ rights }: { readonly rights: Me['rights'] }) {
  const [isAdding, setAdding] = useState(false);
  const [revoked, revoke] = useState<ApiToken>();
  const query = useQuery<readonly ApiToken[]>({
    queryKey: ['tokens'],
    queryFn: async ({ signal }) => (await api.listApiTokens({ signal })).body,
  });
  const columns: readonly Column<ApiToken>[] = [
    { key: 'name', title: 'Name', cell: ({ name }) => name },
    { key: 'scope', title: 'Scope', width: '8rem', cell: ({ scope }) => scope },
    { key: 'ends', title: 'Expires', width: '9rem', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      key: 'used',
      title: 'Last use',
      width: '9rem',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Moment at={lastUsedAt} />),
    },
    {
      key: 'act',
      title: '',
      width: '7rem',
      cell: (token) => (
        <Button size="xs" variant="default" onClick={() => revoke(token)} aria-label={`Revoke ${token.name}`}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <section className="cl-stack" aria-label="API tokens">
      <div className="cl-title">
        <h2>API tokens</h2>
        <Button size="xs" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
          Create a token
        </Button>
      </div>
      <Loaded query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="cl-dim">A token lets a program call the API in your name. You have none.</p>
          ) : (
            <DataTable label="API tokens" columns={columns} rows={tokens} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      {isAdding && <NewToken rights={rights} close={() => setAdding(false)} />}
      {revoked !== undefined && <Revoke token={revoked} close={() => revoke(undefined)} />}
    </section>
  );
}

const fields = ['name', 'scope', 'expiresAt'] as const;
const dayMs = 86_400_000;

function NewToken({ rights, close }: { readonly rights: Me['rights']; readonly close: () => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: async (body: {
      readonly name: string;
      readonly scope: TokenScope;
      readonly expiresAt: string;
    }) => (await api.createApiToken({ body })).body,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const { byField, general } = faultsOf(create.error, fields);
  const scopes = tokenScopes.filter((scope) => scope !== 'ADMIN' || rights.isAdmin);
  const made = create.data;
  return (
    <Modal opened onClose={close} title={made === undefined ? 'Create a token' : 'Copy the token now'}>
      {made === undefined ? (
        <form
          className="cl-form"
          onSubmit={(event) => {
            event.preventDefault();
            const data = new FormData(event.currentTarget);
            const scope = tokenScopes.find((one) => one === data.get('scope')) ?? 'READ';
            const days = Number(data.get('days'));
            const expiresAt = new Date(Date.now() + days * dayMs).toISOString();
            create.mutate({ name: String(data.get('name')), scope, expiresAt });
          }}
        >
          <TextInput
            name="name"
            label="Name"
            description="What uses it, for example ci-1."
            error={byField['name']}
            maxLength={100}
            required
            withAsterisk={false}
            data-autofocus
          />
          <NativeSelect
            name="scope"
            label="Scope"
            description="It may never do more than you."
            error={byField['scope']}
            data={scopes.map((scope) => ({ value: scope, label: scope }))}
          />
          <NativeSelect
            name="days"
            label="Expires"
            error={byField['expiresAt']}
            defaultValue="90"
            data={['7', '30', '90', '365'].map((days) => ({ value: days, label: `in ${days} days` }))}
          />
          <Fault>{general}</Fault>
          <Button type="submit" loading={create.isPending}>
            Create the token
          </Button>
        </form>
      ) : (
        <div className="cl-stack">
          <p>It is shown this once. Anyone who has it can act in your name.</p>
          <CodeBlock text={made.token} />
          <p>A call with it:</p>
          <CodeBlock text={`curl -H "Authorization: Bearer $TOKEN" ${serviceUrl()}/spaces`} />
        </div>
      )}
    </Modal>
  );
}

function Revoke({ token, close }: { readonly token: ApiToken; readonly close: () => void }) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.deleteApiToken({ params: { id: token.id } }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  return (
    <Modal opened onClose={close} title={`Revoke ${token.name}?`}>
      <div className="cl-form">
        <p>What uses this token is refused from now on. This cannot be undone.</p>
        <Fault>{revoke.isError ? sentenceOf(revoke.error) : undefined}</Fault>
        <div className="cl-row">
          <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke the token
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </div>
    </Modal>
  );
}
