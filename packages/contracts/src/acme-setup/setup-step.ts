/** Languages of what people copy. */
export type SetupLanguage = 'shell' | 'powershell' | 'caddyfile' | 'yaml' | 'haproxy' | 'apache';

/** One text to copy: commands to run as root, or the content of a file. */
export interface SetupStep {
  readonly title: string;
  readonly language: SetupLanguage;
  readonly text: string;
}

/** How one kind of ACME client gets its certificates from cert-manager. */
export interface ClientSetup {
  readonly steps: readonly SetupStep[];
  /** Sentences that a person must know beside the texts. */
  readonly notes: readonly string[];
}

export const shellStep = (title: string, text: string): SetupStep => ({ title, language: 'shell', text });
