import type { ApiToken } from '@certloop/contracts/browser';
import {
  type Column,
  ConfirmDialog,
  countText,
  DataTable,
  Moment,
  StateChip,
  useNow,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { tokensResource } from '../resources.js';
import { useNamesOfSpaces } from '../spaces/space-names.js';

/** API tokens, each with a button that revokes it. */
export function TokensTable({
  tokens,
  revoke,
}: {
  readonly tokens: readonly ApiToken[];
  readonly revoke: (token: ApiToken) => Promise<unknown>;
}) {
  const [asked, ask] = useState<ApiToken>();
  const now = useNow();
  const names = useNamesOfSpaces(tokens.flatMap(({ spaceIds }) => spaceIds?.slice(0, maxNamed) ?? []));
  const columns: readonly Column<ApiToken>[] = [
    { key: 'name', title: 'Name', cell: ({ name }) => name },
    { key: 'scope', title: 'Scope', width: '8rem', cell: ({ scope }) => scope },
    { key: 'spaces', title: 'Spaces', cell: ({ spaceIds }) => spacesText(spaceIds, names) },
    {
      key: 'ends',
      title: 'Expires',
      width: '9rem',
      cell: ({ expiresAt }) => <End at={expiresAt} now={now} />,
    },
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
      {asked !== undefined && (
        <ConfirmDialog
          title={`Revoke ${asked.name}?`}
          label="Revoke the token"
          act={() => revoke(asked)}
          changes={[tokensResource]}
          close={() => ask(undefined)}
        >
          <p>What uses this token is refused from now on. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

// of many spaces of a token these are named
const maxNamed = 3;

function spacesText(spaceIds: ApiToken['spaceIds'], names: ReadonlyMap<string, string>): string {
  if (spaceIds === null) return 'all';
  const named = spaceIds.slice(0, maxNamed).map((id) => names.get(id) ?? '…');
  const rest = spaceIds.length - named.length;
  return named.join(', ') + (rest > 0 ? `, and ${countText(rest)} more` : '');
}

// time enough to replace it where it is used
const noticeMs = 14 * 86_400_000;

/** When a token ends, marked once that is near. */
function End({ at, now }: { readonly at: string; readonly now: number }) {
  if (Date.parse(at) - now > noticeMs) return <Moment at={at} />;
  return <StateChip tone="warn" shape="clock" word={<Moment at={at} />} />;
}
