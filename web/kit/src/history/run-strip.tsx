import { countOf } from '../times.js';

const maxRuns = 48;

/** The latest runs of a job, oldest first: `u` success, `f` failure, `m` missed. Each outcome has its own shape. */
export function RunStrip({ runs }: { readonly runs: string }) {
  const letters = [...runs].slice(-maxRuns);
  if (letters.length === 0) return <span className="cl-dim">no runs yet</span>;
  const first = maxRuns - letters.length;
  return (
    <svg className="cl-runs" viewBox={`0 0 ${maxRuns * 4} 16`} role="img" aria-label={sentenceOf(letters)}>
      {letters.map((letter, place) => {
        const x = (first + place) * 4;
        const key = first + place;
        if (letter === 'f') return <rect key={key} className="cl-run-f" x={x} y="0" width="3" height="16" />;
        if (letter === 'm')
          return <rect key={key} className="cl-run-m" x={x + 0.5} y="0.5" width="2" height="15" />;
        return <rect key={key} className="cl-run-u" x={x} y="6" width="3" height="10" />;
      })}
    </svg>
  );
}

function sentenceOf(letters: readonly string[]): string {
  const count = (letter: string) => letters.filter((one) => one === letter).length;
  const parts = [`${count('u')} succeeded`, `${count('f')} failed`, `${count('m')} missed`];
  return `Last ${countOf(letters.length, 'run')}: ${parts.join(', ')}`;
}
