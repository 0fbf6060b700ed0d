import { ActionIcon } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Icon, type IconName } from '../frame/icons.js';
import { consolePath } from '../service/api.browser.js';
import { KeysHelp } from './keys-help.js';
import { followKeys, type PageKey, pageKeys } from './page-keys.browser.js';
import { type FindEntries, Palette } from './palette.js';

export interface NavigationLink {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Letter that leads there after `g`. */
  readonly letter: string;
}

export interface CommandsProps {
  readonly links: readonly NavigationLink[];
  readonly find: FindEntries;
  /** What `find` looks for. */
  readonly hint: string;
  readonly signOut: () => void;
}

type Opened = { readonly dialog: 'palette' | 'help'; readonly keys: readonly PageKey[] };

/** The button of the search over all pages, and the keys of the console. */
export function Commands({ links, find, hint, signOut }: CommandsProps) {
  const { history } = useRouter();
  const [opened, setOpened] = useState<Opened>();
  // the page as it is now: a dialog covers it
  const open = (dialog: Opened['dialog']) => setOpened({ dialog, keys: pageKeys() });
  const close = () => setOpened(undefined);
  const newest = useRef({ links, open });
  newest.current = { links, open };
  useEffect(
    () =>
      followKeys({
        openPalette: () => newest.current.open('palette'),
        openHelp: () => newest.current.open('help'),
        jump: (letter) => {
          const link = newest.current.links.find((one) => one.letter === letter);
          if (link !== undefined) history.push(`${consolePath()}${link.to}`);
          return link !== undefined;
        },
      }),
    [history],
  );
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--cl-text)"
        size="lg"
        aria-label="Go to a page, a name or an action"
        aria-keyshortcuts="Control+K Meta+K"
        title="Go to (Ctrl K)"
        onClick={() => open('palette')}
      >
        <Icon name="search" />
      </ActionIcon>
      {opened?.dialog === 'palette' && (
        <Palette
          entries={[
            ...opened.keys
              .filter(({ isAction }) => isAction)
              .map(({ key, label, use }) => ({
                key: `action-${key}`,
                label,
                detail: 'on this page',
                run: use,
              })),
            ...links.map(({ to, label }) => ({ key: `page-${to}`, label, detail: 'page', path: to })),
            { key: 'help', label: 'Keys', detail: 'help', run: () => open('help') },
            { key: 'sign-out', label: 'Sign out', detail: 'action', run: signOut },
          ]}
          find={find}
          hint={hint}
          close={close}
        />
      )}
      {opened?.dialog === 'help' && <KeysHelp pageKeys={opened.keys} jumps={links} close={close} />}
    </>
  );
}
