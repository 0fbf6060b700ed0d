const dialogs = '[role=dialog]';

/**
 * Moves the focus back to where it was when the last dialog is gone, or to the main part of the page if that place is
 * gone too. Mantine does this only for dialogs that stay mounted. Returns what ends it.
 */
export function returnFocusAfterDialogs(): () => void {
  let outside: HTMLElement | undefined;
  const observer = new MutationObserver(() => {
    if (document.querySelector(dialogs) !== null) return;
    observer.disconnect();
    if (document.activeElement !== document.body) return;
    const place = outside?.isConnected === true ? outside : document.querySelector('main');
    place?.focus();
  });
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    if (target.closest(dialogs) === null) outside = target;
    else observer.observe(document.body, { childList: true, subtree: true });
  };
  document.addEventListener('focusin', note);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', note);
  };
}
