import { Fault, FormEnd, faultsOf } from '@certloop/web-kit';
import { Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { spacesResource } from '../resources.js';
import { api } from '../service.js';
import { SpaceFields, spaceFields, spaceOf } from './space-fields.js';

type NewSpaceBody = ReturnType<typeof spaceOf>;
const send = (to: typeof api, body: NewSpaceBody) => to.createSpace({ body });

/** Dialog that creates a space. */
export function NewSpace({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const create = useMutation({
    mutationFn: (body: NewSpaceBody) => send(api, body),
    meta: { changes: [spacesResource] },
    onSuccess: close,
  });
  const { byField, general } = faultsOf(create.error, spaceFields);
  return (
    <Modal opened={isOpen} onClose={close} title="Create a space" onExitTransitionEnd={() => create.reset()}>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(spaceOf(event.currentTarget));
        }}
      >
        <SpaceFields faults={byField} nameHint="For example the team or the service that owns the names." />
        <Fault>{general}</Fault>
        <FormEnd api={api} of={(to, form) => send(to, spaceOf(form))} isPending={create.isPending}>
          Create the space
        </FormEnd>
      </form>
    </Modal>
  );
}
