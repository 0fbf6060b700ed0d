import { Fault, faultsOf } from '@certloop/web-kit';
import { Button, Modal, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './service.js';

const fields = ['name', 'description'] as const;

/** Dialog that creates a space. */
export function NewSpace({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (body: { readonly name: string; readonly description: string }) => api.createSpace({ body }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['spaces'] });
    },
  });
  const { byField, general } = faultsOf(create.error, fields);
  return (
    <Modal opened={isOpen} onClose={close} title="Create a space" onExitTransitionEnd={() => create.reset()}>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          create.mutate({ name: String(data.get('name')), description: String(data.get('description')) });
        }}
      >
        <TextInput
          name="name"
          label="Name"
          description="For example the team or the service that owns the names."
          error={byField['name']}
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
        />
        <Textarea
          name="description"
          label="Description"
          error={byField['description']}
          maxLength={1_000}
          minRows={2}
          autosize
        />
        <Fault>{general}</Fault>
        <Button type="submit" loading={create.isPending}>
          Create the space
        </Button>
      </form>
    </Modal>
  );
}
