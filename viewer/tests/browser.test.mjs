import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, open, page_file, selfContained, serve, shown } from './browser.mjs';
import { distinctColours, everything, picture } from './exercise.mjs';
import { pit, sheet, twoRigid, twoTori, writeRecording } from './make_recording.mjs';

const timeout = 120_000;
const recording = twoTori();
const folder = mkdtempSync(join(tmpdir(), 'carom-viewer-'));
let browser;

before(async () => (browser = await launch()));
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

test('the page is one file that refers to no other', () => {
  const html = readFileSync(page_file, 'utf8');
  assert.equal(html.split('<!--CAROM_RECORDING-->').length, 2);
  assert.doesNotMatch(html, /<(script|link|img)[^>]*\s(src|href)="(?!data:)/);
  for (const holder of ['three.js authors', 'Arjun Barrett']) assert.ok(html.includes(holder), `the licence of ${holder} is missing`);
  assert.doesNotMatch(html, /@import|url\((?!["']?data:)/);
});

test('served', { timeout }, async (t) => {
  const server = await serve(recording.bytes);
  const { page, problems, close } = await open(browser, server.address);
  await everything(page, (name, run) => t.test(name, run));
  assert.deepEqual(problems, []);
  assert.deepEqual(server.asked, ['/', '/recording']);
  await close();
  server.close();
});

test('self-contained, opened from disk', { timeout }, async (t) => {
  const file = join(folder, 'run.html');
  writeFileSync(file, selfContained(recording.bytes));
  const { page, problems, close } = await open(browser, pathToFileURL(file).href, { colorScheme: 'dark' });
  await everything(page, (name, run) => t.test(name, run));
  assert.deepEqual(problems, []);
  await close();
});

test('the theme follows the system, and a choice is remembered', { timeout }, async () => {
  const server = await serve(recording.bytes);
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(browser, server.address, { colorScheme });
    await shown(page);
    assert.equal(await page.evaluate(() => window.carom.theme), colorScheme);
    await page.click('#button-theme');
    await page.reload();
    await shown(page);
    assert.notEqual(await page.evaluate(() => window.carom.theme), colorScheme);
    await close();
  }
  server.close();
});

test('what is wrong with a recording is said on the page', { timeout }, async (t) => {
  const { bytes, chunks } = recording;
  const fram = chunks.filter((each) => each.tag === 'FRAM');
  const changed = (offset, value) => {
    const copy = Buffer.from(bytes);
    copy[offset] = value;
    return copy;
  };
  const cases = [
    ['no recording', null, '#message', /No recording/],
    ['bad magic', changed(0, 88), '#message', /not a Carom recording/],
    ['unsupported version', changed(8, 9), '#message', /version 9; this viewer reads versions 1 to 2/],
    ['corrupt META', changed(60, 0), '#message', /checksum mismatch in the META chunk at byte 16/],
    ['cut in the first frame', bytes.subarray(0, fram[0].offset + 40), '#message', /cut short in the FRAM chunk/],
    ['cut later', bytes.subarray(0, fram[7].offset + 40), '#notice', /cut short.*last whole frame, 6\./],
    ['corrupt frame', changed(fram[7].offset + 50, bytes[fram[7].offset + 50] ^ 1), '#notice', new RegExp(`mismatch in the FRAM chunk at byte ${fram[7].offset}\\..*frame, 6\\.`)],
  ];
  for (const [name, file, where, message] of cases) {
    await t.test(name, async () => {
      const server = await serve(file);
      const { page, close } = await open(browser, server.address);
      await page.locator(where).waitFor({ state: 'visible' });
      assert.match(await page.locator(where).innerText(), message);
      if (where === '#notice') assert.equal(await page.evaluate(() => window.carom.frames), 7);
      await close();
      server.close();
    });
  }
});

test('a file dropped on the page is opened', { timeout }, async () => {
  const server = await serve(null);
  const { page, close } = await open(browser, server.address);
  await page.locator('#message').waitFor({ state: 'visible' });
  const transfer = await page.evaluateHandle((base64) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], 'run.carom'));
    return data;
  }, recording.bytes.toString('base64'));
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  assert.ok(await page.locator('#drop').isVisible());
  await page.evaluate(() => (location.hash = '#frame=7'));
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await shown(page);
  assert.equal(await page.evaluate(() => window.carom.frame), 0, 'the address was of another recording');
  assert.ok(!(await page.locator('#drop').isVisible()));
  assert.ok(!(await page.locator('#message').isVisible()));
  assert.equal(await page.evaluate(() => window.carom.frames), 40);
  await close();
  server.close();
});

