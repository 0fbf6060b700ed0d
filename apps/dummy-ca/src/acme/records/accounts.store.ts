import { readKey } from '@certloop/acme-server/rules';
import { createBoundedMap } from '../../authority/bounded-map.js';
import type { State } from '../../authority/state.store.js';
import { noteOf } from './noted-record.store.js';
import type { OrderLists } from './orders.store.js';
import type { Account } from './records.js';

export function createAccountsStore(maxRecords: number, state: State, orderLists: OrderLists) {
  const accountIds = new Map<string, string>();
  const accounts = createBoundedMap<Account>({
    limit: maxRecords,
    onDrop: ({ id, thumbprint }) => {
      state.drop('account', id);
      accountIds.delete(thumbprint);
      orderLists.delete(id);
    },
  });
  const insert = (account: Account) => {
    accounts.insert(account.id, account);
    accountIds.set(account.thumbprint, account.id);
    orderLists.set(account.id, new Set());
  };
  // the key follows from its JWK
  const noted = noteOf<Account>(state, 'account', ({ key: _, ...stored }) => stored);

  for (const [, record] of state.load('account')) {
    const stored = record as Omit<Account, 'key'>;
    insert({ ...stored, key: readKey(stored.jwk).key });
  }

  return {
    insertAccount: (account: Account) => insert(noted(account)),
    findAccount: (id: string) => noted(accounts.get(id)),
    findAccountByThumbprint: (thumbprint: string) => noted(accounts.get(accountIds.get(thumbprint) ?? '')),
    changeKey: (account: Account, change: Pick<Account, 'jwk' | 'key' | 'thumbprint'>) => {
      noted(account);
      accountIds.delete(account.thumbprint);
      Object.assign(account, change);
      accountIds.set(account.thumbprint, account.id);
    },
  };
}
