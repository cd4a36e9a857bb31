// What a user does with the page, and what must come of it. The same for every way a recording can reach it.

import assert from 'node:assert/strict';
import { PNG } from 'pngjs';
import { shown } from './browser.mjs';

const hook = (page, name) => page.evaluate((name) => window.carom[name], name);
const seek = (page, frame) => page.evaluate((frame) => window.carom.seek(frame), frame);
const text = (page, selector) => page.locator(selector).innerText();
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

/** The scene without what lies above its borders. */
export async function picture(page) {
  await settled(page);
  await page.waitForFunction(() => window.carom.still);
  const box = await page.locator('#stage').boundingBox();
  const clip = { x: box.x + 8, y: box.y + 64, width: box.width - 16, height: box.height - 84 };
  return { ...PNG.sync.read(await page.screenshot({ clip })), clip };
}

export function distinctColours({ data }) {
  return new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4)).size;
}

function differing(a, b) {
  let n = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    if ([0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > 12)) n++;
  }
  return n;
}

function pixels({ data }, is) {
  const found = [];
  for (let i = 0; i < data.length; i += 4) if (is(data[i], data[i + 1], data[i + 2])) found.push(i / 4);
  return found;
}

/** Whether a pixel has the colour that the legend gives to the motion of a contact. */
async function isMarkOf(page, motion) {
  const colour = await page.locator(`#legend .mark.${motion}`).evaluate((mark) => getComputedStyle(mark).backgroundColor);
  const wanted = colour.match(/\d+/g).map(Number);
  return (...rgb) => rgb.every((value, k) => Math.abs(value - wanted[k]) <= 6);
}

export async function plays(page) {
  await shown(page);
  assert.equal(await hook(page, 'frame'), 0);
  const frames = await hook(page, 'frames');
  await page.click('#button-play');
  assert.equal(await hook(page, 'playing'), true);
  await page.waitForFunction(() => window.carom.frame >= 3);
  await page.keyboard.press('Space');
  assert.equal(await hook(page, 'playing'), false);
  await settled(page);
  const paused = await hook(page, 'frame');
  await page.waitForTimeout(150);
  assert.equal(await hook(page, 'frame'), paused, 'paused, yet it moves');

  await seek(page, 0);
  for (const [press, frame] of [
    ['ArrowRight', 1], ['Shift+ArrowRight', 11], ['ArrowLeft', 10], ['Shift+ArrowLeft', 0], ['ArrowLeft', 0], ['End', frames - 1], ['Home', 0],
  ]) {
    await page.keyboard.press(press);
    await settled(page);
    assert.equal(await hook(page, 'frame'), frame, press);
  }
  await page.click('#button-next');
  await settled(page);
  assert.match(await text(page, '#frame-label'), /^\s*1 \/ /);
  assert.match(await text(page, '#summary'), /0\.0\d\d s/);

  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  await page.waitForFunction((last) => window.carom.frame < last, frames - 1);
  await page.selectOption('#speed', '4');
  await page.waitForFunction((last) => window.carom.frame === last && !window.carom.playing, frames - 1);

  await page.keyboard.press('l');
  await page.click('#button-play');
  await page.waitForFunction((middle) => window.carom.frame > middle, frames / 2);
  await page.waitForFunction((middle) => window.carom.frame < middle, frames / 2);
  assert.equal(await hook(page, 'playing'), true, 'it does not loop');
  await page.keyboard.press('l');
  await page.keyboard.press('Space');
  await page.selectOption('#speed', '1');
}

export async function scrubs(page) {
  const frames = await hook(page, 'frames');
  const box = await page.locator('#scrub').boundingBox();
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await settled(page);
  assert.ok(Math.abs((await hook(page, 'frame')) - (frames - 1) / 2) <= 1);

  await page.keyboard.press('c');
  await seek(page, 0);
  const first = await picture(page);
  await seek(page, frames - 1);
  assert.ok(differing(first, await picture(page)) > 500, 'the bodies stand still');
  await page.keyboard.press('c');
}

