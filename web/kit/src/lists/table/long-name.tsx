import { unicodeHost } from '../../names/host-text.js';

const maxWhole = 48;
// what fits beside a state on a phone
const maxNarrow = 20;
const endLength = 12;

/**
 * A host name on one line, with that of the DNS below where people write it in another way. A long one, on a phone also
 * a shorter one, loses its middle, as its end says most of a host name; its whole text stays for the search of the
 * browser and shows on hover. A link around it needs the name as `aria-label`.
 */
export function LongName({ children }: { readonly children: string }) {
  const unicode = unicodeHost(children);
  if (unicode === undefined) return <Line>{children}</Line>;
  return (
    <span className="cl-host">
      <Line>{unicode}</Line>
      <small className="cl-dim">
        <Line>{`(${children})`}</Line>
      </small>
    </span>
  );
}

function Line({ children }: { readonly children: string }) {
  const characters = [...children];
  if (characters.length <= maxNarrow) return <bdi>{children}</bdi>;
  return (
    <bdi className={characters.length > maxWhole ? 'cl-long' : 'cl-middle'} title={children}>
      <span>{characters.slice(0, -endLength).join('')}</span>
      <span>{characters.slice(-endLength).join('')}</span>
    </bdi>
  );
}
