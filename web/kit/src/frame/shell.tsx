import { ActionIcon, Button, Popover } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ColorChoice } from '../display/color-choice.js';
import { Commands, type CommandsProps } from '../palette/commands.js';
import { Icon } from '../parts/icons.js';
import { returnFocusAfterDialogs } from './dialogs/dialog-focus.browser.js';

export interface ShellProps extends CommandsProps {
  /** Which console it is, after the name of the product. */
  readonly console: string;
  /** The other console, where its address is known. */
  readonly elsewhere?: { readonly href: string; readonly label: string } | undefined;
  readonly userName: string;
  readonly children: ReactNode;
}

/** Name of the product and of the console. */
export function Brand({ console }: { readonly console: string }) {
  return (
    <>
      <Icon name="certificate" size={24} />
      <span>
        CertLoop <small>{console}</small>
      </span>
    </>
  );
}

/** Frame of every page after sign-in: header with the user's menu, navigation, and the page itself. */
export function Shell({ console, elsewhere, userName, children, ...commands }: ShellProps) {
  const { links, signOut } = commands;
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(returnFocusAfterDialogs, []);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    setOpen(false);
    // the next page begins at its beginning for those who do not see it as well
    main.current?.focus();
  }, [path]);
  return (
    <div className="cl-shell">
      {/* no link to #main: it would count from <base>, and lead to the start page */}
      <button type="button" className="cl-skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header className="cl-head">
        <ActionIcon
          className="cl-burger"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Navigation"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </ActionIcon>
        <Link className="cl-brand" to="/">
          <Brand console={console} />
        </Link>
        <div className="cl-grow" />
        <Commands {...commands} />
        <UserMenu userName={userName} signOut={signOut} />
      </header>
      <Navigation links={links} elsewhere={elsewhere} isOpen={isOpen} />
      <main className="cl-main" id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  );
}

function Navigation({
  links,
  elsewhere,
  isOpen,
}: Pick<ShellProps, 'links' | 'elsewhere'> & { readonly isOpen: boolean }) {
  return (
    <nav className="cl-nav" id="navigation" aria-label="Pages" data-open={isOpen || undefined}>
      {links.map(({ to, label, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
          <Icon name={icon} /> {label}
        </Link>
      ))}
      {elsewhere !== undefined && (
        <>
          <hr />
          <a href={elsewhere.href} rel="noreferrer">
            <Icon name="outside" /> {elsewhere.label}
          </a>
        </>
      )}
    </nav>
  );
}

function UserMenu({ userName, signOut }: Pick<ShellProps, 'userName' | 'signOut'>) {
  return (
    <Popover position="bottom-end" transitionProps={{ duration: 0 }} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" c="var(--cl-text)" aria-label={`Menu of ${userName}`}>
          <Icon name="user" />
          <span className="cl-user-name">&nbsp;{userName}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="cl-menu" aria-label={`Menu of ${userName}`}>
        <p className="cl-dim">Signed in as {userName}</p>
        <ColorChoice />
        {signOut !== undefined && (
          <Button variant="default" leftSection={<Icon name="leave" />} onClick={signOut}>
            Sign out
          </Button>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Page before sign-in: the brand, and a card. */
export function Front({
  console,
  isWide = false,
  children,
}: {
  readonly console: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <main className="cl-front">
      <div className="cl-brand">
        <Brand console={console} />
      </div>
      <div className={isWide ? 'cl-card cl-card-wide' : 'cl-card'}>{children}</div>
    </main>
  );
}
