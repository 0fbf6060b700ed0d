import type { Provider } from '@certloop/contracts/browser';
import { countOf, countText, Moment } from '@certloop/web-kit';

/** How fast a CA takes orders since it refused one for its rate limit, and when it is asked next. */
export function PaceLine({ pace }: { readonly pace: NonNullable<Provider['pace']> }) {
  const { perMinute, room, pausedUntil, refusals = 0 } = pace;
  return (
    <>
      limited by its CA: {paceText(perMinute)}, {countText(room)} may begin now
      {refusals > 0 && `, ${countOf(refusals, 'refusal')} in a row`}
      {pausedUntil !== undefined && (
        <>
          ; asked again <Moment at={pausedUntil} />
        </>
      )}
    </>
  );
}

function paceText(perMinute: number): string {
  const [count, span] = perMinute >= 1 ? [perMinute, 'a minute'] : [perMinute * 60, 'an hour'];
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(count)} ${span}`;
}
