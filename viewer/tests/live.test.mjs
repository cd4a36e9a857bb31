// The page of a world that runs. CAROM_BIN names the command-line program; CAROM_PICTURES a folder for screenshots.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
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
const running = new Set();

before(async () => {
  if (!carom) return;
  folder = mkdtempSync(join(tmpdir(), 'carom-live-'));
  browser = await launch();
});
after(async () => {
  for (const program of running) program.kill('SIGKILL'); // of tests that failed: they would keep the run from ending
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** carom live, and its address. */
async function live(...more) {
  const program = spawn(carom, ['live', ...more], { stdio: ['ignore', 'pipe', 'ignore'] });
  running.add(program);
  const ended = new Promise((resolve) => program.on('exit', resolve)).finally(() => running.delete(program));
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
  let ended;
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
    // How near it comes depends on what it presses on there.
    await page.waitForFunction((x) => window.carom.bodyScreenPosition('probe').x > x + 50, from.x - (await page.locator('#view').boundingBox()).x);
    await screenshot(page, 'live-drag');
    await page.mouse.up();
    await page.waitForFunction(() => window.carom.live.status.hands.length === 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    ended = await stop();
  }
  assert.equal(ended, 0);
  const lines = readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.some((line) => line.grab?.body === 'probe'));
  assert.ok(lines.at(-1).end.steps > 20);
  assert.equal(spawnSync(carom, ['run', 'tool-probe', '--input', record]).status, 0, 'the record replays');
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

test('a body is turned by the mouse and by keys', options, async () => {
  const record = join(folder, 'turn.input');
  const { address, stop } = await live('tool-probe', '-o', record);
  const { page, problems, close } = await open(browser, address);
  try {
    await waitForStep(page, 3);
    const from = await placeOf(page, 'probe');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.waitForFunction(() => window.carom.live.status.hands.length === 1);
    const { target } = (await status(page)).hands[0];
    await page.keyboard.down('Shift');
    await page.mouse.move(from.x + 100, from.y, { steps: 5 });
    await page.keyboard.up('Shift');
    await waitForStep(page, (await step(page)) + 5);
    assert.deepEqual((await status(page)).hands[0].target, target, 'it stays where it is');
    await page.mouse.up();
    await page.waitForFunction(() => window.carom.live.status.hands.length === 0);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.waitForFunction(() => window.carom.live.status.hands[0]?.body === 'probe');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+PageUp');
    await waitForStep(page, (await step(page)) + 20);
    assert.match(await page.locator('#help').textContent(), /shift and drag/);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await stop();
  }
  const lines = readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const turns = lines.filter((line) => line.turn);
  const angle = (hand) => 2 * Math.acos(turns.filter(({ turn }) => turn.hand === hand).at(-1).turn.rotation[0]);
  assert.ok(Math.abs(angle(0) - 1) < 1e-9, `100 pixels are a radian, not ${angle(0)}`);
  assert.ok(Math.abs(angle(7) - Math.PI / 12) < 1e-9, 'three keys are 15 degrees');
  assert.equal(spawnSync(carom, ['run', 'tool-probe', '--input', record]).status, 0, 'the record replays');
});

/// Puts a finger on a body that may move on before the finger is there: how often it was tried, and where it is.
async function grabWithFinger(page, touch, name) {
  for (let tries = 1; ; tries++) {
    const at = await placeOf(page, name);
    await touch('touchStart', [at]);
    const held = page.waitForFunction((body) => window.carom.live.status.hands[0]?.body === body, name, { timeout: 5000 });
    if (await held.then(() => true, () => false)) return { at, tries };
    await touch('touchEnd', []);
    assert.ok(tries < 10, `a finger on ${name} holds nothing`);
  }
}

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
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    const { at } = await grabWithFinger(page, touch, 'probe');
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

test('two fingers bring a body closer and turn it', options, async () => {
  const record = join(folder, 'pinch.input');
  let tries = 0;
  const { address, stop } = await live('tool-probe', '-o', record);
  const { page, problems, close } = await open(browser, address, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  try {
    await waitForStep(page, 20);
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((point, id) => ({ ...point, id })) });
    const grab = await grabWithFinger(page, touch, 'probe');
    tries = grab.tries;
    const at = grab.at;
    // Beside all bodies.
    const second = (length, angle) => ({ x: at.x + length * Math.cos(angle), y: at.y + length * Math.sin(angle) });
    const distance = () => page.evaluate(() => {
      const { eye, status } = window.carom.live;
      return Math.hypot(...eye.map((value, axis) => value - status.hands[0].target[axis]));
    });
    const far = await distance();
    await touch('touchStart', [at, second(150, -2)]);
    for (let i = 1; i <= 5; i++) await touch('touchMove', [at, second(150 + 6 * i, -2)]);
    await waitForStep(page, (await step(page)) + 10);
    const ratio = (await distance()) / far;
    assert.ok(Math.abs(ratio - 150 / 180) < 1e-6, `it is ${ratio} times as far`);
    for (let i = 1; i <= 5; i++) await touch('touchMove', [at, second(180, -2 + 0.1 * i)]);
    await waitForStep(page, (await step(page)) + 5);
    assert.equal((await status(page)).hands.length, 1, 'the second finger holds nothing by itself');
    await screenshot(page, 'live-pinch');
    await touch('touchEnd', []);
    await page.waitForFunction(() => window.carom.live.status.hands.length === 0);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    await stop();
  }
  const lines = readFileSync(record, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const grabs = lines.filter((line) => line.grab).length;
  assert.ok(grabs >= 1 && grabs <= tries, `${grabs} grabs in ${tries} tries: the second finger makes none`);
  const [w] = lines.filter((line) => line.turn).at(-1).turn.rotation;
  // Places of fingers are whole pixels at worst.
  assert.ok(Math.abs(2 * Math.acos(w) - 0.5) < 0.01, `half a radian, not ${2 * Math.acos(w)}`);
});

test('cuts are told, and have colors of their own', options, async () => {
  const { address, stop } = await live('liver-cut', '--rate', '300', '--paused');
  const { page, problems, close } = await open(browser, address);
  try {
    await waitForStep(page, 0);
    assert.ok(await page.locator('#live-cuts').isHidden());
    assert.equal(await page.evaluate(() => window.carom.cutTriangles), 0);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => /liver is cut, \d+ cm² \(\d+ links\); liver-1 comes off$/.test(document.querySelector('#live-cuts li')?.innerText ?? ''));
    await waitForStep(page, 160); // the halves are apart
    assert.ok((await page.evaluate(() => window.carom.cutTriangles)) >= 200);
    assert.equal(await page.textContent('#legend-cut'), 'faces of cuts');
    const [liver, piece] = await page.evaluate(() => ['liver', 'liver-1'].map((name) => window.carom.colourOf(name)));
    assert.notEqual(liver, piece);
    await screenshot(page, 'live-cut');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.carom.live.status.paused);
    await page.click('#live-reset');
    await page.waitForFunction(() => window.carom.live.status.resets === 1);
    assert.ok(await page.locator('#live-cuts').isHidden(), 'the world begins again, whole');
    assert.equal(await page.evaluate(() => window.carom.cutTriangles), 0);
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