test('views are listed, and show their frame, their bodies and its contacts', { timeout }, async () => {
  const { frames } = recording;
  const withContacts = frames.findIndex(({ contacts }, number) => number > 0 && contacts.length > 0);
  assert.ok(withContacts > 0);
  const meta = {
    ...{ carom: '0.1.0', scene: 'views', dt: 0.02, gravity: [0, 0, 0], contact_distance: 0.02 },
    views: [
      { title: 'all of it', frame: 0, bodies: [] },
      { title: 'the first body', frame: withContacts, bodies: [frames[0].bodies[0].number] },
    ],
  };
  const server = await serve(writeRecording({ meta, frames }).bytes);
  const { page, problems, close } = await open(browser, server.address);
  await shown(page);
  assert.deepEqual(await page.locator('#views button').allTextContents(), ['all of it', 'the first body']);
  const checked = () => page.locator('#bodies input').evaluateAll((boxes) => boxes.filter((box) => box.checked).length);
  const all = await checked();
  assert.ok(all > 1);
  await page.click('#views button:nth-child(2)');
  await page.waitForFunction(() => window.carom.still);
  assert.equal(await page.evaluate(() => window.carom.frame), withContacts);
  assert.equal(await checked(), 1);
  const box = await page.locator('#view').boundingBox();
  const at = await page.evaluate(() => window.carom.contactScreenPosition(0));
  assert.ok(at && at.x > 0 && at.x < box.width && at.y > 0 && at.y < box.height, 'a contact is in the picture');
  await page.click('#views button:nth-child(1)');
  assert.equal(await checked(), all);
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('contacts of rigid bodies by kind', { timeout }, async () => {
  const server = await serve(twoRigid().bytes);
  const { page, problems, close } = await open(browser, server.address);
  await shown(page);
  assert.match(await page.locator('#legend').innerText(), /colliding\s+resting\s+separating/);
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.carom.frame === 2 && window.carom.still);
  const summary = await page.locator('#summary').innerText();
  assert.match(summary, /colliding\s+1/);
  assert.match(summary, /resting\s+2/);
  assert.match(summary, /separating\s+1/);
  assert.match(summary, /impulses\s+8 N s/);
  const box = await page.locator('#view').boundingBox();
  const at = await page.evaluate(() => window.carom.contactScreenPosition(0));
  await page.mouse.click(box.x + at.x, box.y + at.y);
  const card = await page.locator('#selection').innerText();
  assert.match(card, /impulse\s+2 N s/);
  assert.match(card, /body b\s+die \(1\)/);
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('fixed bodies in front are seen through alike, until this is switched off', { timeout }, async () => {
  const server = await serve(pit().bytes);
  const { page, problems, close } = await open(browser, server.address);
  const through = async () => {
    await page.waitForFunction(() => window.carom.still);
    return page.evaluate(() => window.carom.seenThrough);
  };
  await shown(page);
  assert.equal(await through(), 8, 'all bricks, and not the ground');
  assert.match(await page.getAttribute('#button-through', 'title'), /See through fixed bodies in front of moving ones/);
  assert.equal(await page.locator('#note-through').innerText(), 'fixed bodies are see-through');
  for (const direction of [[1, 0.3, 0], [0.7, 0.3, 0.7], [-1, 0.3, 0.2], [0, 0.3, 1]]) {
    await page.evaluate((direction) => window.carom.fit(direction), direction);
    assert.equal(await through(), 8, `seen from ${direction}`);
  }
  await page.evaluate(() => window.carom.fit([0.05, 1, 0.05]));
  assert.equal(await through(), 0, 'nothing is in front, seen from above');
  await page.click('#button-fit');
  assert.equal(await through(), 8);
  await page.keyboard.press('v');
  assert.equal(await through(), 0);
  assert.equal(await page.locator('#note-through').count(), 0);
  await page.reload();
  await shown(page);
  assert.equal(await through(), 0, 'the choice is forgotten');
  assert.equal(await page.getAttribute('#button-through', 'aria-pressed'), 'false');
  await page.click('#button-through');
  assert.equal(await through(), 8);
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('cloth is smooth, and coloured by strain or impulse; the wind has arrows', { timeout }, async () => {
  const server = await serve(sheet({ wind: [5, 0, 0] }).bytes);
  const { page, problems, close } = await open(browser, server.address);
  await shown(page);
  await page.evaluate(() => window.carom.seek(2));
  assert.equal(await page.evaluate(() => window.carom.windArrows), 9);
  assert.equal(await page.locator('#note-scale').count(), 0);
  await page.keyboard.press('e');
  await page.waitForSelector('#note-scale');
  assert.match(await page.textContent('#note-scale'), /^strain 05%$/);
  await page.keyboard.press('i');
  assert.equal(await page.getAttribute('#button-strain', 'aria-pressed'), 'false', 'one colour at a time');
  await page.waitForFunction(() => window.carom.scale?.name === 'force');
  assert.deepEqual(await page.evaluate(() => window.carom.scale), { name: 'force', end: 0.5 });
  await page.keyboard.press('n');
  assert.equal(await page.evaluate(() => window.carom.windArrows), 0);
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('levels, springs and spheres of the tree are drawn where a recording has them', { timeout }, async () => {
  const details = { levels: [[0, Array.from({ length: 81 }, (_, v) => v % 3)]], spheres: [[0, 0, 0, 0.5], [0.3, 0, 0.3, 0.25]] };
  const server = await serve(sheet({ details }).bytes);
  const { page, problems, close } = await open(browser, server.address);
  await shown(page);
  await page.evaluate(() => window.carom.seek(2));
  assert.equal(await page.evaluate(() => window.carom.spheres), 2);
  await page.keyboard.press('o');
  assert.equal(await page.evaluate(() => window.carom.spheres), 0);
  await page.keyboard.press('k');
  await page.waitForFunction(() => window.carom.springs > 0);
  // 8 x 8 squares: 208 edges, 176 of them inner ones.
  assert.equal(await page.evaluate(() => window.carom.springs), 208 + 176);
  await page.keyboard.press('d');
  await page.waitForFunction(() => window.carom.scale?.name === 'levels');
  assert.match(await page.textContent('#note-scale'), /^level 0, fine2, coarse$/);
  await page.keyboard.press('e');
  assert.equal(await page.getAttribute('#button-levels', 'aria-pressed'), 'false', 'one colour at a time');
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('without levels and spheres there is nothing to switch', { timeout }, async () => {
  const server = await serve(sheet().bytes);
  const { page, close } = await open(browser, server.address);
  await shown(page);
  for (const name of ['levels', 'spheres']) assert.equal(await page.locator(`#button-${name}`).isVisible(), false);
  await close();
  server.close();
});

test('fit shows all bodies but the ground', { timeout }, async () => {
  const server = await serve(pit().bytes);
  for (const [width, height] of [[1280, 800], [500, 900], [1400, 300]]) {
    const { page, close } = await open(browser, server.address, { viewport: { width, height } });
    await shown(page);
    const found = await page.evaluate(() => {
      const { carom } = window;
      return [null, [1, 0, 0], [0, 1, 0.01], [-1, -0.4, 0.3], [0.2, 0.1, -1]].flatMap((direction) => {
        carom.fit(direction);
        return [0, 1, 2].map((frame) => {
          carom.show(frame);
          return { direction, frame, bounds: carom.bounds(), visible: carom.visible() };
        });
      });
    });
    for (const each of found) {
      const { bounds, visible } = each;
      const said = `${width} by ${height}: ${JSON.stringify(each)}`;
      assert.ok(bounds.left >= visible.left && bounds.right <= visible.right && bounds.top >= visible.top && bounds.bottom <= visible.bottom, said);
      assert.ok(bounds.nearest > 0, said);
      const fill = Math.max((bounds.right - bounds.left) / (visible.right - visible.left), (bounds.bottom - bounds.top) / (visible.bottom - visible.top));
      assert.ok(fill > 0.8, `${fill} of the picture is filled: ${said}`);
    }
    await close();
  }
  server.close();
});

test('the description of the scene is in the panel', { timeout }, async () => {
  for (const [bytes, description] of [[pit().bytes, 'A box falls into a pit of bricks.'], [recording.bytes, null]]) {
    const server = await serve(bytes);
    const { page, close } = await open(browser, server.address);
    await shown(page);
    assert.equal(await page.locator('#description').isVisible(), description !== null);
    if (description) assert.equal(await page.locator('#description').innerText(), description);
    await close();
    server.close();
  }
});

test('a mesh alone has no timeline, no contacts and no kind', { timeout }, async () => {
  const { frames } = recording;
  const { bytes } = writeRecording({ meta: { scene: 'part', dt: 1 }, frames: [{ ...frames[0], contacts: [], bodies: [frames[0].bodies[1]] }] });
  const server = await serve(bytes);
  const { page, problems, close } = await open(browser, server.address);
  await shown(page);
  for (const absent of ['#timeline', '#legend .mark', '#button-contacts', '#button-xray', '#button-arrows', '#bodies td:nth-child(2)'])
    assert.equal(await page.locator(absent).filter({ visible: true }).count(), 0, absent);
  assert.doesNotMatch(await page.locator('#summary').innerText(), /frame|time|contacts/);
  assert.ok(distinctColours(await picture(page)) > 50);
  assert.deepEqual(problems, []);
  await close();
  server.close();
});

test('the address names the frame', { timeout }, async (t) => {
  const server = await serve(recording.bytes);
  const file = join(folder, 'linked.html');
  writeFileSync(file, selfContained(recording.bytes));
  for (const address of [server.address, pathToFileURL(file).href]) {
    await t.test(address.split(':')[0], async () => {
      const { page, problems, close } = await open(browser, `${address}#frame=12`);
      const frame = () => page.evaluate(() => window.carom.frame);
      const hashIs = (hash) => page.waitForFunction((hash) => location.hash === hash, hash);
      await shown(page);
      assert.equal(await frame(), 12);
      assert.ok(!(await page.locator('#notice').isVisible()));

      const entries = await page.evaluate(() => history.length);
      await page.keyboard.press('ArrowRight');
      await hashIs('#frame=13');
      assert.equal(await page.evaluate(() => history.length), entries, 'every frame is an entry of the history');

      await page.evaluate(() => (location.hash = '#frame=30'));
      await page.waitForFunction(() => window.carom.frame === 30);
      await page.evaluate(() => (location.hash = '#frame=999'));
      await page.waitForFunction(() => window.carom.frame === 39);
      assert.match(await page.locator('#notice').innerText(), /frame 999; the last frame is 39/);
      await hashIs('#frame=39');
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction(() => window.carom.frame === 38);
      assert.ok(!(await page.locator('#notice').isVisible()), 'the note stays');

      await page.keyboard.press('Home');
      await hashIs('#frame=0');
      const changes = await page.evaluate(async () => {
        let changes = 0;
        const replace = history.replaceState.bind(history);
        history.replaceState = (...values) => (changes++, replace(...values));
        document.getElementById('button-play').click();
        await new Promise((done) => setTimeout(done, 600));
        return { changes, playing: window.carom.playing, frame: window.carom.frame };
      });
      assert.ok(changes.playing && changes.frame > 0);
      assert.equal(changes.changes, 0, 'the address changes while the run plays');
      await page.keyboard.press('Space');
      await page.waitForFunction(() => location.hash === `#frame=${window.carom.frame}`);
      assert.deepEqual(problems, []);
      await close();
    });
  }
  server.close();
});

test('usable at 800 by 600, with and without the panel', { timeout }, async () => {
  const server = await serve(recording.bytes);
  const { page, close } = await open(browser, server.address, { viewport: { width: 800, height: 600 } });
  await shown(page);
  for (const id of ['toolbar', 'timeline', 'panel']) {
    const overflow = await page.locator(`#${id}`).evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.ok(overflow <= 0, `#${id} is ${overflow} px wider than its place`);
  }
  const width = () => page.locator('#view').evaluate((canvas) => canvas.clientWidth);
  const beside = await width();
  await page.click('#button-panel');
  await page.waitForFunction((beside) => document.getElementById('view').clientWidth > beside, beside);
  assert.equal(await width(), 800);
  assert.ok(distinctColours(await picture(page)) > 50);
  await close();
  server.close();
});

test('one frame without bodies, and one with many', { timeout }, async () => {
  const tile = (number) => ({
    number, name: `tile ${number}`, kind: number % 3, encoding: 1, topologyFrame: 0, positionsFrame: 0, triangles: [0, 1, 2],
    positions: [0, 0, 0, 0.8, 0, 0, 0, 0.8, 0].map((value, i) => value + [number % 20, Math.floor(number / 20), 0][i % 3]),
  });
  for (const count of [0, 300]) {
    const bodies = Array.from({ length: count }, (_, number) => tile(number));
    const { bytes } = writeRecording({ meta: { scene: 'still', dt: 0.01 }, frames: [{ number: 0, time: 0, stages: [], bodies, contacts: [] }] });
    const server = await serve(bytes);
    const { page, problems, close } = await open(browser, server.address);
    await shown(page);
    await page.keyboard.press('b');
    await page.keyboard.press('Space');
    await page.keyboard.press('End');
    assert.equal(await page.locator('#bodies tbody tr').count(), count);
    const colours = distinctColours(await picture(page));
    assert.ok(count === 0 || colours > 10, `${count} bodies are drawn with ${colours} colours`);
    assert.deepEqual(problems, []);
    await close();
    server.close();
  }
});

test('50 000 triangles', { timeout }, async (t) => {
  const large = twoTori({ frames: 40, rings: 158, sides: 79 });
  const server = await serve(large.bytes);
  const { page, close } = await open(browser, server.address);
  await shown(page);
  const triangles = Number((await page.locator('#summary').innerText()).match(/triangles\s+([\d\u2009]+)/)[1].replace(/\D/g, ''));
  assert.ok(triangles >= 49_900, `only ${triangles} triangles`);
  const wanted = Array.from({ length: 20 }, (_, k) => (7 * k + 3) % 40);
  const run = () => page.evaluate((wanted) => wanted.map((frame) => window.carom.seek(frame)), wanted);
  const summary = (times) => {
    const sorted = [...times].sort((a, b) => a - b);
    return `median ${sorted[10].toFixed(1)} ms, worst ${sorted[19].toFixed(1)} ms`;
  };
  t.diagnostic(`${triangles} triangles, seek and draw 20 frames, first time: ${summary(await run())}`);
  t.diagnostic(`again, decoded frames in the cache: ${summary(await run())}`);
  const decode = await page.evaluate((wanted) => {
    document.getElementById('button-surface').click();
    document.getElementById('button-contacts').click();
    return wanted.map((frame) => window.carom.seek((frame + 1) % 40));
  }, wanted);
  t.diagnostic(`with nothing but the grid drawn: ${summary(decode)}`);
  assert.equal(await page.evaluate(() => window.carom.frame), (wanted[19] + 1) % 40);
  await close();
  server.close();
});
