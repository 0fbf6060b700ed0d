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
}

/** Key by which names and mail addresses are unique. */
export function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
