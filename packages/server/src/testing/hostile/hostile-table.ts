/** A sender, as far as the outcome of its calls depends on it. */
export interface SenderTraits {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Whether calls may be redirected to another origin. */
  readonly mayLeaveOrigin: boolean;
  /** Whether it needs the body of a response; otherwise the status says all. */
  readonly isBodyNeeded: boolean;
}

/** Result of a sender for one way of the hostile server. */
export interface HostileCase {
  /** First part of the path. */
  readonly way: string;
  readonly arrives: boolean;
  /** In the reason, if it does not arrive. */
  readonly reason?: RegExp;
  /** Where the message must be found then, and nowhere else. */
  readonly foundAt?: 'arrived' | 'elsewhere';
}

const useAddress = /answers with a redirect to .+: use that address/;

/** The table of all senders: what must come of a message to each way of the hostile server. */
export function hostileCases({ method, mayLeaveOrigin, isBodyNeeded }: SenderTraits): HostileCase[] {
  const fails = (reason?: RegExp) => ({ arrives: false, ...(reason === undefined ? {} : { reason }) });
  const found = { arrives: true, foundAt: 'arrived' as const };
  const left = (reason: RegExp) => fails(mayLeaveOrigin ? reason : useAddress);
  const unread = isBodyNeeded ? fails() : { arrives: true };
  const table: Record<string, Omit<HostileCase, 'way'>> = {
    '301': found,
    '302': found,
    '307': found,
    '308': found,
    '303': method === 'GET' ? found : fails(useAddress),
    loop: fails(/answers with more than 3 redirects/),
    elsewhere: mayLeaveOrigin ? { arrives: true, foundAt: 'elsewhere' } : fails(useAddress),
    metadata: left(/169\.254\.169\.254 is not called/),
    port: left(/has port 25/),
    file: left(/file: is not called/),
    nowhere: fails(/a redirect to something that is no address/),
    'large-200': unread,
    endless: unread,
    'half-200': unread,
    'large-500': fails(isBodyNeeded ? undefined : /500/),
    'half-500': fails(isBodyNeeded ? undefined : /500/),
    '404': fails(/404/),
    '422': fails(/422/),
    '503': fails(/503/),
    'half-head': fails(),
    broken: fails(),
    silent: fails(),
  };
  return Object.entries(table).map(([way, outcome]) => ({ way, ...outcome }));
}
