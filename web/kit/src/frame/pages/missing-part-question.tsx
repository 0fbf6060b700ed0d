import { Button, Modal } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { loadAnew } from '../../unsaved/unsaved.browser.js';
import { isServiceThere, type MissingReason, missingTexts, onMissingPart } from './missing-parts.browser.js';

/** Keeps the page shown when the next one cannot be loaded and something typed is not stored, and says what to do. */
export function MissingPartQuestion() {
  const router = useRouter();
  // without a reason until it is known
  const [shown, setShown] = useState<{ readonly reason?: MissingReason }>();
  useEffect(
    () =>
      onMissingPart((reason) => {
        const { resolvedLocation } = router.state;
        if (resolvedLocation === undefined) return;
        const asked = {};
        setShown(asked);
        // another question may have taken its place
        void reason.then((found) => setShown((now) => (now === asked ? { reason: found } : now)));
        // the address names the other page already
        void router.navigate({ href: resolvedLocation.href, replace: true, ignoreBlocker: true });
      }),
    [router],
  );
  const close = () => setShown(undefined);
  const leave = async () => {
    if (await isServiceThere()) loadAnew();
    else setShown({ reason: 'away' });
  };
  return (
    // above the dialog with the form
    <Modal
      opened={shown !== undefined}
      zIndex={300}
      onClose={close}
      title="That page cannot be opened now"
      centered
    >
      <div className="cl-form">
        <p>
          {shown?.reason === undefined
            ? 'A part of that page could not be loaded.'
            : missingTexts[shown.reason]}
        </p>
        <p>
          What you typed on this page is still there. Save it or copy it first, then load the console anew.
        </p>
        <div className="cl-row">
          <Button data-autofocus onClick={close}>
            Stay on the page
          </Button>
          <Button variant="default" color="red" onClick={() => void leave()}>
            Load the console anew without it
          </Button>
        </div>
      </div>
    </Modal>
  );
}
