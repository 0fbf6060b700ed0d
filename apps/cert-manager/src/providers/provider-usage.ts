/** Use of a provider by the FQDNs that a caller may read. */
export interface ProviderUsage {
  /** FQDNs whose next certificate it is asked for. */
  readonly fqdns: number;
  readonly pendingRenewals: number;
  /** The spaces with the most of these FQDNs, the largest count first. */
  readonly spaces: readonly { readonly id: string; readonly name: string; readonly fqdns: number }[];
  /** When a newest certificate of it was stored last. */
  readonly lastIssuedAt: Date | undefined;
  /** The last renewal or request that failed, of those that were not mended since. */
  readonly lastFailure: { readonly at: Date; readonly message: string } | undefined;
}

/** The usage of a provider that nothing asks. */
export const noUsage: ProviderUsage = {
  fqdns: 0,
  pendingRenewals: 0,
  spaces: [],
  lastIssuedAt: undefined,
  lastFailure: undefined,
};

/** How a test of a provider ended. */
export interface StoredTest {
  /** As in 2026-03-01T12:00:00.000Z. */
  readonly at: string;
  readonly success: boolean;
  readonly message: string;
  readonly durationMs: number;
}
