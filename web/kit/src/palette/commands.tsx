import { ActionIcon } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { WrittenRequest } from '../curl/curl-command.js';
import { PageAsCurl, type ProgramSignIn } from '../curl/page-as-curl.js';
import { requestsOfPage } from '../curl/written-requests.js';
import { Icon, type IconName } from '../parts/icons.js';
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
  /** Description of what `find` finds. */
  readonly hint: string;
  /** How a program signs in. */
  readonly programSignIn: ProgramSignIn;
  /** Undefined without a session. */
  readonly signOut?: (() => void) | undefined;
}

type Opened =
  | { readonly dialog: 'palette'; readonly keys: readonly PageKey[] }
  | { readonly dialog: 'help'; readonly focused: Element | null }
  | { readonly dialog: 'curl'; readonly requests: readonly WrittenRequest[] };

/** The button of the search over all pages, and the keys of the console. */
export function Commands({ links, find, hint, programSignIn, signOut }: CommandsProps) {
  const { history } = useRouter();
  const queries = useQueryClient();
  const [opened, setOpened] = useState<Opened>();
  // a dialog covers the page and takes the focus
  const open = (dialog: 'palette' | 'help') =>
    setOpened(dialog === 'help' ? { dialog, focused: document.activeElement } : { dialog, keys: pageKeys() });
  const openCurl = () =>
    setOpened({
      dialog: 'curl',
      requests: requestsOfPage(queries.getQueryCache().findAll({ type: 'active' })),
    });
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
      {/* the palette has it too, for narrow screens */}
      <HeadButton className="cl-head-wide" icon="terminal" label="Copy as curl" open={openCurl} />
      <HeadButton icon="search" label="Go to" keys="Control+K Meta+K" open={() => open('palette')} />
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
            { key: 'curl', label: 'Copy as curl', detail: 'on this page', run: openCurl },
            { key: 'help', label: 'Keys', detail: 'help', run: () => open('help') },
            ...(signOut === undefined
              ? []
              : [{ key: 'sign-out', label: 'Sign out', detail: 'action', run: signOut }]),
          ]}
          find={find}
          hint={hint}
          close={close}
        />
      )}
      {opened?.dialog === 'curl' && (
        <PageAsCurl requests={opened.requests} signIn={programSignIn} close={close} />
      )}
      {opened?.dialog === 'help' && <KeysHelp focused={opened.focused} jumps={links} close={close} />}
    </>
  );
}

function HeadButton({
  className,
  icon,
  label,
  keys,
  open,
}: {
  readonly className?: string;
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly open: () => void;
}) {
  return (
    <ActionIcon
      className={className}
      variant="subtle"
      color="gray"
      c="var(--cl-text)"
      size="lg"
      aria-label={label}
      aria-keyshortcuts={keys}
      title={keys === undefined ? label : `${label} (Ctrl K)`}
      onClick={open}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
}
