import type { Contract } from '../endpoint.js';

/**
 * Methods that a path of a contract answers, in the form of an Allow header, HEAD beside GET; undefined where
 * nothing exists. One slash at the end of the path is ignored.
 */
export function allowedMethods(contract: Contract, path: string): string | undefined {
  const methods = Object.values(contract)
    .filter((shape) => matches(withoutSlash(shape.path), withoutSlash(path)))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return methods.length === 0 ? undefined : [...new Set(methods)].join(', ');
}

function matches(pattern: string, path: string): boolean {
  const steps = pattern.split('/');
  const sent = path.split('/');
  return (
    steps.length === sent.length &&
    steps.every((step, place) => (step.startsWith('{') ? sent[place] !== '' : step === sent[place]))
  );
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
