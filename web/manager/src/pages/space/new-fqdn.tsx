import { resourceOf, SendForm, useForm } from '@certloop/web-kit';
import { Modal, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../service.js';

const fields = ['fqdn', 'description'] as const;

/** Dialog that adds a name to a space, and leads to its page. */
export function NewFqdn({
  spaceId,
  isOpen,
  close,
}: {
  readonly spaceId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}) {
  const navigate = useNavigate();
  const send = (to: typeof api, form: HTMLFormElement) => {
    const data = new FormData(form);
    const body = { fqdn: String(data.get('fqdn')).trim(), description: String(data.get('description')) };
    return to.createFqdn({ params: { id: spaceId }, body });
  };
  const { byField, form, sending } = useForm({
    api,
    send,
    fields: fields,
    changes: [resourceOf(api.listFqdns, { params: { id: spaceId } })],
    onSuccess: async ({ body: { id } }) => {
      close();
      await navigate({ to: '/spaces/$spaceId/fqdns/$fqdnId', params: { spaceId, fqdnId: id } });
    },
  });
  return (
    <Modal opened={isOpen} onClose={close} title="Add a name" onExitTransitionEnd={() => sending.reset()}>
      <SendForm {...form} label="Add the name">
        <TextInput
          name="fqdn"
          label="Host name"
          description="For example www.example.com, or *.example.com for a wildcard."
          error={byField['fqdn']}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={1_000}
          required
          data-autofocus
        />
        <TextInput name="description" label="Description" error={byField['description']} maxLength={1_000} />
      </SendForm>
    </Modal>
  );
}
