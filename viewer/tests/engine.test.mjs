// The page with what the engine writes. CAROM_BIN names the command-line program.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, open, serve, shown } from './browser.mjs';
import { distinctColours, picture } from './exercise.mjs';
import { frames as load_frames, recording as load_recording } from './sources.mjs';

const carom = process.env.CAROM_BIN;
const options = { timeout: 120_000, skip: carom ? false : 'CAROM_BIN is not set' };
let folder;
let browser;
let recording;
let html;
let contactsAtTheEnd;

before(async () => {
  if (!carom) return;
  folder = mkdtempSync(join(tmpdir(), 'carom-viewer-'));
  recording = join(folder, 'run.carom');
  html = join(folder, 'run.html');
  const numbers = join(folder, 'run.json');
  execFileSync(carom, ['run', 'two-tori-1600', '--steps', '100', '-o', recording, '--html', html, '--json', numbers], { stdio: ['ignore', 'ignore', 'inherit'] });
  const last = JSON.parse(readFileSync(numbers, 'utf8')).frames.at(-1);
  contactsAtTheEnd = last.vertex_face + last.edge_edge;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

async function looksRight(address) {
  const { page, problems, close } = await open(browser, address);
  try {
    await check(page);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

async function check(page) {
  await shown(page);
  assert.equal(await page.evaluate(() => window.carom.frames), 101);
  assert.ok(!(await page.locator('#notice').isVisible()), 'the recording is not whole');
  await page.click('#button-play');
  await page.waitForFunction(() => window.carom.frame >= 5);
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.carom.frame === 100);
  const contacts = await page.evaluate(() => window.carom.contacts);
  assert.ok(contacts > 0, 'the tori press each other at frame 100, but the page shows no contact');
  assert.equal(contacts, contactsAtTheEnd, 'the page and the engine disagree on the contacts');
  assert.ok(distinctColours(await picture(page)) > 50);
  assert.match(await page.locator('#stages').innerText(), /broad[^]*mid[^]*narrow[^]*contacts/);
}

test("every frame of the engine's recording decodes", options, async () => {
  const { parseRecording } = await load_recording();
  const { Frames } = await load_frames();
  const parsed = parseRecording(new Uint8Array(readFileSync(recording)));
  assert.equal(parsed.notice, null);
  const frames = new Frames(parsed);
  assert.equal(frames.count, 101);
  for (let n = 0; n < 101; n++) {
    const { bodies, contacts } = frames.at(n);
    assert.ok(bodies.length >= 2);
    for (let i = 0; i < contacts.count; i++) {
      const gap = Math.hypot(...[0, 1, 2].map((axis) => contacts.pointA[3 * i + axis] - contacts.pointB[3 * i + axis]));
      assert.ok(Math.abs(gap - contacts.distance[i]) < 1e-5, `frame ${n}, contact ${i}: the points are ${gap} apart, not ${contacts.distance[i]}`);
    }
  }
});

test("the engine's recording, served", options, async () => {
  const server = await serve(readFileSync(recording));
  try {
    await looksRight(server.address);
  } finally {
    server.close();
  }
});

test("the engine's self-contained HTML", options, () => looksRight(pathToFileURL(html).href));

test('carom view', options, async () => {
  const viewer = spawn(carom, ['view', recording], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => viewer.once('exit', (code, signal) => resolve({ code, signal })));
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      viewer.stdout.on('data', (data) => {
        said += data;
        const found = said.match(/http:\/\/127\.0\.0\.1:\d+\//);
        if (found) resolve(found[0]);
      });
      viewer.once('error', reject);
      void ended.then(() => reject(new Error(`carom view ended without an address: ${said}`)));
    });
    await looksRight(address);
  } finally {
    viewer.kill('SIGINT');
  }
  await ended;
});

test('the columns of the stages are within the panel, whatever is counted', options, async () => {
  const file = join(folder, 'mixed.carom');
  execFileSync(carom, ['run', 'liver-cut', '--steps', '120', '--every', '40', '-o', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const server = await serve(readFileSync(file));
  const { page, problems, close } = await open(browser, server.address);
  try {
    await shown(page);
    await page.evaluate(() => window.carom.show(3));
    assert.match(await page.locator('#stages').innerText(), /pairs of colliders and of features = /);
    const right = await page.locator('#panel').evaluate((panel) => panel.getBoundingClientRect().left + panel.clientWidth);
    for (const cell of await page.locator('#stages :is(td, th)').all()) {
      const box = await cell.boundingBox();
      assert.ok(box.x + box.width <= right, `'${await cell.innerText()}' ends at ${box.x + box.width}, the panel at ${right}`);
    }
    assert.deepEqual(problems, []);
  } finally {
    await close();
    server.close();
  }
});

test('fit shows all of built-in scenes, whatever the window and the direction', { ...options, timeout: 240_000 }, async (t) => {
  for (const scene of ['newtons-cradle', 'arch', 'spheres-on-bricks', 'cloth-on-ball-18']) {
    await t.test(scene, async () => {
      const file = join(folder, `${scene}.carom`);
      execFileSync(carom, ['run', scene, '--steps', '60', '--every', '10', '-o', file], { stdio: ['ignore', 'ignore', 'pipe'] });
      const server = await serve(readFileSync(file));
      const { page, problems, close } = await open(browser, server.address);
      await shown(page);
      for (const [width, height] of [[1280, 800], [390, 800], [900, 400]]) {
        await page.setViewportSize({ width, height });
        await page.waitForFunction(([width, height]) => innerWidth === width && innerHeight === height, [width, height]);
        await page.waitForTimeout(100);
        const found = await page.evaluate(() => {
          const { carom } = window;
          return [[0.62, 0.42, 1], [-1, 0.1, 0.2], [0.3, 1, -0.3]].flatMap((direction) => {
            carom.fit(direction);
            return [0, 3, 6].map((frame) => {
              carom.show(frame);
              return { direction, frame, bounds: carom.bounds(), visible: carom.visible() };
            });
          });
        });
        for (const each of found) {
          const { bounds, visible } = each;
          const inside = bounds.left >= visible.left && bounds.right <= visible.right && bounds.top >= visible.top && bounds.bottom <= visible.bottom;
          assert.ok(inside && bounds.nearest > 0, `${width} by ${height}: ${JSON.stringify(each)}`);
        }
      }
      assert.deepEqual(problems, []);
      await close();
      server.close();
    });
  }
});