export async function toggles(page) {
  await seek(page, Math.floor((await hook(page, 'frames')) * 0.7));
  assert.equal(await page.getAttribute('#button-xray', 'aria-pressed'), 'false', 'x-ray is on though nobody asked');
  await page.keyboard.press('x');
  const before = await picture(page);
  const isResting = await isMarkOf(page, 'resting');
  const isColliding = await isMarkOf(page, 'colliding');
  assert.ok(distinctColours(before) > 50, `the picture has only ${distinctColours(before)} colours`);
  assert.ok(pixels(before, isResting).length > 20, 'no resting contact');
  assert.ok(pixels(before, isColliding).length > 20, 'no colliding contact');

  const all = [['wireframe', 'w', 500], ['surface', 's', 500], ['contacts', 'c', 50], ['xray', 'x', 20], ['arrows', 'a', 50], ['boxes', 'b', 100], ['grid', 'g', 500]];
  for (const [name, key, least] of all) {
    const pressed = () => page.getAttribute(`#button-${name}`, 'aria-pressed');
    const first = await pressed();
    await page.keyboard.press(key);
    assert.notEqual(await pressed(), first, `${name}: the key does nothing`);
    const changed = await picture(page);
    assert.ok(differing(before, changed) > least, `${name} changes ${differing(before, changed)} pixels`);
    if (name === 'contacts') assert.equal(pixels(changed, isResting).length + pixels(changed, isColliding).length, 0, 'contacts are off, yet drawn');
    await page.click(`#button-${name}`);
    assert.equal(await pressed(), first, `${name}: the button does not undo the key`);
    assert.ok(differing(before, await picture(page)) < 20, `${name} does not come back as it was`);
  }

  const theme = await hook(page, 'theme');
  await page.keyboard.press('t');
  assert.notEqual(await hook(page, 'theme'), theme);
  assert.equal(await page.getAttribute('html', 'data-theme'), await hook(page, 'theme'));
  const other = await picture(page);
  assert.ok(differing(before, other) > before.data.length / 4 / 3, 'the scene keeps its theme');
  await page.click('#button-theme');

  const box = page.locator('#bodies input').last();
  await box.uncheck();
  assert.ok(differing(before, await picture(page)) > 500, 'a hidden body is drawn');
  await box.check();

  await page.keyboard.press('x');
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help').isVisible());
  assert.match(await text(page, '#help'), /See through fixed bodies in front of moving ones/);
  await page.keyboard.press('Escape');
  assert.ok(!(await page.locator('#help').isVisible()));
}

export async function orbits(page) {
  const before = await picture(page);
  const { x, y, width, height } = before.clip;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 150, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(300); // the browser hands the wheel on later
  assert.ok(differing(before, await picture(page)) > 1000, 'the camera stands still');
  await page.keyboard.press('f');
  assert.ok(differing(before, await picture(page)) < 100, 'fit does not come back');
}

