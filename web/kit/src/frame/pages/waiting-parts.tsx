import type { ReactNode } from 'react';
import { placesUpTo } from '../../parts/places.js';

/** The place of a part of a page that is on its way: what is in it has the shape of what will be there. */
export function WaitingPart({ children }: { readonly children: ReactNode }) {
  return (
    <div className="cl-waiting" data-shape="" role="status" aria-label="Loading">
      {children}
    </div>
  );
}

/** In the place of a line of text, as high as the lines around it. */
export function WaitingLine() {
  return <span className="cl-bar-line" />;
}

/** In the place of sentences, each on a line. */
export function WaitingLines({ count }: { readonly count: number }) {
  return (
    <WaitingPart>
      {placesUpTo(count).map((place) => (
        <p key={place}>
          <WaitingLine />
        </p>
      ))}
    </WaitingPart>
  );
}

/** In the place of facts with their titles. */
export function WaitingFacts({ count }: { readonly count: number }) {
  return (
    <WaitingPart>
      <div className="cl-facts" aria-hidden="true">
        {placesUpTo(count).map((place) => (
          <div key={place} className="cl-pair">
            <div className="cl-waiting-term">
              <WaitingLine />
            </div>
            <WaitingLine />
          </div>
        ))}
      </div>
    </WaitingPart>
  );
}

/** In the place of steps in their order. */
export function WaitingSteps({ count }: { readonly count: number }) {
  return (
    <WaitingPart>
      <ol className="cl-numbered" aria-hidden="true">
        {placesUpTo(count).map((place) => (
          <li key={place}>
            <WaitingLine />
          </li>
        ))}
      </ol>
    </WaitingPart>
  );
}

/** In the place of a chart of bars with its sentence, its legend and its axis. */
export function WaitingBars() {
  return (
    <WaitingPart>
      <div className="cl-figure" aria-hidden="true">
        <WaitingLine />
        <div className="cl-legend cl-waiting-term">
          <WaitingLine />
        </div>
        <div className="cl-bars cl-block" />
        <div className="cl-axis">
          <WaitingLine />
        </div>
        <div className="cl-note">
          <WaitingLine />
        </div>
        <div className="cl-waiting-summary" />
      </div>
    </WaitingPart>
  );
}
