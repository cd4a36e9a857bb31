// The page in windows of phones and tablets, in both orientations, used with fingers.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, serve, shown } from './browser.mjs';
import { twoTori } from './make_recording.mjs';

const timeout = 120_000;
const recording = twoTori();
const SIZES = [[390, 800], [360, 640], [768, 1024], [800, 390]];
let browser;
let server;

before(async () => {
  browser = await launch();
  server = await serve(recording.bytes);
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function openSmall([width, height]) {
  const opened = await open(browser, server.address, { viewport: { width, height }, hasTouch: true, isMobile: true });
  await shown(opened.page);
  await opened.page.waitForFunction(() => window.carom.still);
  return opened;
}

/** Number of controls that can be seen, and those that are not all within the window or cannot be tapped. */
const controlsOutside = (page, within) =>
  page.evaluate(({ within, size }) => {
    const outside = [];
    let count = 0;
    for (const control of document.querySelectorAll(`${within} :is(button, select, input)`)) {
      if (!control.checkVisibility()) continue;
      count++;
      const { left, top, right, bottom, width } = control.getBoundingClientRect();
      if (left < 0 || top < 0 || right > size.width || bottom > size.height || width < 20) outside.push(control.id || control.textContent);
      // What is drawn over a control takes its taps.
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (!control.contains(hit)) outside.push(`${control.id || control.textContent} is covered`);
    }
    return { count, outside };
  }, { within, size: page.viewportSize() });

async function pageFits(page) {
  // A phone shrinks a page that is too wide, and innerWidth grows: the width to compare with is that of the window.
  const { width } = page.viewportSize();
  const widths = await page.evaluate(() => [innerWidth, ...[document.documentElement, document.body, document.getElementById('app')].map((e) => e.scrollWidth)]);
  assert.ok(Math.max(...widths) <= width, `the page is ${Math.max(...widths)} px wide in a window of ${width}`);
  for (const id of ['toolbar', 'timeline']) {
    const wide = await page.locator(`#${id}`).evaluate((e) => e.scrollWidth - e.clientWidth);
    assert.ok(wide <= 0, `#${id} is ${wide} px wider than its place`);
  }
}

/** The model is within the part of the picture that nothing covers, and fills it in one direction. */
async function modelFits(page, fill = 0.6) {
  const { bounds, visible } = await page.evaluate(() => ({ bounds: window.carom.bounds(), visible: window.carom.visible() }));
  const said = JSON.stringify({ bounds, visible });
  assert.ok(bounds.left >= visible.left && bounds.right <= visible.right, said);
  assert.ok(bounds.top >= visible.top && bounds.bottom <= visible.bottom, said);
  const across = (bounds.right - bounds.left) / (visible.right - visible.left);
  const up = (bounds.bottom - bounds.top) / (visible.bottom - visible.top);
  assert.ok(Math.max(across, up) > fill, `only ${across} by ${up} of the picture: ${said}`);
}

for (const size of SIZES) {
  const [width, height] = size;
  test(`${width} by ${height}`, { timeout }, async (t) => {
    const { page, problems, close } = await openSmall(size);
    await t.test('the model fills the picture on loading', () => modelFits(page));
    await t.test('nothing overflows, and every control can be reached', async () => {
      await pageFits(page);
      for (const within of ['#toolbar', '#timeline']) assert.deepEqual((await controlsOutside(page, within)).outside, []);
      await page.click('#button-menu');
      const { count, outside } = await controlsOutside(page, '#show-menu');
      assert.equal(count, 11);
      if (height >= 700) assert.deepEqual(outside, []);
      await page.locator('#button-grid').scrollIntoViewIfNeeded();
      await page.click('#button-grid');
      assert.equal(await page.getAttribute('#button-grid', 'aria-pressed'), 'false');
      await page.click('#button-grid');
      await page.keyboard.press('Escape');
      assert.ok(!(await page.locator('#show-menu').isVisible()));
    });
    await t.test('the panel opens without moving the page', async () => {
      const small = width < 760 || height < 480;
      if (!small) await page.click('#button-panel');
      await page.waitForTimeout(100);
      const before = await page.locator('#stage').boundingBox();
      await page.click('#button-panel');
      await page.waitForFunction(() => window.carom.still);
      if (small) assert.deepEqual(await page.locator('#stage').boundingBox(), before);
      await pageFits(page);
      const panel = await page.locator('#panel').boundingBox();
      assert.ok(panel.x >= 0 && panel.x + panel.width <= width && panel.y + panel.height <= height, JSON.stringify(panel));
      const cut = await page.locator('#panel').evaluate((e) => e.scrollWidth - e.clientWidth);
      assert.ok(cut <= 0, `the panel's text is ${cut} px wider than the panel`);
      await modelFits(page, 0.5);
      if (small) await page.locator('#panel > .close').click();
      else await page.click('#button-panel');
      assert.ok(!(await page.locator('#panel').isVisible()));
    });
    await t.test('no word of the help is cut', async () => {
      await page.click('#button-help');
      const box = await page.locator('#help').boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height, JSON.stringify(box));
      const cut = await page.evaluate(() => [...document.querySelectorAll('#help, #help dt, #help dd')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent));
      assert.deepEqual(cut, []);
      await page.locator('#help .close').click();
    });
    assert.deepEqual(problems, []);
    await close();
  });
}

test('fingers orbit, zoom and pick', { timeout }, async () => {
  const { page, close } = await openSmall([390, 800]);
  const session = await page.context().newCDPSession(page);
  const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const at = () => page.evaluate(() => window.carom.bounds());
  const settled = () => page.waitForFunction(() => window.carom.still);
  const differ = (a, b) => Math.max(...['left', 'right', 'top', 'bottom'].map((side) => Math.abs(a[side] - b[side])));

  const first = await at();
  await touch('touchStart', [150, 300]);
  for (const x of [170, 200, 240]) await touch('touchMove', [x, 330]);
  await touch('touchEnd');
  await settled();
  const turned = await at();
  assert.ok(differ(first, turned) > 5, 'a finger does not orbit');
  assert.equal(await page.evaluate(() => window.carom.selection), null, 'a drag picks');

  await touch('touchStart', [170, 330], [220, 330]);
  for (const apart of [30, 40, 50]) await touch('touchMove', [170 - apart, 330], [220 + apart, 330]);
  await touch('touchEnd');
  await settled();
  const pinched = await at();
  assert.ok(pinched.right - pinched.left > 1.2 * (turned.right - turned.left), 'a pinch does not zoom');
  assert.equal(await page.evaluate(() => window.carom.selection), null, 'a pinch picks');

  await page.click('#button-fit');
  await settled();
  const { left, right, top, bottom } = await at();
  const box = await page.locator('#view').boundingBox();
  await page.touchscreen.tap(box.x + (left + right) / 2, box.y + 0.75 * bottom + 0.25 * top);
  assert.equal(JSON.parse(await page.evaluate(() => window.carom.selection))?.type, 'triangle');
  const card = await page.locator('#selection').boundingBox();
  assert.ok(card.x >= 0 && card.x + card.width <= 390 && card.y + card.height <= 800, JSON.stringify(card));
  await close();
});

test('turning the device keeps the model in the picture', { timeout }, async () => {
  const { page, close } = await openSmall([390, 800]);
  for (const [width, height] of [[800, 390], [390, 800], [1200, 300], [300, 1000]]) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(([width, height]) => innerWidth === width && innerHeight === height && window.carom.still, [width, height]);
    await page.waitForTimeout(100);
    await modelFits(page);
  }
  await close();
});
