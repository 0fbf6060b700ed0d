import { X509Certificate } from 'node:crypto';
import { type Clock, StartFailed } from '@certloop/server';
import { type IntermediateSource, makeIntermediatePems } from './acme/issuance/intermediate.service.js';
import {
  type CertificateAuthority,
  makeRootPems,
  type RootSource,
} from './authority/certificate-authority.service.js';
import { serialNumbersOfARun } from './authority/serial-numbers.js';
import type { State } from './authority/state.store.js';

interface StoredRoot {
  readonly rootCertificatePem: string;
  /** Absent where the root is in files. */
  readonly rootKeyPem?: string;
}

const recordOf = (state: State, id: string): unknown => new Map(state.load('authority')).get(id);

/**
 * The source with the root of the state, which is created and stored if there is none, and with serial numbers above
 * those of every earlier run. A root in files takes precedence. Throws StartFailed if the state belongs to another root.
 */
export async function withStoredRoot<T extends RootSource>(
  source: T,
  state: State,
  clock: Clock,
): Promise<T> {
  const given =
    source.rootKeyPem === undefined ? undefined : { rootCertificatePem: source.rootCertificatePem };
  const stored = recordOf(state, 'root') as StoredRoot | undefined;
  if (
    given !== undefined &&
    stored !== undefined &&
    !isSame(given.rootCertificatePem, stored.rootCertificatePem)
  )
    throw new StartFailed(
      'DUMMY_CA_STATE_FILE: it is the state of another root than that of DUMMY_CA_ROOT_CERTIFICATE; name another file',
    );
  if (given === undefined && stored !== undefined && stored.rootKeyPem === undefined)
    throw new StartFailed(
      'DUMMY_CA_STATE_FILE: it is the state of a root in files; set DUMMY_CA_ROOT_KEY and DUMMY_CA_ROOT_CERTIFICATE, or name another file',
    );
  const root = stored ?? given ?? (await makeRootPems(source, clock));
  state.touch('authority', 'root', () => root);
  const minSerialNumber = BigInt((recordOf(state, 'serial-numbers') as string | undefined) ?? '0');
  return { ...source, ...root, minSerialNumber };
}

/** The source with the intermediate of the state, which is created if neither files nor the state have one. */
export async function withStoredIntermediate<T extends IntermediateSource>(
  source: T,
  authority: CertificateAuthority,
  state: State,
): Promise<T> {
  // numbers that this run may give to certificates; the next one begins above them
  const end = authority.serialNumbers.next() + serialNumbersOfARun;
  state.touch('authority', 'serial-numbers', () => String(end));
  if (source.intermediateKeyPem !== undefined) return source;
  const stored = recordOf(state, 'intermediate') as object | undefined;
  const intermediate = stored ?? (await makeIntermediatePems(authority, source.keyType));
  if (intermediate !== undefined) state.touch('authority', 'intermediate', () => intermediate);
  return { ...source, ...intermediate };
}

function isSame(pemA: string | undefined, pemB: string): boolean {
  return (
    pemA !== undefined &&
    new X509Certificate(pemA).fingerprint256 === new X509Certificate(pemB).fingerprint256
  );
}
