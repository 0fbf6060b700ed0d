import { statusOf } from '../service/refusal.js';
import { type Me, type SessionState, skewOf, type TabChannel } from './session-state.js';

/** How a console asks its service about the session. */
export interface SessionPort<M extends Me> {
  /** Who the caller is; in the background it does not prolong the session. */
  readMe(isBackground: boolean): Promise<MeReply<M>>;
  closeSession(): Promise<unknown>;
  readonly now: () => number;
}

export interface MeReply<M> {
  readonly body: M;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The session of a page, shared with the other tabs of its console. */
export class Session<M extends Me> {
  #state: SessionState<M> = { phase: 'unknown' };
  /** The question after a refusal, until it is answered: what a page asked at once is refused at once. */
  #doubt: Promise<M | undefined> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #port: SessionPort<M>;
  readonly #tabs: TabChannel;

  constructor(port: SessionPort<M>, tabs: TabChannel) {
    this.#port = port;
    this.#tabs = tabs;
    tabs.listen((message) => {
      if (message === 'signed-out') this.end('elsewhere');
      // another tab may have signed in as another user
      if (message === 'signed-in') void this.check(false);
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState<M> => this.#state;

  /** Token that writes need. */
  csrfToken(): string | undefined {
    return 'me' in this.#state ? this.#state.me.csrfToken : undefined;
  }

  /**
   * Asks the service who the caller is. A page whose user is not signed in any more gets its dialog. Returns undefined
   * then, also if another user is signed in: nothing is sent in their name.
   */
  async check(isBackground: boolean): Promise<M | undefined> {
    const reply = await this.#ask(isBackground);
    if (reply === undefined) return undefined;
    const state = this.#state;
    if (!('me' in state) || state.me.user.id === reply.body.user.id) return this.#accept(reply);
    this.#become({ phase: 'ended', me: state.me, reason: 'other-user', other: reply.body });
    return undefined;
  }

  /** To be called when the service has opened a session for this page, of whichever user. */
  async opened(): Promise<void> {
    const reply = await this.#ask(false);
    if (reply !== undefined) this.#accept(reply);
    this.#tabs.send('signed-in');
  }

  /**
   * To be called when the service has answered 401 to whatever the page asked. Asks who the caller is, as the refused
   * request may be older than a sign-in since. Returns whether the user of the page is signed in.
   */
  async refused(): Promise<boolean> {
    if (this.#state.phase !== 'in' && !isOfOther(this.#state)) {
      this.end('idle');
      return false;
    }
    this.#doubt ??= this.check(true);
    const me = await this.#doubt;
    this.#doubt = undefined;
    return me !== undefined;
  }

  /** To be called when the session is over. */
  end(reason: 'idle' | 'elsewhere'): void {
    const state = this.#state;
    if (state.phase === 'in') this.#become({ phase: 'ended', me: state.me, reason });
    // a 401 was faster than the message of the tab that signed out
    else if (state.phase === 'ended' && state.reason === 'idle') {
      if (reason !== 'idle') this.#become({ ...state, reason });
    }
    // the other user has left, so that only time has passed for this one
    else if (isOfOther(state)) this.#become({ phase: 'ended', me: state.me, reason: 'idle' });
    else if (state.phase === 'unknown') this.#become({ phase: 'out' });
  }

  /** Signs out, here and in the other tabs. A session that is over already counts as closed. */
  async close(): Promise<void> {
    try {
      await this.#port.closeSession();
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
    }
    this.#become({ phase: 'out' });
    this.#tabs.send('signed-out');
  }

  async #ask(isBackground: boolean): Promise<MeReply<M> | undefined> {
    try {
      return await this.#port.readMe(isBackground);
    } catch (error) {
      if (statusOf(error) === 401) this.end('idle');
      else if (this.#state.phase === 'unknown') this.#become({ phase: 'unknown', error });
      return undefined;
    }
  }

  #accept({ body, headers }: MeReply<M>): M {
    this.#become({ phase: 'in', me: body, skewMs: skewOf(headers?.['date'], this.#port.now()) });
    return body;
  }

  #become(state: SessionState<M>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a page waits for its user because another one has signed in. */
function isOfOther<M extends Me>(
  state: SessionState<M>,
): state is Extract<SessionState<M>, { readonly reason: 'other-user' }> {
  return state.phase === 'ended' && state.reason === 'other-user';
}
