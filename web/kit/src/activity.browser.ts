import { useEffect, useState } from 'react';

let lastActivity = 0;

/** Notes when a person used the page last. To be called once. */
export function followActivity(): void {
  const note = () => {
    lastActivity = Date.now();
  };
  note();
  for (const kind of ['pointerdown', 'keydown', 'focus']) addEventListener(kind, note, { passive: true });
}

/**
 * Milliseconds until a page asks its service anew: 3 s within a minute of activity, else 15 s, and a minute while the
 * page is hidden.
 */
export function refreshMs(): number {
  if (document.hidden) return 60_000;
  return Date.now() - lastActivity < 60_000 ? 3_000 : 15_000;
}

/** Calls the newest `action` when the key is pressed outside of fields and dialogs. */
export function useKey(key: string, action: () => void): void {
  const [newest] = useState(() => ({ action }));
  newest.action = action;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement && target.closest('input, textarea, select, [role="dialog"]') !== null;
      if (event.key !== key || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      newest.action();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [key, newest]);
}

/** The value once it has not changed for `ms`. */
export function useSettled<Value>(value: Value, ms = 200): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
