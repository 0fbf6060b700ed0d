/** The command was not understood; its message says why. */
export class UsageError extends Error {}
