import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followStoredDisplay } from '../display/display.browser.js';
import { cssVariables, theme } from '../display/theme.browser.js';
import { followActivity } from '../service/activity.browser.js';
import type { Session } from '../session/session.js';
import type { Me } from '../session/session-state.js';
import { followUnsaved } from '../unsaved/unsaved.browser.js';
import { createQueries } from './queries.browser.js';

/** Shows `page` in the document; what Mantine adds to the head carries the nonce that the server put there. */
export function startConsole<M extends Me>(session: Session<M>, page: ReactNode): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  // the lock of the scroll bar below a dialog writes a style of its own
  setNonce(nonce);
  followActivity();
  followStoredDisplay();
  followUnsaved();
  const root = document.querySelector('#root');
  if (root === null) throw new Error('the page has no element #root');
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={createQueries(session)}>{page}</QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
  void session.check(false);
}
