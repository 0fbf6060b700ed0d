import { fileURLToPath } from 'node:url';
import { formsWithoutCurl, measureConsole } from '@certloop/web-kit/testing';
import { expect, test } from 'vitest';

const built = measureConsole(fileURLToPath(new URL('../dist', import.meta.url)));

test('loads at most 235 kB of JavaScript and 24 kB of CSS first', () => {
  expect(built.firstJs).toBeGreaterThan(50_000);
  expect(built.firstJs).toBeLessThanOrEqual(235_000);
  expect(built.css).toBeGreaterThan(2_000);
  expect(built.css).toBeLessThanOrEqual(24_000);
});

test('loads at most 25 kB for a page, also for one with a form', () => {
  expect(Object.keys(built.pages).length).toBeGreaterThan(8);
  expect(Object.entries(built.pages).filter(([, bytes]) => bytes > 25_000)).toEqual([]);
});

test('names in the document the part of every page, which loads beside the scripts', () => {
  const named = new Set(Object.values(built.first.parts).map(([page]) => page));
  expect([...named].sort()).toEqual(
    Object.keys(built.pages)
      .map((name) => `assets/${name}`)
      .sort(),
  );
});

test('has no script and no style within the page, which its content security policy would refuse', () => {
  expect(built.html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=/i);
});

test('brings no schemas: the service alone judges input', () => {
  expect(built.code.filter((text) => /ZodError|invalid_union/.test(text))).toEqual([]);
});

test('shows in every form the curl command of what it sends', () => {
  expect(formsWithoutCurl(fileURLToPath(new URL('../src', import.meta.url)))).toEqual([]);
});
