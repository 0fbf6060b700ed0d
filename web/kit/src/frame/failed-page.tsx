import { Button } from '@mantine/core';
import { useState } from 'react';
import { Icon } from './icons.js';
import { isServiceThere } from './missing-parts.browser.js';
import { loadAnew } from './unsaved.browser.js';

/** Stands in the place of a page that could not be loaded or drawn. */
export function FailedPage({ error }: { readonly error?: unknown }) {
  const [isAway, setAway] = useState(false);
  const tryAgain = async () => {
    if (await isServiceThere()) loadAnew();
    else setAway(true);
  };
  return (
    <section className="cl-panel" data-tone="bad" role="alert">
      <h1>
        <Icon name="alert" /> This page could not be opened
      </h1>
      <p>
        A part of the console could not be loaded or has failed. If the service was updated, loading the
        console anew helps.
      </p>
      {error instanceof Error && <p className="cl-dim cl-mono">{error.message}</p>}
      {isAway && <p role="status">The service does not answer. Try again in a moment.</p>}
      <div className="cl-row">
        <Button size="xs" variant="default" onClick={() => void tryAgain()}>
          Load the console anew
        </Button>
      </div>
    </section>
  );
}
