import { Button, CopyButton } from '@mantine/core';
import { Icon } from './icons.js';

interface CopyTextProps {
  readonly text: string;
  /** Which text it is. */
  readonly label?: string;
  /** Key of the page that copies it too. */
  readonly shortcut?: string;
}

/** A button that copies a text. */
export function CopyText({ text, label = 'Copy', shortcut }: CopyTextProps) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size="xs"
          variant="default"
          aria-keyshortcuts={shortcut}
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
          onClick={copy}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
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

/** Where a page has nothing yet: the command that does the same as its button. */
export function ByCommand({ text }: { readonly text: string }) {
  return (
    <>
      <p className="cl-dim">The same by a command:</p>
      <CodeBlock text={text} />
    </>
  );
}
