import { Fault, faultsOf } from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../service.js';

/** Dialog that creates a project, and leads to its page. */
export function NewProject({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (name: string) => api.createProject({ body: { name } }),
    onSuccess: async ({ body: { id } }) => {
      close();
      await queries.invalidateQueries({ queryKey: ['projects'] });
      await navigate({ to: '/projects/$projectId', params: { projectId: id } });
    },
  });
  const { byField, general } = faultsOf(create.error, ['name']);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Create a project"
      onExitTransitionEnd={() => create.reset()}
    >
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(String(new FormData(event.currentTarget).get('name')));
        }}
      >
        <TextInput
          name="name"
          label="Name"
          description="For example the team or the service whose jobs it watches."
          error={byField['name']}
          maxLength={200}
          required
          withAsterisk={false}
          data-autofocus
        />
        <Fault>{general}</Fault>
        <Button type="submit" loading={create.isPending}>
          Create the project
        </Button>
      </form>
    </Modal>
  );
}
