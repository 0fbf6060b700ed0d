/** Verdict of the policy of a space on the next renewal of an FQDN. */
export interface PolicyVerdict {
  /** Why it forbids the renewal; undefined if it allows it. */
  readonly refusal: string | undefined;
}
