import { Fault, faultsOf } from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './service.js';
import { SpaceFields, spaceFields, spaceOf } from './space-fields.js';

/** Dialog that creates a space. */
export function NewSpace({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (body: ReturnType<typeof spaceOf>) => api.createSpace({ body }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['spaces'] });
    },
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
        <Button type="submit" loading={create.isPending}>
          Create the space
        </Button>
      </form>
    </Modal>
  );
}
