import type { AcmeClient, AllowedNames, NewAcmeClient } from '@certloop/contracts/browser';
import { ConfirmDialog, SendForm, useForm } from '@certloop/web-kit';
import { Modal } from '@mantine/core';
import { useState } from 'react';
import { acmeClientsResource } from '../../resources.js';
import { api } from '../../service.js';
import { type ClientDraft, clientOf, draftOfClient } from './client-draft.js';
import { ClientFields, clientFields } from './client-fields.js';

interface NewProps {
  readonly spaceId: string;
  readonly allowed: AllowedNames | null;
  readonly made: (client: NewAcmeClient) => void;
  readonly close: () => void;
}

/** Dialog that creates an ACME client. */
export function NewClient({ spaceId, allowed, made, close }: NewProps) {
  const [draft, change] = useState(() => draftOfClient(undefined, allowed));
  const { byField, form } = useForm({
    api,
    send: (to) => to.createAcmeClient({ params: { spaceId }, body: clientOf(draft) }),
    fields: clientFields,
    changes: [acmeClientsResource(spaceId)],
    onSuccess: ({ body }) => {
      close();
      made(body);
    },
  });
  const set = (part: Partial<ClientDraft>) => change((before) => ({ ...before, ...part }));
  return (
    <Modal opened onClose={close} title="Create an ACME client" size="lg">
      <SendForm {...form} label="Create the client">
        <ClientFields draft={draft} set={set} faults={byField} allowed={allowed} />
      </SendForm>
    </Modal>
  );
}

interface ClientProps {
  readonly client: AcmeClient;
  readonly close: () => void;
}

/** Dialog that changes an ACME client. */
export function EditClient({
  client,
  allowed,
  close,
}: ClientProps & { readonly allowed: AllowedNames | null }) {
  const [draft, change] = useState(() => draftOfClient(client, allowed));
  const { id, spaceId } = client;
  const { byField, form } = useForm({
    api,
    send: (to) => to.updateAcmeClient({ params: { spaceId, id }, body: clientOf(draft, client) }),
    fields: clientFields,
    changes: [acmeClientsResource(spaceId)],
    onSuccess: close,
  });
  const set = (part: Partial<ClientDraft>) => change((before) => ({ ...before, ...part }));
  return (
    <Modal opened onClose={close} title="Edit the ACME client" size="lg">
      <SendForm {...form} label="Save">
        <ClientFields draft={draft} set={set} faults={byField} allowed={allowed} />
      </SendForm>
    </Modal>
  );
}

/** Asks before the key is replaced. */
export function RekeyClient({
  client: { id, spaceId, name },
  made,
  close,
}: ClientProps & { readonly made: NewProps['made'] }) {
  return (
    <ConfirmDialog
      title={`Create a new key for ${name}?`}
      label="Create a new key"
      color="indigo"
      act={async () => made((await api.rekeyAcmeClient({ params: { spaceId, id } })).body)}
      changes={[acmeClientsResource(spaceId)]}
      close={close}
    >
      <p>
        The old key ends at once: no machine can register by it. Machines that are registered go on as they
        are.
      </p>
    </ConfirmDialog>
  );
}

/** Asks before a client is deleted. */
export function DeleteClient({ client: { id, spaceId, name, use }, close }: ClientProps) {
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      label="Delete the ACME client"
      typeFirst={name}
      act={() => api.deleteAcmeClient({ params: { spaceId, id } })}
      changes={[acmeClientsResource(spaceId)]}
      close={close}
    >
      <p>
        Its key and its accounts end at once: the machines that use it can no longer renew. Certificates stay
        until they expire
        {use !== undefined && use.fqdnCount > 0 ? ', and their names are watched for that' : ''}. This cannot
        be undone.
      </p>
    </ConfirmDialog>
  );
}
