/** Values that the commands for an ACME client are filled with. */
export interface SetupFacts {
  readonly directoryUrl: string;
  readonly kid: string;
  /** In base64url. */
  readonly hmacKey: string;
  /** Name of the ACME client in its space; files and resources are named after it where they need a name. */
  readonly clientName: string;
  /** Names of the certificate, the first one for its files. */
  readonly names: readonly string[];
  /** Contact of the account; without one, clients that need an address get `admin@` and the first name. */
  readonly email?: string | undefined;
  /** Path of a PEM file with the root of the front's own certificate; absent where the machine trusts it already. */
  readonly rootFile?: string | undefined;
  /** Content of that file, if it is known here. */
  readonly rootPem?: string | undefined;
  /** Command that makes the server read the new certificate. */
  readonly reload: string;
}

export type SetupField = keyof SetupFacts;

const host =
  /^(\*\.)?([\p{L}\p{N}_]([\p{L}\p{N}_-]*[\p{L}\p{N}_])?\.)*[\p{L}\p{N}_]([\p{L}\p{N}_-]*[\p{L}\p{N}_])?$/u;

/** Rules of values, stricter than quoting needs: what no command should hold is refused before it is quoted. */
const rules: { readonly [Field in SetupField]: (facts: SetupFacts) => string | undefined } = {
  directoryUrl: ({ directoryUrl }) =>
    /^https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/.test(directoryUrl) ? undefined : 'is not the URL of a directory',
  kid: ({ kid }) => (/^\w[\w.-]*$/.test(kid) ? undefined : 'is not the identifier of a key'),
  hmacKey: ({ hmacKey }) => (/^[\w-]+$/.test(hmacKey) ? undefined : 'is not a key in base64url'),
  clientName: () => undefined,
  names: ({ names }) => {
    if (names.length === 0) return 'needs a name';
    const wrong = names.find((name) => name.length > 253 || !host.test(name));
    return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not a host name`;
  },
  email: ({ email }) =>
    email === undefined || /^[\w.+-]+@[\w.-]+$/.test(email) ? undefined : 'is not an address',
  rootFile: ({ rootFile }) =>
    rootFile === undefined || /^\/[\p{L}\p{N}_./@+,~ :-]+$/u.test(rootFile)
      ? undefined
      : 'is an absolute path without quotes, braces and dollar signs',
  rootPem: ({ rootPem }) =>
    rootPem === undefined || /^[\w+/=\s-]+$/.test(rootPem) ? undefined : 'is not a certificate in PEM',
  reload: ({ reload }) =>
    /^[^\p{Cc}]+$/u.test(reload) && reload.trim() !== '' ? undefined : 'is a command of one line',
};

/** Returns what is wrong with the values, by field; nothing if commands can be filled with them. */
export function faultsOfSetup(facts: SetupFacts): Readonly<Partial<Record<SetupField, string>>> {
  const found = Object.entries(rules).map(([field, rule]) => [field, rule(facts)] as const);
  return Object.fromEntries(found.filter(([, fault]) => fault !== undefined));
}

/** The address of the account for clients that do not register without one. */
export function emailOf({ email, names: [first = ''] }: SetupFacts): string {
  return email ?? `admin@${bareName(first)}`;
}

/** A name that a file may have: a wildcard without its star. */
export function bareName(name: string): string {
  return name.replace(/^\*\./, 'wildcard.');
}

/** The name of an ACME client as a name of Kubernetes and of files: lower case letters, digits and hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'certloop' : `certloop-${slug}`;
}

/**
 * Returns names for the commands of a client that may have these: its single names without wildcards, at most the first
 * of them; otherwise one below a domain of it.
 */
export function exampleNames(
  names: { readonly names?: readonly string[]; readonly suffixes?: readonly string[] } | null,
): readonly string[] {
  const { names: single = [], suffixes = [] } = names ?? {};
  const [first] = [
    ...single.filter((name) => !name.startsWith('*.')),
    ...suffixes.map((suffix) => `www.${suffix}`),
    ...single,
  ];
  return [first ?? 'www.example.com'];
}
