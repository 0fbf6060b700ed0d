import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { forgetResource } from '../../operations/changes.browser.js';
import { Fault } from '../../parts/form-parts.js';
import { sentenceOf } from '../../service/refusal.js';

interface Question {
  /** Text of the button that confirms, such as `Revoke the token`. */
  readonly label: string;
  readonly color?: 'red' | 'indigo';
  /** Name that has to be typed before the button can be pressed. */
  readonly typeFirst?: string;
  /** Confirmed action. Its error is shown, and the dialog stays open. */
  readonly act: () => Promise<unknown>;
  /** Paths of the resources that it changes. */
  readonly changes?: readonly string[];
  /** Runs after the dialog is closed, such as opening another page. */
  readonly done?: () => Promise<unknown>;
  /** Path of a resource that it deletes, which is forgotten after that. */
  readonly deletes?: string;
  readonly close: () => void;
  /** Description of what will happen. */
  readonly children: ReactNode;
}

/** Dialog that does something only once the user has confirmed it. */
export function ConfirmDialog({ title, ...question }: Question & { readonly title: string }) {
  return (
    <Modal opened onClose={question.close} title={title}>
      <ConfirmForm {...question} />
    </Modal>
  );
}

const noChanges: readonly string[] = [];

/** Content of a {@link ConfirmDialog}, for a dialog that is open already. */
export function ConfirmForm({
  label,
  color = 'red',
  typeFirst,
  act,
  changes = noChanges,
  done,
  deletes,
  close,
  children,
}: Question) {
  const queries = useQueryClient();
  const [typed, type] = useState('');
  const action = useMutation({
    mutationFn: act,
    meta: { changes },
    onSuccess: async () => {
      close();
      await done?.();
      if (deletes !== undefined) forgetResource(queries, deletes);
    },
  });
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate();
      }}
    >
      {children}
      {typeFirst !== undefined && (
        <TextInput
          label={`Type ${typeFirst} to delete it`}
          value={typed}
          onChange={({ currentTarget: { value } }) => type(value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
      <Fault>{action.isError ? sentenceOf(action.error) : undefined}</Fault>
      <div className="cl-row">
        <Button
          type="submit"
          color={color}
          loading={action.isPending}
          disabled={typeFirst !== undefined && typed.trim() !== typeFirst.trim()}
        >
          {label}
        </Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
