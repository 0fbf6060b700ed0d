import { Button, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { forgetUnsaved, hasUnsaved } from './unsaved.browser.js';

const options = {
  shouldBlockFn: ({
    current,
    next,
  }: {
    readonly current: { readonly pathname: string };
    readonly next: { readonly pathname: string };
  }) => current.pathname !== next.pathname && hasUnsaved(),
  enableBeforeUnload: hasUnsaved,
  withResolver: true,
} as const;

/** Asks before another page is opened while something typed on this one is not stored. */
export function UnsavedQuestion() {
  const { status, proceed, reset } = useBlocker(options);
  return (
    <Modal
      opened={status === 'blocked'}
      // above the dialog with the form
      zIndex={300}
      onClose={() => reset?.()}
      title="Leave this page?"
      centered
    >
      <div className="cl-form">
        <p>What you typed on this page is not stored yet, and leaving the page drops it.</p>
        <div className="cl-row">
          <Button data-autofocus onClick={() => reset?.()}>
            Stay on the page
          </Button>
          <Button
            variant="default"
            color="red"
            onClick={() => {
              forgetUnsaved();
              proceed?.();
            }}
          >
            Leave without it
          </Button>
        </div>
      </div>
    </Modal>
  );
}
