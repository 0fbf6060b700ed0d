import { createBoundedMap } from '../../authority/bounded-map.js';
import type { State } from '../../authority/state.store.js';
import { readKey } from '../protocol/jws-header.js';
import type { Account } from './account.js';
import type { OrderLists } from './orders.store.js';

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
  const noted = (account: Account | undefined) => {
    if (account !== undefined) state.touch('account', account.id, () => storedAccount(account));
    return account;
  };

  for (const [, record] of state.load('account')) insert(accountOf(record as StoredAccount));

  return {
    insertAccount: (account: Account) => {
      noted(account);
      insert(account);
    },
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

type StoredAccount = Omit<Account, 'key'>;

function storedAccount({ key: _, ...account }: Account): StoredAccount {
  return account;
}

function accountOf(stored: StoredAccount): Account {
  return { ...stored, key: readKey(stored.jwk).key };
}
