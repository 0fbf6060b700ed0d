import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import { Fault } from '../parts/form-parts.js';
import { Icon } from '../parts/icons.js';
import { sentenceOf } from '../service/refusal.js';
import { curlCommand } from './curl-command.js';
import { captureRequest } from './written-requests.js';

export interface CopyCurlProps<C extends object> {
  readonly api: C;
  /** Makes the call of the form, with the client that it gets. */
  readonly of: (to: C, form: HTMLFormElement) => Promise<unknown>;
  /** Paths of members of the body that hold secrets, beside those whose names say so. */
  readonly secrets?: readonly string[];
}

/** Button of a form that copies the request which the form would send now as a curl command, without its secrets. */
export function CopyCurl<C extends object>({ api, of, secrets }: CopyCurlProps<C>) {
  const { copy, copied, error } = useClipboard();
  const [command, setCommand] = useState<string>();
  const [fault, setFault] = useState<string>();
  const write = async (form: HTMLFormElement) => {
    setFault(undefined);
    try {
      const text = curlCommand(await captureRequest(api, (to) => of(to, form)), secrets);
      setCommand(text);
      copy(text);
    } catch (reason) {
      setFault(sentenceOf(reason));
    }
  };
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        c="var(--cl-text)"
        leftSection={<Icon name={copied ? 'check' : 'terminal'} />}
        onClick={({ currentTarget: { form } }) => {
          // the fields say what is missing
          if (form?.reportValidity() === true) void write(form);
        }}
      >
        {copied ? 'Copied' : 'Copy as curl'}
      </Button>
      {/* over plain HTTP, browsers let no page copy */}
      {error !== null && command !== undefined && <pre className="cl-code">{command}</pre>}
      <Fault>{fault}</Fault>
    </>
  );
}
