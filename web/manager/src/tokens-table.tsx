import type { ApiToken } from '@certloop/contracts/browser';
import { type Column, DataTable, Fault, Moment, sentenceOf } from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** API tokens, each with a button that revokes it. */
export function TokensTable({
  tokens,
  revoke,
}: {
  readonly tokens: readonly ApiToken[];
  readonly revoke: (token: ApiToken) => Promise<unknown>;
}) {
  const [asked, ask] = useState<ApiToken>();
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
        <Button size="xs" variant="default" onClick={() => ask(token)} aria-label={`Revoke ${token.name}`}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable label="API tokens" columns={columns} rows={tokens} rowKey={({ id }) => id} />
      {asked !== undefined && <Revoke token={asked} revoke={revoke} close={() => ask(undefined)} />}
    </>
  );
}

function Revoke({
  token,
  revoke,
  close,
}: {
  readonly token: ApiToken;
  readonly revoke: (token: ApiToken) => Promise<unknown>;
  readonly close: () => void;
}) {
  const queries = useQueryClient();
  const revocation = useMutation({
    mutationFn: () => revoke(token),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  return (
    <Modal opened onClose={close} title={`Revoke ${token.name}?`}>
      <div className="cl-form">
        <p>What uses this token is refused from now on. This cannot be undone.</p>
        <Fault>{revocation.isError ? sentenceOf(revocation.error) : undefined}</Fault>
        <div className="cl-row">
          <Button color="red" loading={revocation.isPending} onClick={() => revocation.mutate()}>
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
