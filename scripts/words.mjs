// Judges words that cspell cannot see: phrases of several words, and names by their beginning.

/** Each pattern with what to say instead. */
const phrases = [
  [/\bby itself\b/i, 'automatically, alone, or on its own'],
  [/\ba look\b/i, 'an evaluation, or a check'],
  [/\bmost[A-Z]\w*/, 'max…, with its unit at the end'],
  [/\b(?:hold|keep)Rows\b/, 'lockForUpdate or lockForShare'],
  [/\bhold(?:Fqdns?|Space|User|Provider|Check|Channel|Owner)\b/, 'lock…'],
  [/\breadSeldom\b/, 'cachedRead'],
  [/\bwish(?:Name)?\b/, 'idempotencyKey'],
  [/\b\w+Wish\b/, 'SigningRequest, or SigningSubject'],
  [/\btellMonitor\b|\btoldRenewed\b/, 'syncCheck, or reportRenewed'],
  [
    /\b(?:un)?sound(?:ly)?\b|\bsound[A-Z]\w*|\b\w+Sound\w*|\b\w+Unsound\b/,
    'valid, well-formed, acceptable, or what it passed',
  ],
  [
    /\b(?:longest|least|largest|shortest|smallest|biggest)[A-Z]\w*/,
    'max…, min…, or slowest…, with its unit at the end',
  ],
  [
    /\b(?:const|let|readonly) (?:longest|least|most|largest|shortest)\b|\b(?:longest|least|most|largest|shortest)\??: (?:number|bigint)\b/,
    'max, or min',
  ],
  [/\b(?:[Hh]e|[Hh]is|him|himself)\b/, 'they, their, them, or the noun'],
  [/\bMessengers\b|\bmessengers\??[:.]/, 'senderAccounts'],
  [/\b[aA]skedBefore\b/, 'idempotency'],
  [/\bnewsOf\b/, 'what kind of news: alertStatusOf, headlineOf'],
  [/\bNotTogether\b/, 'CannotBatch'],
  [/\b(?:create)?[sS]ignPlaces\b/, 'signingSlots'],
  [/\bcreate(?:Keyed)?Turns\b|\bKeyedTurns\b/, 'createLimiter, createKeyedLimiter'],
  [/\binTurns\b/, 'limitRate'],
  [/\bsign(?:ing)?-?company\b/i, 'signing batch, or shared transaction'],
  [/\b(?:strip|python|outer)Blanks\b/, 'stripWhitespace, pythonWhitespace'],
  [/\b(?:list|run|Sqlite|Provider)Lanes?\b|\bclass Lane\b/, 'ProviderQueue, or SerialConnection'],
];

/** Lines that name what is stored or sent under such a name, which stays for the sake of what is stored. */
const exceptions = new Map([
  ['sound', /with(?:out a|out|) sound|no sound/],
  ['wish', /wish: column|provider_id, wish|^ {4}wish, \$/],
]);

const source = /^(?:apps|packages|web)\/[^/]+\/src\//;
const questionWords = /\/\*\*\s+(?:\* )?(What|Those of)\b/g;

/** Returns what is wrong with the words of a text, as `path:line: "phrase": say …`. */
export function faultsOfWords(path, text) {
  return [...faultsOfPhrases(path, text), ...(source.test(path) ? faultsOfDocstrings(path, text) : [])];
}

function faultsOfPhrases(path, text) {
  return text.split('\n').flatMap((line, index) =>
    phrases.flatMap(([pattern, instead]) => {
      const found = pattern.exec(line)?.[0];
      if (found === undefined || exceptions.get(found)?.test(line)) return [];
      return [`${path}:${index + 1}: "${found}": say ${instead}`];
    }),
  );
}

/** Docstrings begin with what comes back (`Returns …`), or with a noun. */
function faultsOfDocstrings(path, text) {
  return [...text.matchAll(questionWords)].map(({ index, 0: found, 1: word }) => {
    const line = text.slice(0, index + found.length).split('\n').length;
    return `${path}:${line}: "${word}": say Returns …, or begin with a noun`;
  });
}
