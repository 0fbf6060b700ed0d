import { SendForm, useForm } from '@certloop/web-kit';
import { Modal, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { projectsResource } from '../../resources.js';
import { api } from '../../service.js';

/** Dialog that creates a project, and leads to its page. */
export function NewProject({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  const navigate = useNavigate();
  const { byField, form, sending } = useForm({
    api,
    send: (to, project) => to.createProject({ body: { name: String(new FormData(project).get('name')) } }),
    fields: ['name'],
    changes: [projectsResource],
    onSuccess: async ({ body: { id } }) => {
      close();
      await navigate({ to: '/projects/$projectId', params: { projectId: id } });
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Create a project"
      onExitTransitionEnd={() => sending.reset()}
    >
      <SendForm {...form} label="Create the project">
        <TextInput
          name="name"
          label="Name"
          description="For example the team or the service whose jobs it watches."
          error={byField['name']}
          maxLength={200}
          required
          data-autofocus
        />
      </SendForm>
    </Modal>
  );
}
