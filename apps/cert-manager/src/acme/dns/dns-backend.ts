import type { DnsProof } from './dns-proof.js';

/** Purpose of a record, as some backends create the record themselves. */
export interface DnsProofSource {
  readonly identifier: { readonly value: string };
  readonly token: string;
  /** The key authorization. */
  readonly answer: string;
}

/** The service that publishes records in the zone. */
export interface DnsBackend {
  /** Name at which the record is to be; the given one where no CNAME leads elsewhere. Throws UpstreamFailed. */
  nameOf(name: string): Promise<string>;
  /** Adds the record; others of the same name stay. Throws UpstreamFailed. */
  present(record: DnsProof, source: DnsProofSource): Promise<void>;
  /** Removes the record, and no other. Throws UpstreamFailed. */
  cleanUp(record: DnsProof, source: DnsProofSource): Promise<void>;
  /** Waits until the record can be read; a sentence when it cannot be in time. Never throws. */
  propagated(record: DnsProof): Promise<string | undefined>;
  /** Tries the backend without publishing anything; a sentence about it. Throws UpstreamFailed. */
  probe(): Promise<string>;
}
