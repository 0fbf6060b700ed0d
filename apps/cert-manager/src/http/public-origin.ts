interface PublicAddress {
  readonly publicUrl?: string | undefined;
}

/** Origin by which browsers reach the service; undefined if it is not set. */
export function publicOriginOf({ publicUrl }: PublicAddress): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).origin;
}

/** Whether browsers reach the service by https. */
export function isSecure(address: PublicAddress): boolean {
  return publicOriginOf(address)?.startsWith('https:') === true;
}
