const mark = 'certloop-reloaded';

/**
 * Loads the page anew, once, when a part of it cannot be loaded: after a deployment the parts have other names. What
 * the address says stays.
 */
export function reloadOnOldChunk(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(mark) ?? 0);
    if (Date.now() - last < 60_000) return;
    event.preventDefault();
    sessionStorage.setItem(mark, String(Date.now()));
    location.reload();
  });
}
