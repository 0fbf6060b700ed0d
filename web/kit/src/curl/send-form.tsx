import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEventHandler, ReactNode } from 'react';
import { Fault } from '../parts/form-parts.js';
import { faultsOf } from '../service/refusal.js';
import { CopyCurl, type CopyCurlProps } from './copy-curl.js';

interface Sending<C extends object, Reply> extends Pick<CopyCurlProps<C>, 'api' | 'secrets'> {
  /** Makes the call of the form with the client that it gets: that of the page, or one that writes the call down. */
  readonly send: (to: C, form: HTMLFormElement) => Promise<Reply>;
  /** Makes calls that belong to that one and are not copied as curl. */
  readonly also?: (reply: Reply) => Promise<unknown>;
  /** Members of the body that have a field of their own, which shows what the service says against them. */
  readonly fields?: readonly string[];
  /** Paths of the resources that it changes. */
  readonly changes?: readonly string[];
  readonly onSuccess?: (reply: Reply) => unknown;
  readonly onError?: (error: Error) => void;
}

const none: readonly string[] = [];

/** Returns the sending of a {@link SendForm}, and what the service said against its fields, by their names. */
export function useForm<C extends object, Reply>({
  api,
  secrets = none,
  send,
  also,
  fields = none,
  changes = none,
  ...reactions
}: Sending<C, Reply>) {
  const sending = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const reply = await send(api, form);
      await also?.(reply);
      return reply;
    },
    meta: { changes },
    ...reactions,
  });
  const { byField, general } = faultsOf(sending.error, fields);
  return { sending, byField, form: { api, secrets, send, sending, fault: general } };
}

/** A form with its fields, what is wrong with it as a whole, and the buttons that send it and copy its call. */
export function SendForm<C extends object, Reply>({
  api,
  secrets,
  send,
  sending,
  fault,
  label,
  disabled = false,
  onChange,
  children,
}: ReturnType<typeof useForm<C, Reply>>['form'] & {
  /** Text of the button that sends it. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly onChange?: FormEventHandler;
  readonly children: ReactNode;
}) {
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate(event.currentTarget);
      }}
      onChange={onChange}
    >
      {children}
      <Fault>{fault}</Fault>
      <div className="cl-row">
        <Button type="submit" loading={sending.isPending} disabled={disabled}>
          {label}
        </Button>
        <CopyCurl api={api} of={send} secrets={secrets} />
      </div>
    </form>
  );
}
