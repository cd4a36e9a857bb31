import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

// The libraries' licences ask that their text goes with every copy.
const licences = ['three', 'fflate'].map((name) => {
  const text = readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), 'utf8');
  return `/*! ${name}\n\n${text.trim()} */\n`;
});

// Puts the script and the style sheet into index.html, so that the page is one file that asks for nothing.
function singleFile() {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      for (const [name, item] of Object.entries(bundle)) {
        if (item === page) continue;
        const file = item.fileName.replace(/[.]/g, '\\.');
        if (item.type === 'chunk') {
          // Inside a script element, "</script" would end it and "<!--" would change how it ends.
          const code = item.code.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '\\x3C!--');
          const tag = new RegExp(`<script[^>]*src="[^"]*${file}"[^>]*></script>`);
          page.source = page.source.replace(tag, () => `<script type="module">${licences.join('')}${code}</script>`);
        } else {
          const tag = new RegExp(`<link[^>]*href="[^"]*${file}"[^>]*>`);
          page.source = page.source.replace(tag, () => `<style>${item.source}</style>`);
        }
        delete bundle[name];
      }
      const marks = page.source.split('<!--CAROM_RECORDING-->').length - 1;
      if (marks !== 1) this.error(`index.html holds the recording's place ${marks} times instead of once`);
      if (/<(script|link)[^>]*(src|href)="(?!data:)/.test(page.source)) this.error('index.html still refers to a file');
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [singleFile()],
  build: {
    target: 'es2022',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1500,
  },
});
