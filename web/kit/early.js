// Sends the first requests of a page while its scripts are still on their way: who the user is, then what the page of
// this address shows, and the page's own part. The console takes the responses (service/early.browser.ts).
(() => {
  const { first } = document.currentScript?.dataset ?? {};
  if (first === undefined) return;
  const { me, requests, parts } = JSON.parse(first);
  const early = new Map();
  window.certloopEarly = early;
  const serviceUrl = new URL('..', document.baseURI).href.replace(/\/$/, '');
  const ask = (path) => {
    const options = { headers: { accept: 'application/json, */*' }, redirect: 'manual' };
    const response = fetch(serviceUrl + path, { ...options, signal: AbortSignal.timeout(30_000) });
    // the console sends it once more if it fails
    response.catch(() => undefined);
    early.set(serviceUrl + path, response);
    return response;
  };
  const signedIn = ask(me);

  const path = location.pathname.slice(new URL('.', document.baseURI).pathname.length - 1);
  const matchOf = (route) => {
    const [names, values] = [route.split('/'), path.split('/')];
    const isMatch =
      names.length === values.length &&
      names.every((name, place) => (name[0] === '$' ? values[place] !== '' : name === values[place]));
    return isMatch ? new Map(names.map((name, place) => [name, values[place]])) : undefined;
  };
  const found = (routes) =>
    Object.entries(routes).flatMap(([route, wanted]) => {
      const match = matchOf(route);
      return match === undefined
        ? []
        : wanted.map((text) => text.replace(/\$\w+/g, (name) => match.get(name) ?? ''));
    });

  for (const file of found(parts)) {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'modulepreload', crossOrigin: '', href: file });
    document.head.append(link);
  }
  // a search in the address changes what is shown
  if (location.search !== '') return;
  signedIn.then(
    ({ ok }) => {
      if (ok) for (const request of found(requests)) void ask(request);
    },
    () => undefined,
  );
})();
