import { Fault, sentenceOf } from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

/** Dialog that deletes something for good once its name is typed. */
export function DeleteDialog({
  name,
  noun,
  remove,
  close,
  children,
}: {
  readonly name: string;
  /** What it is, such as `user`. */
  readonly noun: string;
  readonly remove: () => Promise<unknown>;
  readonly close: () => void;
  /** What is deleted with it. */
  readonly children: ReactNode;
}) {
  const [typed, type] = useState('');
  const deletion = useMutation({ mutationFn: remove });
  return (
    <Modal opened onClose={close} title={`Delete ${name}?`}>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          deletion.mutate();
        }}
      >
        {children}
        <TextInput
          label={`Type ${name} to delete it`}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <Fault>{deletion.isError ? sentenceOf(deletion.error) : undefined}</Fault>
        <div className="cl-row">
          <Button
            type="submit"
            color="red"
            disabled={typed.trim() !== name.trim()}
            loading={deletion.isPending}
          >
            Delete the {noun}
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Modal>
  );
}
