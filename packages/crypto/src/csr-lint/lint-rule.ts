import type { CsrSeverity } from '@certloop/contracts';
import type { CsrLintCode } from './lint-codes.js';
import type { LintFacts } from './lint-facts.js';

/** A sentence about the CSR, and its severity where that differs from the one of the profile. */
export type RuleResult = string | undefined | { readonly message: string; readonly severity: CsrSeverity };

/** A code with the rule that finds it. Sentences begin with “it” or “its” and end without a dot. */
export type LintRule = readonly [code: CsrLintCode, find: (facts: LintFacts) => RuleResult];
