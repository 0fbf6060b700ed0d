import type { OwnSpace } from '@certloop/contracts/browser';
import { ConfirmDialog, countOf, Fault, FormEnd, faultsOf, forgetResource } from '@certloop/web-kit';
import { Button, Modal, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
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
  const send = (to: typeof api, body: ReturnType<typeof spaceOf>) => to.updateSpace({ params, body });
  const save = useMutation({
    mutationFn: async (body: ReturnType<typeof spaceOf>) => {
      await send(api, body);
      if (isWatched !== wasWatched) await api.setWatchEnabled({ params, body: { watchEnabled: isWatched } });
    },
    meta: { changes: [spaceResource(space.id)] },
    onSuccess: close,
  });
  const { byField, general } = faultsOf(save.error, spaceFields);
  return (
    <Modal opened onClose={close} title="Edit the space">
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(spaceOf(event.currentTarget));
        }}
      >
        <SpaceFields faults={byField} space={space} />
        <Switch
          label="The monitor watches its names"
          description="Switched off, no one is alerted if a renewal is late."
          checked={isWatched}
          onChange={(event) => setWatched(event.currentTarget.checked)}
        />
        <Fault>{general}</Fault>
        <FormEnd api={api} of={(to, form) => send(to, spaceOf(form))} isPending={save.isPending}>
          Save
        </FormEnd>
      </form>
    </Modal>
  );
}

function DeleteSpace({ space, close }: DialogProps) {
  const queries = useQueryClient();
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
      done={async () => {
        await navigate({ to: '/spaces' });
        forgetResource(queries, spaceResource(id));
      }}
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
