import type { OwnFqdn } from '@certloop/contracts/browser';
import { ConfirmDialog, SendForm, useForm } from '@certloop/web-kit';
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tagsIn } from '../../names/labels.js';
import { useProviders } from '../../providers.js';
import { fqdnResource } from '../../resources.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';

/** Edits or deletes a name, for those who may. */
export function NameActions({ fqdn }: { readonly fqdn: OwnFqdn }) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  if (!includesLevel(fqdn.level, 'READ_WRITE')) return null;
  return (
    <div className="cl-row">
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit
      </Button>
      {includesLevel(fqdn.level, 'FULL_ACCESS') && (
        <Button variant="default" color="red" onClick={() => setOpen('delete')}>
          Delete…
        </Button>
      )}
      {open === 'edit' && <EditName fqdn={fqdn} close={close} />}
      {open === 'delete' && <DeleteName fqdn={fqdn} close={close} />}
    </div>
  );
}

interface DialogProps {
  readonly fqdn: OwnFqdn;
  readonly close: () => void;
}

const fields = ['description', 'providerId', 'owner', 'tags'] as const;

function EditName({ fqdn, close }: DialogProps) {
  const providers = useProviders().data ?? [];
  const [chosen, choose] = useState<string>();
  const send = (to: typeof api, form: HTMLFormElement) => {
    const data = new FormData(form);
    const owner = String(data.get('owner')).trim();
    const providerId = chosen ?? fqdn.providerId ?? '';
    return to.updateFqdn({
      params: { id: fqdn.spaceId, fqdnId: fqdn.id },
      body: {
        description: String(data.get('description')),
        providerId: providerId === '' ? null : providerId,
        owner: owner === '' ? null : owner,
        tags: tagsIn(String(data.get('tags'))),
      },
    });
  };
  const { byField, form } = useForm({
    api,
    send,
    fields: fields,
    changes: [fqdnResource(fqdn.spaceId, fqdn.id)],
    onSuccess: close,
  });
  return (
    <Modal opened onClose={close} title="Edit the name">
      <SendForm {...form} label="Save">
        <TextInput
          name="description"
          label="Description"
          defaultValue={fqdn.description}
          error={byField['description']}
          maxLength={1_000}
          data-autofocus
        />
        <TextInput
          name="owner"
          label="Owner"
          description="A person, a team or a mail address. Notices and the check in the monitor show it."
          defaultValue={fqdn.owner ?? ''}
          error={byField['owner']}
          maxLength={200}
        />
        <TextInput
          name="tags"
          label="Tags"
          description="Separated by spaces."
          defaultValue={(fqdn.tags ?? []).join(' ')}
          error={byField['tags']}
        />
        <NativeSelect
          label="Provider of the first certificate"
          description="Later ones come from the provider that issued the newest certificate."
          value={chosen ?? fqdn.providerId ?? ''}
          onChange={({ currentTarget: { value } }) => choose(value)}
          data={[
            { value: '', label: 'None' },
            ...providers.map(({ id, displayName }) => ({ value: id, label: displayName })),
          ]}
          error={byField['providerId']}
        />
      </SendForm>
    </Modal>
  );
}

function DeleteName({ fqdn, close }: DialogProps) {
  const navigate = useNavigate();
  const { id: fqdnId, spaceId } = fqdn;
  return (
    <ConfirmDialog
      title={`Delete ${fqdn.fqdn}?`}
      label="Delete the name"
      typeFirst={fqdn.fqdn}
      act={() => api.deleteFqdn({ params: { id: spaceId, fqdnId } })}
      done={() => navigate({ to: '/spaces/$spaceId', params: { spaceId } })}
      deletes={fqdnResource(spaceId, fqdnId)}
      changes={[fqdnResource(spaceId, fqdnId)]}
      close={close}
    >
      <p>
        This also deletes its CSRs, its certificates and its check in the monitor. Servers go on with the
        certificate that they have, and nothing renews it. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
