export interface UserRow {
  readonly id: string;
  readonly username: string;
  /** The name in lower case: names are unique whatever their case. */
  readonly usernameKey: string;
  readonly email: string;
  readonly emailKey: string;
  /** As `password.ts` writes it; never leaves this slice. */
  readonly passwordHash: string;
  readonly isAdmin: boolean;
  readonly enabled: boolean;
  readonly createdAt: Date;
  /** Last sign-in with the password; null before the first one. */
  readonly lastLoginAt: Date | null;
}

/** A user with what only some requests include. */
export interface UserFacts extends UserRow {
  readonly groupIds: readonly string[];
  readonly hasAvatar: boolean;
}

/** Key by which names and mail addresses are unique. */
export function caselessKeyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
