// window.carom, what the tests see of the page:
//   frame, frames, playing, theme, selection (as text)
//   still                     whether the picture is final: nothing moves or waits to be drawn
//   contacts                  number of contacts in the frame shown
//   contactIds                their ids, as text
//   seek(n)                   shows frame n now and returns the milliseconds until its picture was drawn
//   contactScreenPosition(i)  pixels from the canvas's left and top, or null if out of view

import type { App } from './main';
import { contactScreenPosition } from './picking';

export function installTestHook(app: App): void {
  const { player } = app;
  const hook = {
    get frame() {
      return app.shown?.number ?? -1;
    },
    get frames() {
      return player.frames;
    },
    get playing() {
      return player.playing;
    },
    get theme() {
      return app.themeChoice.theme;
    },
    get selection() {
      return app.selection && JSON.stringify(app.selection, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    },
    get still() {
      return app.view.painter.still && !app.view.scheduled && app.shown?.number === player.frame;
    },
    get contacts() {
      return app.shown?.contacts.count ?? 0;
    },
    get contactIds() {
      return Array.from(app.shown?.contacts.id ?? [], String);
    },
    seek(frame: number): number {
      const begin = performance.now();
      player.seek(frame);
      app.showFrame();
      app.view.render();
      app.view.painter.finish();
      return performance.now() - begin;
    },
    contactScreenPosition(i: number) {
      return app.shown && i < app.shown.contacts.count ? contactScreenPosition(app.view, app.shown, i) : null;
    },
  };
  Object.assign(window, { carom: hook });
}
