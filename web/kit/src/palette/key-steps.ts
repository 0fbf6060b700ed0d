/** Step of a page after a key. */
export type KeyStep =
  | { readonly kind: 'palette' | 'help' | 'begin-jump' | 'select-row' | 'up' }
  | { readonly kind: 'move-row'; readonly by: 1 | -1 }
  | { readonly kind: 'jump'; readonly letter: string }
  /** Uses the control of the page that names this key. */
  | { readonly kind: 'control'; readonly key: string };

export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

export interface KeySituation {
  /** A field has the focus, so that a key writes. */
  readonly isTyping: boolean;
  /** A dialog or a menu is open. */
  readonly isOverlaid: boolean;
  /** The user has switched the keys of single characters off (WCAG 2.1.4). */
  readonly areKeysOff: boolean;
  /** The key before was `g`, a moment ago. */
  readonly isJumping: boolean;
}

/** The step of a key; undefined where the browser alone decides. */
export function stepOf(
  { key, ctrlKey, metaKey, altKey }: PressedKey,
  { isTyping, isOverlaid, areKeysOff, isJumping }: KeySituation,
): KeyStep | undefined {
  if (isOverlaid || altKey) return undefined;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? { kind: 'palette' } : undefined;
  if (isTyping || areKeysOff) return undefined;
  if (key === 'Escape') return { kind: 'up' };
  if (key.length !== 1 || key === ' ') return undefined;
  if (isJumping) return { kind: 'jump', letter: key };
  switch (key) {
    case 'g':
      return { kind: 'begin-jump' };
    case '?':
      return { kind: 'help' };
    case 'j':
      return { kind: 'move-row', by: 1 };
    case 'k':
      return { kind: 'move-row', by: -1 };
    case 'x':
      return { kind: 'select-row' };
    default:
      return { kind: 'control', key };
  }
}
