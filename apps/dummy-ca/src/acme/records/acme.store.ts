import { noState, type State } from '../../authority/state.store.js';
import { createAccountsStore } from './accounts.store.js';
import { createAuthorizationsStore } from './authorizations.store.js';
import { createIssuedStore } from './issued.store.js';
import { createOrdersStore, type OrderLists } from './orders.store.js';

/** Everything that ACME remembers, in memory and bounded: of each kind the oldest goes first. The state outlasts it. */
export type AcmeStore = ReturnType<typeof createAcmeStore>;

/**
 * `maxRecords` is the number of accounts, compromised keys, authorizations, orders and certificates each that are
 * stored; of the last two, one counts once for each of its identifiers.
 */
export function createAcmeStore(maxRecords: number, state: State = noState) {
  const orderLists: OrderLists = new Map();
  return {
    ...createAccountsStore(maxRecords, state, orderLists),
    ...createAuthorizationsStore(maxRecords, state),
    // after the accounts, as an order is listed only where its account is stored
    ...createOrdersStore(maxRecords, state, orderLists),
    ...createIssuedStore(maxRecords, state),
  };
}
