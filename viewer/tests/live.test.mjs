// The page of a world that runs. CAROM_BIN names the command-line program; CAROM_PICTURES a folder for screenshots.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PNG } from 'pngjs';
import { launch, open } from './browser.mjs';
import { distinctColours } from './exercise.mjs';

const carom = process.env.CAROM_BIN;
const options = { timeout: 120_000, skip: carom ? false : 'CAROM_BIN is not set' };
let folder;
let browser;

before(async () => {
  if (!carom) return;
  folder = mkdtempSync(join(tmpdir(), 'carom-live-'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** carom live, and its address. */
async function live(...more) {
  const program = spawn(carom, ['live', ...more], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => program.on('exit', resolve));
  let said = '';
  const address = await new Promise((resolve, reject) => {
    program.stdout.on('data', (text) => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
      if (found) resolve(found[0]);
    });
    ended.then((code) => reject(new Error(`carom live ended with ${code}`)));
  });
  return { address, stop: () => (program.kill('SIGINT'), ended) };
}

const step = (page) => page.evaluate(() => window.carom.live.status?.step ?? -1);
const status = (page) => page.evaluate(() => window.carom.live.status);
const waitForStep = (page, n) => page.waitForFunction((n) => (window.carom.live?.status?.step ?? -1) >= n, n);

/** Where a body is in the window. */
async function placeOf(page, name) {
  const at = await page.evaluate((name) => window.carom.bodyScreenPosition(name), name);
  const box = await page.locator('#view').boundingBox();
  return { x: box.x + at.x, y: box.y + at.y };
}

async function screenshot(page, name) {
  if (process.env.CAROM_PICTURES) await page.screenshot({ path: join(process.env.CAROM_PICTURES, `${name}.png`) });
}

test('a body follows the mouse, and what was done replays', options, async () => {
  const record = join(folder, 'hand.input');
  const { address, stop } = await live('tool-probe', '-o', record);
  const { page, problems, close } = await open(browser, address);
  try {
    await waitForStep(page, 20);
    assert.ok(distinctColours(PNG.sync.read(await page.locator('#view').screenshot())) > 50, 'the picture is not empty');
    const from = await placeOf(page, 'probe');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.waitForFunction(() => window.carom.live.status.hands.length === 1);
    assert.equal((await status(page)).hands[0].body, 'probe');
    await page.mouse.move(from.x + 90, from.y - 40, { steps: 8 });
    await page.waitForFunction(() => {
      const [hand] = window.carom.live.status.hands;
      return hand && Math.hypot(...hand.point.map((value, axis) => value - hand.target[axis])) < 0.02;
    });
    const to = await placeOf(page, 'probe');
    assert.ok(to.x - from.x > 50, `the probe is at ${to.x}, and was at ${from.x}`);
    await screenshot(page, 'live-drag');
    await page.mouse.up();
    await page.waitForFunction(() => window.carom.live.status.hands.length === 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
  assert.equal(await stop(), 0);
  const lines = readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.some((line) => line.grab?.body === 'probe'));
  assert.ok(lines.at(-1).end.steps > 20);
});

test('pause, step, reset, gravity and stiffness', options, async () => {
  const { address, stop } = await live('tool-probe');
  const { page, problems, close } = await open(browser, address);
  try {
    await waitForStep(page, 3);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.carom.live.status.paused);
    const before = await step(page);
    await page.click('#live-step');
    await waitForStep(page, before + 1);
    assert.equal(await step(page), before + 1);
    await page.locator('#live-gravity').fill('50');
    await page.waitForFunction(() => Math.abs(window.carom.live.status.gravity[1] + 9.81 / 2) < 1e-9);
    await page.locator('#live-stiffness').fill('-20');
    await page.waitForFunction(() => Math.abs(window.carom.live.status.stiffness - 0.1) < 1e-12);
    await page.click('#live-reset');
    await page.waitForFunction(() => window.carom.live.status.resets === 1);
    assert.equal((await status(page)).stiffness, 1);
    assert.equal(await page.locator('#live-gravity').inputValue(), '100');
    assert.match(await page.locator('#live-status').innerText(), /paused/);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => !window.carom.live.status.paused);
    await page.waitForFunction(() => /of 60 steps\/s/.test(document.getElementById('live-status').innerText));
    assert.match(await page.locator('#live-status').innerText(), /ms a step/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await stop();
  }
});

test('a body is moved by keys', options, async () => {
  const { address, stop } = await live('tool-probe');
  const { page, problems, close } = await open(browser, address);
  try {
    await waitForStep(page, 3);
    const held = () => page.evaluate(() => window.carom.live.status.hands.map(({ body }) => body));
    await page.keyboard.press('k');
    await page.waitForFunction(() => window.carom.live.status.hands[0]?.body === 'sheet');
    await page.keyboard.press('k');
    await page.waitForFunction(() => window.carom.live.status.hands[0]?.body === 'probe');
    const target = (await status(page)).hands[0].target;
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowUp');
    await page.waitForFunction((y) => window.carom.live.status.hands[0]?.target[1] > y + 0.02, target[1]);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => window.carom.live.status.hands.length === 0);
    assert.deepEqual(await held(), []);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await stop();
  }
});

test('on a phone, with a finger', options, async () => {
  const { address, stop } = await live('tool-probe');
  const { page, problems, close } = await open(browser, address, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  try {
    await waitForStep(page, 20);
    const widths = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth, document.getElementById('live').scrollWidth]);
    assert.ok(Math.max(...widths) <= 390, `the page is ${Math.max(...widths)} px wide`);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('#live :is(button, input, a)')].filter((control) => {
        const { left, right, bottom, width } = control.getBoundingClientRect();
        return left < 0 || right > innerWidth || bottom > innerHeight || width < 20;
      }).map(({ id }) => id));
    assert.deepEqual(outside, []);
    const at = await placeOf(page, 'probe');
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await touch('touchStart', [at]);
    await page.waitForFunction(() => window.carom.live.status.hands[0]?.body === 'probe');
    for (let i = 1; i <= 6; i++) await touch('touchMove', [{ x: at.x + 8 * i, y: at.y - 6 * i }]);
    await page.waitForFunction(() => window.carom.live.status.hands[0]?.force >= 0);
    await screenshot(page, 'live-phone');
    await touch('touchEnd', []);
    await page.waitForFunction(() => window.carom.live.status.hands.length === 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await stop();
  }
});

test('what is ignored is told, and the end is', options, async () => {
  const { address, stop } = await live('tool-probe', '--paused');
  const { page, close } = await open(browser, address);
  try {
    await waitForStep(page, 0);
    await page.evaluate(() => window.carom.live.input({ grab: { hand: 0, body: 'nobody', point: [0, 0, 0] } }));
    await page.waitForFunction(() => document.getElementById('notice').innerText.includes("no body is called 'nobody'"));
    assert.equal(await stop(), 0);
    await page.waitForFunction(() => document.getElementById('notice').innerText.includes('The program has ended'));
  } finally {
    await close();
    await stop();
  }
});
