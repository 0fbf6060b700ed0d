import { type Me, tokenScopes } from '@certloop/contracts/browser';
import {
  AddButton,
  ByCommand,
  CodeBlock,
  faultsOf,
  Loaded,
  PasswordField,
  queryOptions,
  SendForm,
  serviceUrl,
  useForm,
  WaitingLines,
} from '@certloop/web-kit';
import { Modal, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { TokensTable } from '../../people/tokens-table.js';
import { tokensResource } from '../../resources.js';
import { api } from '../../service.js';
import { SpacePicker } from '../../spaces/space-picker.js';

/** API tokens of the user: made here, shown once, revoked here. */
export function TokensCard({ rights }: { readonly rights: Me['rights'] }) {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery(queryOptions(api.listApiTokens));
  return (
    <section className="cl-stack" aria-label="API tokens">
      <div className="cl-title">
        <h2>API tokens</h2>
        <AddButton isSmall label="Create a token" onClick={() => setAdding(true)} />
      </div>
      <Loaded query={query} waiting={<WaitingLines count={3} />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <>
              <p className="cl-dim">A token lets a program call the API in your name. You have none.</p>
              <ByCommand text="certloop tokens create nightly --scope READ --expires-in 12w" />
            </>
          ) : (
            <TokensTable tokens={tokens} revoke={({ id }) => api.deleteApiToken({ params: { id } })} />
          )
        }
      </Loaded>
      {isAdding && <NewToken rights={rights} close={() => setAdding(false)} />}
    </section>
  );
}

const fields = ['name', 'scope', 'expiresAt', 'spaceIds', 'password'] as const;
const dayMs = 86_400_000;

function send(to: typeof api, form: HTMLFormElement, spaceIds: readonly string[]) {
  const data = new FormData(form);
  const scope = tokenScopes.find((one) => one === data.get('scope')) ?? 'READ';
  const days = Number(data.get('days'));
  const expiresAt = new Date(Date.now() + days * dayMs).toISOString();
  const limit = spaceIds.length > 0 && { spaceIds: [...spaceIds] };
  const password = data.get('password');
  const body = { name: String(data.get('name')), scope, expiresAt, ...limit };
  return to.createApiToken({ body: { ...body, ...(password !== null && { password: String(password) }) } });
}

function NewToken({ rights, close }: { readonly rights: Me['rights']; readonly close: () => void }) {
  const [spaceIds, choose] = useState<readonly string[]>([]);
  // the service asks for it if the sign-in was some time ago
  const [asksPassword, askPassword] = useState(false);
  const { byField, form, sending } = useForm({
    api,
    send: (to, token) => send(to, token, spaceIds),
    fields,
    changes: [tokensResource],
    onError: (error) => {
      if (faultsOf(error, fields).byField['password'] !== undefined) askPassword(true);
    },
  });
  if (sending.isSuccess) return <MadeToken token={sending.data.body.token} close={close} />;
  return (
    <Modal opened onClose={close} title="Create a token">
      <SendForm {...form} label="Create the token">
        <TokenFields rights={rights} faults={byField} />
        <SpacePicker label="Spaces" chosen={spaceIds} change={choose} error={byField['spaceIds']} />
        <p className="cl-dim">
          {spaceIds.length === 0
            ? 'If you choose none, the token reaches every space that you reach.'
            : 'The token reaches only these spaces, as far as you reach them.'}
        </p>
        {asksPassword && (
          <PasswordField
            name="password"
            label="Your password"
            autoComplete="current-password"
            error={byField['password']}
          />
        )}
      </SendForm>
    </Modal>
  );
}

function TokenFields({
  rights,
  faults,
}: {
  readonly rights: Me['rights'];
  readonly faults: Readonly<Record<string, string>>;
}) {
  const scopes = tokenScopes.filter((scope) => scope !== 'ADMIN' || rights.isAdmin);
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        description="What uses it, for example ci-1."
        error={faults['name']}
        maxLength={100}
        required
        data-autofocus
      />
      <NativeSelect
        name="scope"
        label="Scope"
        description="It may never do more than you."
        error={faults['scope']}
        data={scopes.map((scope) => ({ value: scope, label: scope }))}
      />
      <NativeSelect
        name="days"
        label="Expires"
        error={faults['expiresAt']}
        defaultValue="90"
        data={['7', '30', '90', '365'].map((days) => ({ value: days, label: `in ${days} days` }))}
      />
    </>
  );
}

function MadeToken({ token, close }: { readonly token: string; readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title="Copy the token now">
      <div className="cl-stack">
        <p>It is shown this once. Anyone who has it can act in your name.</p>
        <CodeBlock text={token} />
        <p>A call with it:</p>
        <CodeBlock text={`curl -H "Authorization: Bearer $TOKEN" ${serviceUrl()}/spaces`} />
      </div>
    </Modal>
  );
}
