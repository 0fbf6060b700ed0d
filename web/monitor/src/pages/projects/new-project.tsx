import { Fault, FormEnd, faultsOf } from '@certloop/web-kit';
import { Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { projectsResource } from '../../resources.js';
import { api } from '../../service.js';

const send = (to: typeof api, form: HTMLFormElement) =>
  to.createProject({ body: { name: String(new FormData(form).get('name')) } });

/** Dialog that creates a project, and leads to its page. */
export function NewProject({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (form: HTMLFormElement) => send(api, form),
    meta: { changes: [projectsResource] },
    onSuccess: async ({ body: { id } }) => {
      close();
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
          create.mutate(event.currentTarget);
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
        <FormEnd api={api} of={send} isPending={create.isPending}>
          Create the project
        </FormEnd>
      </form>
    </Modal>
  );
}
