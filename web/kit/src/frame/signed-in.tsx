import { Button } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import type { CommandsProps } from '../palette/commands.js';
import { ErrorPanel } from '../parts/error-panel.js';
import { Waiting } from '../parts/page-parts.js';
import { noteRights, useRightsNotice } from '../service/rights-notice.browser.js';
import type { Session } from '../session/session.js';
import type { Me } from '../session/session-state.js';
import { SessionWatch, useSession } from '../session/session-view.js';
import { UnsavedQuestion } from '../unsaved/unsaved-question.js';
import { MissingPartQuestion } from './pages/missing-part-question.js';
import { Redirect } from './redirect.js';
import { Front, Shell } from './shell.js';

export interface SignedInProps<M extends Me> extends Omit<CommandsProps, 'signOut'> {
  readonly session: Session<M>;
  /** Which console it is, after the name of the product. */
  readonly console: string;
  /** The other console: its name, and its address for browsers where it is set. */
  readonly other: { readonly label: string; readonly url: string | undefined };
  readonly nameOf: (me: M) => string;
  /** Asks for the password of a user whose session has ended. */
  readonly SignIn: ComponentType<{ readonly name: string }>;
  /** Shown above every page. */
  readonly notice?: ReactNode;
}

/** The frame of every page that needs a session; without one the sign-in comes first. */
export function SignedIn<M extends Me>(props: SignedInProps<M>) {
  const { session, console, links, find, hint, programSignIn, other, nameOf, SignIn, notice } = props;
  const state = useSession(session);
  const next = useRouterState({ select: ({ location }) => `${location.pathname}${location.searchStr}` });
  if (state.phase === 'out') {
    return <Redirect path={next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`} />;
  }
  if (state.phase === 'unknown') {
    if (state.error === undefined) return <Waiting />;
    return (
      <Front console={console} isWide>
        <ErrorPanel error={state.error} retry={() => void session.check(false)} />
      </Front>
    );
  }
  return (
    <>
      <Shell
        console={console}
        links={links}
        find={find}
        hint={hint}
        programSignIn={programSignIn}
        elsewhere={elsewhereOf(other)}
        userName={nameOf(state.me)}
        signOut={state.me.session === undefined ? undefined : () => void session.close()}
      >
        {notice}
        <RightsNotice />
        <Outlet />
      </Shell>
      <SessionWatch session={session} nameOf={nameOf} signIn={(me) => <SignIn name={nameOf(me)} />} />
      <UnsavedQuestion />
      <MissingPartQuestion />
    </>
  );
}

/** Announced to screen readers when it comes, so its place is always there. */
function RightsNotice() {
  const text = useRightsNotice();
  return (
    <div role="status" className="cl-rights">
      {text !== undefined && (
        <div className="cl-strip cl-row">
          <span>{text}</span>
          <Button size="xs" variant="default" onClick={() => noteRights(undefined)}>
            Hide
          </Button>
        </div>
      )}
    </div>
  );
}

function elsewhereOf({ label, url }: SignedInProps<Me>['other']) {
  if (url === undefined || !/^https?:\/\//.test(url)) return undefined;
  return { href: `${url.replace(/\/$/, '')}/ui/`, label };
}
