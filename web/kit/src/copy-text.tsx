import { Button, CopyButton } from '@mantine/core';
import { Icon } from './frame/icons.js';

/** A button that copies a text; `label` says which. */
export function CopyText({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
          onClick={copy}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}

/** Copies a text without a button, such as by a key. Throws if the browser does not allow it. */
export function copyText(text: string): Promise<void> {
  // absent on pages over http of other hosts
  return navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('the browser does not allow it'));
}

/** A command or a text to be copied as it is. */
export function CodeBlock({ text }: { readonly text: string }) {
  return (
    <div className="cl-stack">
      <pre className="cl-code">{text}</pre>
      <div className="cl-row">
        <CopyText text={text} />
      </div>
    </div>
  );
}
