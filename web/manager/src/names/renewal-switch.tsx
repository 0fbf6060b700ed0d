import type { Fqdn } from '@certloop/contracts/browser';
import { Fault, sentenceOf } from '@certloop/web-kit';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { fqdnResource } from '../resources.js';
import { api } from '../service.js';

/** The switch of the automatic renewal of a name: answers at once, and goes back when the service refuses. */
export function RenewalSwitch({
  fqdn: { id, spaceId, fqdn },
  isOn,
  isInList = false,
}: {
  readonly fqdn: Fqdn;
  readonly isOn: boolean;
  /** Whether the name stands beside it, so that it needs no label of its own. */
  readonly isInList?: boolean;
}) {
  const change = useMutation({
    mutationFn: (renewalEnabled: boolean) =>
      api.setRenewalEnabled({ params: { spaceId, fqdnId: id }, body: { renewalEnabled } }),
    meta: { changes: [fqdnResource(spaceId, id)] },
  });
  const isChecked = change.isPending ? change.variables : isOn;
  const inputId = useId();
  return (
    <>
      <span className="cl-row">
        <input
          id={inputId}
          type="checkbox"
          role="switch"
          className="cl-switch"
          aria-keyshortcuts={isInList ? undefined : 'e'}
          aria-label={isInList ? `Renew ${fqdn} automatically` : undefined}
          checked={isChecked}
          aria-checked={isChecked}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        {!isInList && <label htmlFor={inputId}>Renew automatically</label>}
      </span>
      <Fault>{change.isError ? sentenceOf(change.error) : undefined}</Fault>
    </>
  );
}
