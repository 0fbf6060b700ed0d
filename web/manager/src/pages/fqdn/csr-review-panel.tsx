import type { Csr, CsrReview } from '@certloop/contracts/browser';
import { Button } from '@mantine/core';
import { CsrFacts, namesOf } from '../../csrs/csr-facts.js';
import { needsAttention } from '../../csrs/findings.js';

/** Whether a CSR has something that its holder should see before it is stored. */
export function needsDecision({ findings, differs }: CsrReview): boolean {
  return findings.some(needsAttention) || differs?.key === true || differs?.names === true;
}

/** A judged CSR that is not stored yet: what it says, what is odd, what changes, and the two ways on. */
export function CsrReviewPanel({
  review,
  newest,
  isPending,
  store,
  discard,
}: {
  readonly review: CsrReview;
  readonly newest: Csr | null;
  readonly isPending: boolean;
  readonly store: () => void;
  readonly discard: () => void;
}) {
  const changes = changesOf(review, newest);
  return (
    <section className="cl-stack" aria-label="New CSR" role="status">
      <h3>Store this CSR?</h3>
      <CsrFacts csr={review} />
      {changes.length > 0 && (
        <ul className="cl-list" aria-label="Changes">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      <div className="cl-row">
        <Button loading={isPending} onClick={store}>
          Store this CSR
        </Button>
        <Button variant="default" onClick={discard}>
          Discard it
        </Button>
      </div>
    </section>
  );
}

/** A sentence for each thing in which the CSR differs from the newest stored one. */
function changesOf(review: CsrReview, newest: Csr | null): readonly string[] {
  const { differs } = review;
  if (differs === undefined || newest === null) return [];
  const before = namesOf(newest);
  const after = namesOf(review);
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  return [
    differs.key ? 'It has a new key. The next certificate works only with the new key.' : [],
    added.length > 0 ? `It adds ${added.join(', ')}.` : [],
    removed.length > 0 ? `It leaves out ${removed.join(', ')}.` : [],
    differs.names && added.length + removed.length === 0 ? 'It asks for other names of another kind.' : [],
  ].flat();
}
