import type { Served, ServedAddress, ServedSummary } from '@certloop/contracts';
import { type AddressState, failsAt, isWell } from '../probes/address-state.js';
import type { ServedFacts } from '../probes/judge-observation.js';
import { acceptedSecondsOf, type TargetSettings } from '../target.js';
import { hintOfState } from './served-hint.js';
import { verdictOf } from './served-verdict.js';

/** Targets of an FQDN with what is shown of them. */
export interface ServedPart {
  readonly fqdn: { readonly id: string; readonly spaceId: string; readonly fqdn: string };
  readonly newest:
    | {
        readonly certificateId: string;
        readonly serialNumber: string;
        readonly fingerprint: string;
        readonly notAfter: Date;
        /** When it was stored here. */
        readonly issuedAt: Date;
      }
    | undefined;
  readonly targets: readonly {
    readonly target: TargetSettings & { readonly id: string; readonly adopt: boolean | null };
    readonly states: readonly (AddressState &
      ServedFacts & {
        readonly address: string;
        readonly observedAt: Date;
        readonly observer: 'manager' | 'report';
      })[];
  }[];
}

/** Returns what the targets of an FQDN serve. */
export function servedView({ fqdn, newest, targets }: ServedPart): Served {
  const states = targets.filter(({ target }) => target.enabled).flatMap((one) => one.states);
  const { class: found, partial } = verdictOf(states.map((state) => state.class));
  return {
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    fqdn: fqdn.fqdn,
    ...(found !== undefined && { class: found }),
    partial,
    ...(newest !== undefined && {
      expected: {
        certificateId: newest.certificateId,
        serialNumber: newest.serialNumber,
        fingerprint: newest.fingerprint,
        notAfter: newest.notAfter.toISOString(),
        storedAt: newest.issuedAt.toISOString(),
      },
    }),
    targets: targets.map((one) => ({
      targetId: one.target.id,
      host: one.target.host,
      port: one.target.port,
      protocol: one.target.protocol,
      sni: one.target.sni,
      enabled: one.target.enabled,
      addresses: one.states.map((state) => addressView(state, one.target, newest)),
    })),
  };
}

type Part = ServedPart['targets'][number];

/** Returns the state of an address of a target. */
export function addressView(
  state: Part['states'][number],
  target: Part['target'],
  newest: ServedPart['newest'],
): ServedAddress {
  const { serialNumber, leafSha256, spkiSha256, issuer, notBefore, notAfter, stage, failure } = state;
  const failing = failsAt(state, acceptedSecondsOf(target, newest !== undefined));
  return {
    ...(state.address !== '' && { address: state.address }),
    class: state.class,
    since: state.since.toISOString(),
    well: isWell(state.class),
    ...(failing !== undefined && { failsAt: failing.toISOString() }),
    ...(leafSha256 !== null && {
      served: {
        serialNumber: serialNumber ?? '',
        fingerprint: leafSha256,
        spkiSha256: spkiSha256 ?? '',
        issuer: issuer ?? '',
        notBefore: (notBefore ?? state.since).toISOString(),
        notAfter: (notAfter ?? state.since).toISOString(),
      },
    }),
    ...(stage !== null && { stage }),
    ...(failure !== null && { failure }),
    observedAt: state.observedAt.toISOString(),
    observer: state.observer,
    hint: hintOfState(state, target, newest),
  };
}

/** An FQDN in the list of all. */
export interface SummaryRow extends Pick<ServedSummary, 'spaceId' | 'fqdn' | 'partial'> {
  readonly id: string;
  readonly class: ServedSummary['class'] | null;
  readonly since: Date | null;
  readonly hint: string | null;
}

export function servedSummaryView(row: SummaryRow): ServedSummary {
  return {
    fqdnId: row.id,
    spaceId: row.spaceId,
    fqdn: row.fqdn,
    ...(row.class !== null && row.class !== undefined && { class: row.class }),
    partial: row.partial,
    ...(row.since !== null && { since: row.since.toISOString() }),
    ...(row.hint !== null && { hint: row.hint }),
  };
}
