import { Button, Modal } from '@mantine/core';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useInterval, useNow } from '../clock.browser.js';
import { loadAnew } from '../unsaved/unsaved.browser.js';
import type { Session } from './session.js';
import { canStay, clockText, type Me, type SessionState, warningOf } from './session-state.js';

/** Where the page stands with its session; the component is drawn again when that changes. */
export function useSession<M extends Me>(session: Session<M>): SessionState<M> {
  return useSyncExternalStore(session.subscribe, session.state);
}

const pollMs = 30_000;

/**
 * Watches over the session of a page: asks the service about it in the background, warns before it ends, and puts
 * `signIn` over the page when it has. The page below stays as it is, with all that was typed.
 */
export function SessionWatch<M extends Me>({
  session,
  signIn,
  nameOf,
}: {
  readonly session: Session<M>;
  readonly signIn: (me: M) => ReactNode;
  readonly nameOf: (me: M) => string;
}) {
  const state = useSession(session);
  useInterval(() => {
    if (session.state().phase === 'in') void session.check(true);
  }, pollMs);
  const reason = state.phase === 'ended' ? state.reason : 'idle';
  return (
    <>
      {state.phase === 'in' && <EndNotice session={session} me={state.me} skewMs={state.skewMs} />}
      <Modal
        opened={state.phase === 'ended'}
        // above every other dialog
        zIndex={400}
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title={titles[reason]}
        centered
      >
        {state.phase === 'ended' && (
          <div className="cl-form">
            <p>
              {state.reason === 'other-user' &&
                `Another tab of this browser belongs to ${nameOf(state.other)} now. `}
              Sign in to go on. What you typed on this page is still there.
            </p>
            {signIn(state.me)}
            {state.reason === 'other-user' && (
              <Button variant="default" onClick={loadAnew}>
                Continue as {nameOf(state.other)} without it
              </Button>
            )}
          </div>
        )}
      </Modal>
    </>
  );
}

const titles = {
  idle: 'Your session has ended',
  elsewhere: 'You signed out in another tab',
  'other-user': 'Another user has signed in',
} as const;

function EndNotice<M extends Me>({
  session,
  me,
  skewMs,
}: {
  readonly session: Session<M>;
  readonly me: M;
  readonly skewMs: number;
}) {
  const now = useNow(1_000);
  const [isAsking, setAsking] = useState(false);
  const left = warningOf(me.session, now, skewMs);
  const isNear = left !== undefined;
  const stay = async () => {
    setAsking(true);
    await session.check(false);
    setAsking(false);
  };
  // a dialog keeps the focus within itself, and hides what is outside from screen readers
  const dialog = [...document.querySelectorAll('.mantine-Modal-content')].at(-1);
  return createPortal(
    <>
      {/* read aloud once: the seconds below would be read each second */}
      <p className="cl-visually-hidden" role="status">
        {isNear && 'Your session ends in less than two minutes.'}
      </p>
      {isNear && me.session !== undefined && (
        <section className="cl-notice" aria-label="Session">
          <span>Your session ends in {clockText(left)}.</span>
          {canStay(me.session) && (
            <Button size="xs" variant="default" loading={isAsking} onClick={() => void stay()}>
              Stay signed in
            </Button>
          )}
        </section>
      )}
    </>,
    dialog ?? document.body,
  );
}
