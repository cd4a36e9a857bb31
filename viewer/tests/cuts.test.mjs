// The page with a recording of cuts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, serve, shown } from './browser.mjs';
import { cutBlock, sheet } from './make_recording.mjs';

const timeout = 120_000;
let browser;

before(async () => (browser = await launch()));
after(async () => browser?.close());

test('faces of cuts, pieces and events', { timeout }, async () => {
  const server = await serve(cutBlock().bytes);
  const { page, problems, close } = await open(browser, server.address);
  await shown(page);
  const frame = () => page.evaluate(() => window.carom.frame);
  const at = (number) => page.waitForFunction((n) => window.carom.frame === n, number);

  assert.equal(await page.evaluate(() => window.carom.cutTriangles), 0);
  assert.equal(await page.locator('#legend-cut').count(), 0);
  const marks = page.locator('#events button');
  assert.deepEqual(await marks.evaluateAll((list) => list.map(({ title }) => title)), ['Frames 4 to 7: block is cut, 1 m² (12 links)', 'Frame 7: block 2 comes off block']);

  // A mark lies below the place of its frame on the slider, and a click on it goes there.
  const track = await page.locator('#scrub').boundingBox();
  const piece = await page.locator('#events .piece').boundingBox();
  const place = track.x + 7.5 + (7 / 19) * (track.width - 15);
  assert.ok(Math.abs(piece.x + piece.width / 2 - place) < 1.5);
  await page.click('#events .piece');
  await at(7);
  await page.waitForFunction(() => window.carom.cutTriangles === 4);
  assert.equal(await page.textContent('#legend-cut'), 'faces of cuts');
  assert.match(await page.locator('#legend button', { hasText: 'block 2' }).getAttribute('title'), /which came off block$/);
  const [body, rest] = await page.evaluate(() => ['block', 'block 2'].map((name) => window.carom.colourOf(name)));
  assert.notEqual(body, rest);

  // Keys go from event to event.
  await page.keyboard.press(',');
  await at(4);
  await page.keyboard.press(',');
  assert.equal(await frame(), 4, 'there is none before');
  await page.keyboard.press('.');
  await at(7);

  // Colours that mean something else take the place of those of cuts.
  await page.keyboard.press('i');
  await page.waitForFunction(() => window.carom.cutTriangles === 0);
  await page.keyboard.press('i');
  await page.waitForFunction(() => window.carom.cutTriangles === 4);
  await page.locator('#legend button', { hasText: 'block 2' }).click();
  await page.waitForFunction(() => window.carom.cutTriangles === 2);
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('without cuts there are no marks', { timeout }, async () => {
  const server = await serve(sheet().bytes);
  const { page, close } = await open(browser, server.address);
  await shown(page);
  await page.evaluate(() => window.carom.seek(2));
  assert.equal(await page.locator('#events button').count(), 0);
  assert.equal(await page.locator('#legend-cut').count(), 0);
  await close();
  server.close();
});
