import { Button } from '@mantine/core';
import { CopyCurl, type CopyCurlProps } from './copy-curl.js';

interface FormEndProps<C extends object> extends CopyCurlProps<C> {
  readonly isPending: boolean;
  readonly disabled?: boolean;
  /** Text of the button. */
  readonly children: string;
}

/** The button that sends a form, and the one that copies what it would send. */
export function FormEnd<C extends object>({ isPending, disabled, children, ...copied }: FormEndProps<C>) {
  return (
    <div className="cl-row">
      <Button type="submit" loading={isPending} disabled={disabled === true}>
        {children}
      </Button>
      <CopyCurl {...copied} />
    </div>
  );
}
