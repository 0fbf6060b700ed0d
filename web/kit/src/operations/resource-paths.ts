import { type AnyInput, pathOf } from '@certloop/contracts/browser';
import { describedOperation, type Operation } from './operations.js';

/**
 * The resource that an operation is about, as the path in its contract with the parameters of the input, such as
 * `/spaces/1/fqdns`.
 */
export function resourceOf<O extends Operation>(operation: O, ...[input]: Parameters<O>): string {
  return pathFor(operation, input);
}

/** {@link resourceOf} for an input whose type was checked before. */
export function pathFor(operation: Operation, input: AnyInput | undefined): string {
  const { shape, api } = describedOperation(operation);
  return `${api.basePath}${pathOf(shape, input?.params)}`;
}

/**
 * Whether a change of one resource affects what is shown of another: if they are the same, or if one is below the other.
 * A list depends on its members, and what belongs to an object depends on the object.
 */
export function isAffected(shown: string, changed: string): boolean {
  return shown === changed || shown.startsWith(`${changed}/`) || changed.startsWith(`${shown}/`);
}

/** Whether a change of any of these resources affects any of those that are shown. */
export function areAffected(shown: readonly string[], changed: readonly string[]): boolean {
  return shown.some((one) => changed.some((other) => isAffected(one, other)));
}
