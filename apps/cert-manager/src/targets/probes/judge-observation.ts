import { type Certificate, fingerprint, formatName, spkiSha256 } from '@certloop/crypto';
import {
  type AddressObservation,
  classifyObservation,
  type Expectation,
  type ProbeFault,
  type Stage,
} from '@certloop/tls-probe/rules';
import { servedChainOf } from '../../judging/served-chain.js';
import { readableText } from '../../providers/provider.js';
import { adoptingClassOf, type DatedLeaf } from '../adoption/adoption.js';
import type { TargetSettings } from '../target.js';
import { type AddressState, stateAfter } from './address-state.js';

/** Facts of an observation that are stored in addition to its class. */
export interface ServedFacts {
  readonly serialNumber: string | null;
  readonly leafSha256: string | null;
  readonly spkiSha256: string | null;
  readonly issuer: string | null;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly stage: Stage | null;
  readonly failure: ProbeFault | null;
  readonly detail: string | null;
}

const nothing: ServedFacts = {
  serialNumber: null,
  leafSha256: null,
  spkiSha256: null,
  issuer: null,
  notBefore: null,
  notAfter: null,
  stage: null,
  failure: null,
  detail: null,
};

/** An observation judged: the state that it leads to, what is stored of it, and when the verdict changes. */
export interface JudgedObservation {
  readonly state: AddressState;
  readonly facts: ServedFacts;
  /** When an earlier certificate will have been served for too long; undefined for any other. */
  readonly turnsStaleAt: Date | undefined;
}

/** Judges what an address serves. Never throws. */
export function judgeObservation(
  { observation }: AddressObservation,
  {
    sni,
    graceSeconds,
    adopt,
  }: Pick<TargetSettings, 'sni' | 'graceSeconds'> & { readonly adopt: boolean | null },
  known: Omit<Expectation, 'graceSeconds'>,
  { before, observedAt }: { readonly before: AddressState | undefined; readonly observedAt: Date },
): JudgedObservation {
  const verdict = classifyObservation(observation, {
    name: sni,
    expected: { ...known, graceSeconds },
    trustedRoots: [],
    now: observedAt,
  });
  const { served } = verdict;
  const print = served && fingerprint(served.leaf.der);
  const adopts = adopt === true && served !== undefined;
  // with an expectation, trust is not what is judged
  const judged = verdict.class as AddressState['class'];
  const found = adopts
    ? adoptingClassOf(judged, leafDates(served.leaf), known.newest && leafDates(known.newest))
    : judged;
  const replacedAt = known.earlier.find(
    ({ certificate }) => fingerprint(certificate.der) === print,
  )?.replacedAt;
  const state = stateAfter(before, { class: found, observedAt, replacedAt });
  const turnsStaleAt =
    found === 'previous' && replacedAt !== undefined
      ? new Date(replacedAt.getTime() + graceSeconds * 1000)
      : undefined;
  if (served === undefined) {
    const { stage, fault } = 'stage' in observation ? observation : { stage: null, fault: null };
    return { state, facts: { ...nothing, stage, failure: fault }, turnsStaleAt };
  }
  const { serialNumber, issuer, notBefore, notAfter } = served.leaf;
  const isUnsure = adopts && found === 'current';
  const reason = isUnsure ? servedChainOf(served.leaf, served.others, observedAt).unverified : verdict.reason;
  return {
    state,
    facts: {
      ...nothing,
      // a certificate of others may hold any name and a serial number of any length
      serialNumber: serialNumber.slice(0, 64),
      leafSha256: print ?? null,
      spkiSha256: spkiSha256(served.leaf.spkiDer),
      issuer: readableText(formatName(issuer)),
      notBefore,
      notAfter,
      detail: reason === undefined ? null : readableText(reason),
    },
    turnsStaleAt,
  };
}

function leafDates({ der, notBefore, notAfter }: Certificate): DatedLeaf {
  return { sha256: fingerprint(der), notBefore, notAfter };
}
