import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from './icons.js';
import { isServiceThere, missingTexts } from './missing-parts.browser.js';
import { loadAnew } from './unsaved.browser.js';

/** Stands in the place of a page that has failed while it was drawn. */
export function FailedPage({ error }: { readonly error?: unknown }) {
  return (
    <Failure reason="A part of this page has failed. If the service was updated, loading the console anew helps.">
      {error instanceof Error && <p className="cl-dim cl-mono">{error.message}</p>}
    </Failure>
  );
}

/** Stands in the place of a page that the service has no longer, also after the console was loaded anew. */
export function GonePage() {
  return <Failure reason={missingTexts.gone} />;
}

/** Stands in the place of a page that could not be loaded because the service did not answer. */
export function AwayPage() {
  return <Failure reason={missingTexts.away} />;
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
