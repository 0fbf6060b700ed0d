import { describe, expect, test } from 'vitest';
import { methodsAt } from './api-paths.js';

const uuid = '62e13f6b-a7b9-4926-9c3d-0000000000ab';
const key = 'a'.repeat(40);

describe('methods of a path', () => {
  test.each([
    ['/checks/', 'GET POST'],
    ['/checks', 'GET POST'],
    [`/checks/${uuid}`, 'GET POST DELETE'],
    [`/checks/${uuid}/`, 'GET POST DELETE'],
    [`/checks/${uuid.toUpperCase()}`, 'GET POST DELETE'],
    [`/checks/${key}`, 'GET'],
    [`/checks/${uuid}/pause`, 'POST'],
    [`/checks/${uuid}/resume/`, 'POST'],
    [`/checks/${uuid}/pings/`, 'GET'],
    [`/checks/${uuid}/pings/007/body`, 'GET'],
    [`/checks/${uuid}/flips`, 'GET'],
    [`/checks/${key}/flips/`, 'GET'],
    ['/channels/', 'GET'],
    [`/channels/${uuid}/test`, 'POST'],
    ['/badges/', 'GET'],
    ['/key', 'GET DELETE'],
    [`/checks/${key}/pause`, ''],
    [`/checks/${key}/pings/`, ''],
    [`/checks/${uuid.replaceAll('-', '')}`, ''],
    ['/checks/x', ''],
    [`/checks/${uuid}/pings/x/body`, ''],
    [`/checks/${uuid}//`, ''],
    ['/', ''],
  ])('%s: %s', (path, methods) => {
    expect(methodsAt(path).sort().join(' ')).toBe(methods.split(' ').sort().join(' '));
  });
});
