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

  /** Asks the service who the caller is. A page that was signed in and is not any more gets its dialog. */
  async check(isBackground: boolean): Promise<M | undefined> {
    try {
      const { body, headers } = await this.#port.readMe(isBackground);
      const skewMs = skewOf(headers?.['date'], this.#port.now());
      this.#become({ phase: 'in', me: body, skewMs });
      return body;
    } catch (error) {
      if (statusOf(error) === 401) this.end('idle');
      else if (this.#state.phase === 'unknown') this.#become({ phase: 'unknown', error });
      return undefined;
    }
  }

  /** To be called when the service has opened a session for this browser. */
  async opened(): Promise<void> {
    await this.check(false);
    this.#tabs.send('signed-in');
  }

  /** To be called when the service has answered 401. */
  end(reason: 'idle' | 'elsewhere'): void {
    if (this.#state.phase === 'in') this.#become({ phase: 'ended', me: this.#state.me, reason });
    else if (this.#state.phase === 'unknown') this.#become({ phase: 'out' });
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

  #become(state: SessionState<M>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