export async function picks(page) {
  const frames = await hook(page, 'frames');
  await seek(page, frames - 2);
  await page.keyboard.press('x');
  const target = await page.evaluate(() => {
    const { carom } = window;
    const all = carom.contactIds.map((id, i) => ({ id, ...carom.contactScreenPosition(i) }));
    const apart = (p) => Math.min(...all.filter((q) => q !== p).map((q) => Math.hypot(p.x - q.x, p.y - q.y)));
    return all.filter((p) => p.x !== undefined).reduce((best, p) => (apart(p) > apart(best) ? p : best));
  });
  const stage = await page.locator('#view').boundingBox();
  const scene = await picture(page);
  const at = 4 * (Math.floor(stage.y + target.y - scene.clip.y) * scene.width + Math.floor(stage.x + target.x - scene.clip.x));
  const [r, g, b] = scene.data.subarray(at, at + 3);
  const isMark = [await isMarkOf(page, 'resting'), await isMarkOf(page, 'colliding'), await isMarkOf(page, 'separating')];
  assert.ok(isMark.some((is) => is(r, g, b)), `no mark where contact ${target.id} should be, but ${[r, g, b]}`);

  await page.mouse.click(stage.x + target.x + 2, stage.y + target.y - 1);
  assert.deepEqual(JSON.parse(await hook(page, 'selection')), { type: 'contact', id: target.id });
  const card = await text(page, '#selection');
  assert.ok(card.includes(target.id), card);
  assert.match(card, /motion\s+(resting|colliding|separating)/);
  assert.match(card, /distance\s+[\d.]+(e-\d+)? (m|mm|µm|nm)\n/);
  assert.match(card, /(vertex \d+[^]*triangle \d+)|(edge \d+–\d+[^]*edge \d+–\d+)/);

  await page.keyboard.press('ArrowRight');
  await settled(page);
  const lasts = (await hook(page, 'contactIds')).includes(target.id);
  const later = await text(page, '#selection');
  assert.ok(later.includes(target.id), 'the selection does not follow its contact');
  assert.equal(later.includes('no such contact'), !lasts);
  if (!/distance\s+0 m/.test(card)) assert.notEqual(later, card, 'the distance stays that of the frame before');
  await page.keyboard.press('Escape');
  assert.equal(await hook(page, 'selection'), null);
  assert.ok(!(await page.locator('#selection').isVisible()));

  await page.keyboard.press('x');

  // A body is found by its colour in the picture, so what is picked must be what is seen.
  await page.keyboard.press('c');
  const image = await picture(page);
  const orange = pixels(image, (r, g, b) => r > 150 && r > 2.5 * b && g > 1.5 * b && r > 1.15 * g);
  assert.ok(orange.length > 200, 'the orange body is not in the picture');
  const pixel = orange[Math.floor(orange.length / 2)];
  await page.mouse.click(image.clip.x + (pixel % image.width) + 0.5, image.clip.y + Math.floor(pixel / image.width) + 0.5);
  const selection = JSON.parse(await hook(page, 'selection'));
  assert.equal(selection?.type, 'triangle');
  assert.equal(selection.body, 1);
  assert.match(await text(page, '#selection'), /Triangle\s+body\s+.*\(1\)\s+triangle\s+[\d\u2009]+ of [\d\u2009]+\s+vertices\s+\d+, \d+, \d+\s+distance/);
  await page.keyboard.press('c');
  await page.keyboard.press('Escape');
}

export async function charts(page) {
  for (const id of ['chart-times', 'chart-funnel']) {
    const colours = await page.locator(`#${id} canvas`).evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Map();
      for (const value of new Uint32Array(data.buffer)) seen.set(value, (seen.get(value) ?? 0) + 1);
      return [...seen.values()].filter((n) => n > 20).length;
    });
    assert.ok(colours >= 5, `${id} has only ${colours} colours`);
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const box = await page.locator(`#${id} canvas`).boundingBox();
    const frames = await hook(page, 'frames');
    for (const share of [0.25, 0.75]) {
      const frame = Math.round(share * (frames - 1));
      await page.mouse.move(box.x + 40 + (frame / (frames - 1)) * (box.width - 46), box.y + 40);
      assert.match(await text(page, `#${id} .tip`), new RegExp(`frame ${frame}[^]*narrow`));
      await page.mouse.down();
      await page.mouse.up();
      await settled(page);
      assert.equal(await hook(page, 'frame'), frame, `a click in ${id}`);
    }
  }
  const stages = await text(page, '#stages');
  for (const name of ['broad', 'mid', 'narrow', 'contacts']) assert.ok(stages.includes(name), `${name} is not in the table`);
  assert.match(await page.locator('#stages .explained').first().getAttribute('title'), /\w+: \d/);
}

export async function everything(page, test) {
  await test('plays, pauses and steps', () => plays(page));
  await test('scrubs', () => scrubs(page));
  await test('toggles', () => toggles(page));
  await test('orbits, zooms and fits', () => orbits(page));
  await test('picks a contact and a triangle', () => picks(page));
  await test('draws the charts', () => charts(page));
}
