// The page of a clash check.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, serve, shown } from './browser.mjs';
import { clashes } from './make_recording.mjs';
import * as load from './sources.mjs';

const { amountOf, partsOf, selectClashes, treeOf } = await load.check_data();
const timeout = 180_000;
let browser;

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
});

async function openCheck(parts, viewport) {
  const server = await serve(clashes(parts).bytes);
  const opened = await open(browser, server.address, { viewport });
  await shown(opened.page);
  await opened.page.waitForFunction(() => window.carom.still, undefined, { timeout });
  return { ...opened, close: async () => { await opened.close(); server.close(); } };
}

test('search, filter and sort of clashes', () => {
  const { check } = clashes(30);
  const all = new Set(['overlap', 'touch', 'close', 'allowed']);
  assert.equal(selectClashes(check, '', all, 'depth').length, 29);
  const deepest = selectClashes(check, '', all, 'depth').map((i) => check.clashes[i].distance);
  assert.deepEqual(deepest, [...deepest].sort((a, b) => a - b));
  const largest = selectClashes(check, '', all, 'volume').map((i) => check.clashes[i].volume);
  assert.deepEqual(largest, [...largest].sort((a, b) => b - a));
  assert.deepEqual(selectClashes(check, 'number 29', all, 'name').map((i) => check.clashes[i].b), [29]);
  assert.ok(selectClashes(check, '', new Set(['touch']), 'depth').every((i) => check.clashes[i].kind === 'touch'));
  assert.equal(amountOf(check.clashes[0], check.unit), `${Number((-check.clashes[0].distance * 1e3).toPrecision(4))} mm deep`);
});

test('the tree of parts follows the names', () => {
  const tree = treeOf(['a/b/one', 'a/b/two', 'a/three', 'four']);
  assert.deepEqual(tree.children.map(({ name }) => name), ['a', 'four']);
  assert.deepEqual(partsOf(tree.children[0]), [0, 1, 2]);
  assert.deepEqual(tree.children[0].children.map(({ name }) => name), ['b', 'three']);
});

test('a chosen clash: two colours, its depth at it; section, measure, parts', { timeout }, async () => {
  const { page, problems, close } = await openCheck(12, { width: 1280, height: 800 });
  assert.ok(!(await page.locator('#timeline').isVisible()), 'nothing plays, so there is no play bar');
  assert.ok(!(await page.locator('#panel').isVisible()));
  const rows = page.locator('#clash-list .rows button');
  const count = await rows.count();
  assert.equal(count, 10, '11 clashes, of which one is allowed and filtered out');
  await rows.first().click();
  const label = page.locator('#labels .label.depth');
  await label.waitFor();
  assert.match(await label.textContent(), /mm deep$/);
  const amount = await rows.first().locator('.amount').textContent();
  assert.equal(await label.textContent(), amount);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/check-one.png` });
  await page.fill('#clash-search', 'number 3');
  assert.ok((await rows.count()) < count);
  await page.fill('#clash-search', '');
  await page.keyboard.press('Escape');
  await page.locator('#check .tools button', { hasText: /^x$/ }).click();
  await page.locator('#section-at').waitFor();
  await page.click('#measure');
  await page.click('#show-all');
  await page.waitForFunction(() => window.carom.still);
  const { left, right, top, bottom } = await page.evaluate(() => window.carom.visible());
  for (const fraction of [0.35, 0.65]) await page.mouse.click(left + fraction * (right - left), (top + bottom) / 2 + 44);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/check-section.png` });
  await page.locator('#check [role=tab]', { hasText: 'Parts' }).click();
  await page.locator('#parts-tree summary').first().click();
  await page.locator('#parts-tree summary').nth(1).click();
  await page.locator('#parts-tree .leaf button').nth(1).click();
  await page.locator('#check .detail .warning').waitFor();
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/check-parts.png` });
  assert.deepEqual(problems, []);
  await close();
});

test('in a window of 390 pixels', { timeout }, async () => {
  const { page, problems, close } = await openCheck(12, { width: 390, height: 800 });
  const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.getElementById('app').scrollWidth));
  assert.ok(wide <= 390, `${wide} px wide`);
  await page.locator('#clash-list .rows button').first().click();
  await page.locator('#labels .label.depth').waitFor();
  const names = await page.locator('#clash-list .rows button').first().locator('.part').evaluateAll((all) => all.map((e) => e.scrollWidth <= e.clientWidth));
  assert.deepEqual(names, [true, true], 'names are cut off');
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/check-390.png` });
  assert.deepEqual(problems, []);
  await close();
});

test('with 5000 parts', { timeout }, async () => {
  const { page, problems, close } = await openCheck(5000, { width: 1280, height: 800 });
  assert.equal(await page.locator('#clash-list .rows button').count(), 100, 'rows for what is shown only');
  await page.locator('#clash-list .rows button').first().click();
  await page.locator('#labels .label.depth').waitFor();
  await page.fill('#clash-search', 'number 4321');
  assert.ok((await page.locator('#clash-list .rows button').count()) <= 2);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/check-5000.png` });
  assert.deepEqual(problems, []);
  await close();
});
