import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../parts/icons.js';
import { loadAnew } from '../../unsaved/unsaved.browser.js';
import { isServiceThere, type MissingReason, missingTexts } from './missing-parts.browser.js';

/** Stands in the place of a page that has failed while it was drawn. */
export function FailedPage({ error }: { readonly error?: unknown }) {
  return (
    <Failure reason="A part of this page has failed. If the service was updated, loading the console anew helps.">
      {error instanceof Error && <p className="cl-dim cl-mono">{error.message}</p>}
    </Failure>
  );
}

/** Stands in the place of a page that could not be loaded. */
export function UnloadedPage({ reason }: { readonly reason: MissingReason }) {
  return <Failure reason={missingTexts[reason]} />;
}

function Failure({ reason, children }: { readonly reason: string; readonly children?: ReactNode }) {
  const [isAway, setAway] = useState(false);
  const tryAgain = async () => {
    setAway(false);
    if (await isServiceThere()) loadAnew();
    else setAway(true);
  };
  return (
    <section className="cl-panel" data-tone="bad" role="alert">
      <h1>
        <Icon name="alert" /> This page could not be opened
      </h1>
      <p>{reason}</p>
      {children}
      {isAway && <p role="status">There is still no answer. Try again in a moment.</p>}
      <div className="cl-row">
        <Button size="xs" variant="default" onClick={() => void tryAgain()}>
          Load the console anew
        </Button>
      </div>
    </section>
  );
}
