import type { OwnSpace } from '@certloop/contracts/browser';
import { ConfirmDialog, countOf, SendForm, useForm } from '@certloop/web-kit';
import { Button, Modal, Switch } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { spaceResource } from '../../resources.js';
import { includesLevel, useRights } from '../../rights.js';
import { api } from '../../service.js';
import { SpaceFields, spaceFields, spaceOf } from '../../spaces/space-fields.js';

/** Edits or deletes a space, for those who may. */
export function SpaceActions({ space }: { readonly space: OwnSpace }) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const { hasFullAccess } = useRights();
  const close = () => setOpen(undefined);
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="/spaces/$spaceId/issuance-policy" params={{ spaceId: space.id }} />
        )}
      >
        Issuance policy
      </Button>
      {includesLevel(space.level, 'FULL_ACCESS') && (
        <Button variant="default" onClick={() => setOpen('edit')}>
          Edit the space
        </Button>
      )}
      {hasFullAccess && (
        <Button variant="default" color="red" onClick={() => setOpen('delete')}>
          Delete…
        </Button>
      )}
      {open === 'edit' && <EditSpace space={space} close={close} />}
      {open === 'delete' && <DeleteSpace space={space} close={close} />}
    </>
  );
}

interface DialogProps {
  readonly space: OwnSpace;
  readonly close: () => void;
}

function EditSpace({ space, close }: DialogProps) {
  const wasWatched = space.watchEnabled !== false;
  const [isWatched, setWatched] = useState(wasWatched);
  const params = { id: space.id };
  const { byField, form } = useForm({
    api,
    send: (to, edited) => to.updateSpace({ params, body: spaceOf(edited) }),
    also: async () => {
      if (isWatched !== wasWatched) await api.setWatchEnabled({ params, body: { watchEnabled: isWatched } });
    },
    fields: spaceFields,
    changes: [spaceResource(space.id)],
    onSuccess: close,
  });
  return (
    <Modal opened onClose={close} title="Edit the space">
      <SendForm {...form} label="Save">
        <SpaceFields faults={byField} space={space} />
        <Switch
          label="The monitor watches its names"
          description="Switched off, no one is alerted if a renewal is late."
          checked={isWatched}
          onChange={(event) => setWatched(event.currentTarget.checked)}
        />
      </SendForm>
    </Modal>
  );
}

function DeleteSpace({ space, close }: DialogProps) {
  const navigate = useNavigate();
  const { id, name, counts } = space;
  const names = countOf(counts.total, 'name');
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      label={counts.total === 0 ? 'Delete the space' : `Delete the space with its ${names}`}
      typeFirst={name}
      act={() =>
        api.deleteSpace({ params: { id }, query: counts.total === 0 ? {} : { deleteFqdns: 'true' } })
      }
      done={() => navigate({ to: '/spaces' })}
      deletes={spaceResource(id)}
      changes={[spaceResource(id)]}
      close={close}
    >
      <p>
        {counts.total === 0
          ? 'It has no names.'
          : `This also deletes its ${names}, with their CSRs, certificates and checks in the monitor.`}{' '}
        This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
