import { placesUpTo } from '../../parts/places.js';

/** Stands in the place of a page about one thing until it is loaded: its title, and its cards in two columns. */
export function WaitingPage({
  isTitled = false,
}: {
  /** Whether the title stands above it. */ readonly isTitled?: boolean;
}) {
  return (
    <div className="cl-waiting-page" role="status" aria-label="Loading">
      {!isTitled && (
        <div className="cl-title">
          <span className="cl-bar" />
        </div>
      )}
      <div className="cl-columns">
        {[2, 3].map((cards) => (
          <div key={cards} className="cl-column">
            {placesUpTo(cards).map((place) => (
              <div key={place} className="cl-panel">
                <span className="cl-bar" />
                <span className="cl-bar" />
                <span className="cl-bar" />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
