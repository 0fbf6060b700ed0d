import { Button, CopyButton } from '@mantine/core';
import { useCountdown } from '../clock.browser.js';
import { Refusal, sentenceOf, statusOf } from '../service/refusal.js';
import { wholeSentence } from '../times.js';
import { Icon } from './icons.js';

const headings: Readonly<Record<number, string>> = {
  403: 'You may not see this',
  404: 'This does not exist, or you may not see it',
  429: 'Too many requests',
};

/** Stands in the place of something that could not be loaded: what happened, and what to do. */
export function ErrorPanel({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const refusal = error instanceof Refusal ? error : undefined;
  const left = useCountdown(refusal?.retryAfterSeconds, error);
  const status = statusOf(error);
  return (
    <section className="cl-panel" data-tone="bad" role="alert">
      <h2>
        <Icon name="alert" /> {headings[status ?? 0] ?? 'This could not be loaded'}
      </h2>
      <p>{wholeSentence(sentenceOf(error))}</p>
      <div className="cl-row">
        {retry !== undefined && status !== 403 && status !== 404 && (
          <Button size="xs" variant="default" onClick={retry} disabled={left > 0}>
            {left > 0 ? `Retry in ${left} s` : 'Retry'}
          </Button>
        )}
        {refusal?.requestId !== undefined && (
          <CopyButton value={refusal.requestId}>
            {({ copied, copy }) => (
              <Button size="xs" variant="subtle" onClick={copy} title={refusal.requestId}>
                {copied ? 'Copied' : 'Copy the request id'}
              </Button>
            )}
          </CopyButton>
        )}
      </div>
    </section>
  );
}
