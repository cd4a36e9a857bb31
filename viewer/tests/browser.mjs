// Serves the page and opens it in Chromium.

import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const page_file = new URL('../dist/index.html', import.meta.url);

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const args = [
  '--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

export async function launch() {
  if (!existsSync(page_file)) throw new Error('dist/index.html is missing: run "npm run build" first');
  if (!existsSync(executablePath)) throw new Error(`no Chromium at ${executablePath}: set CHROMIUM`);
  return chromium.launch({ executablePath, args, headless: true });
}

/** A server of the page and one recording, as the command line's is; null answers 404. */
export async function serve(recording) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(page_file));
    else if (request.url === '/recording' && recording) response.writeHead(200).end(recording);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref(); // a test that fails before it closes the server must not keep the run from ending
  return { address: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close() };
}

export function selfContained(recording) {
  const html = readFileSync(page_file, 'utf8');
  const element = `<script id="carom-recording" type="text/plain">${recording.toString('base64')}</script>`;
  return html.replace('<!--CAROM_RECORDING-->', () => element);
}

/** Opens a page and notes its console errors and every request that is not for this machine. */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().includes('GPU stall')) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    const local = ['file:', 'data:', 'blob:'].includes(url.protocol) || url.hostname === '127.0.0.1';
    if (!local) problems.push(`request to ${request.url()}`);
  });
  await page.goto(address);
  return { page, problems, close: () => context.close() };
}

export const shown = (page) => page.waitForFunction(() => window.carom?.frame >= 0);
