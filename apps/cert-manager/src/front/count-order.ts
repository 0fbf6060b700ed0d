/** How an order of an ACME client went. */
export type OrderOutcome = 'placed' | 'issued' | 'reused' | 'failed' | 'refused' | 'rate_limited';

/** Counts an order of the client of that name. */
export type CountOrder = (client: string, outcome: OrderOutcome) => void;
