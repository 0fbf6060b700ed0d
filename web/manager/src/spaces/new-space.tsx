import { SendForm, useForm } from '@certloop/web-kit';
import { Modal } from '@mantine/core';
import { spacesResource } from '../resources.js';
import { api } from '../service.js';
import { SpaceFields, spaceFields, spaceOf } from './space-fields.js';

/** Dialog that creates a space. */
export function NewSpace({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const { byField, form, sending } = useForm({
    api,
    send: (to, body) => to.createSpace({ body: spaceOf(body) }),
    fields: spaceFields,
    changes: [spacesResource],
    onSuccess: close,
  });
  return (
    <Modal opened={isOpen} onClose={close} title="Create a space" onExitTransitionEnd={() => sending.reset()}>
      <SendForm {...form} label="Create the space">
        <SpaceFields faults={byField} nameHint="For example the team or the service that owns the names." />
      </SendForm>
    </Modal>
  );
}
