// window.carom, what the tests see of the page:
//   frame, frames, playing, theme, selection (as text)
//   still                     whether the picture is final: nothing moves or waits to be drawn
//   contacts                  number of contacts in the frame shown
//   contactIds                their ids, as text
//   seek(n)                   shows frame n now and returns the milliseconds until its picture was drawn
//   show(n)                   shows frame n now, without waiting for its picture
//   fit(direction)            fits the scene, seen against the direction; without one as the Fit button does
//   bounds()                  of all vertices on the screen, grounds left out: { left, top, right, bottom, nearest },
//                             in pixels from the canvas's left and top; nearest is 0 at the near plane and below if cut
//   visible()                 part of the canvas that nothing covers, the same
//   marks                     number of contact marks drawn
//   seenThrough               number of bodies drawn see-through
//   cutTriangles              number of triangles drawn as faces of cuts
//   colourOf(name)            colour of a body
//   arrows                    number of arrows drawn
//   windArrows                number of arrows of the wind drawn
//   springs, spheres          numbers of springs and of spheres of the tree drawn
//   scale                     what the colours of cloth mean, and the end of their scale; null if they are those of the bodies
//   bodyScreenPosition(name)  the same, of the middle of a body
//   live                      of a page of carom live: its status, as the server says it, in live.status, and where the camera is
//                             in the world, in live.eye
//   contactScreenPosition(i)  pixels from the canvas's left and top, or null if out of view

import type { App } from './main';
import { coveredBy } from './layout';
import * as THREE from 'three';
import { boundsOnScreen, contactScreenPosition, toScreen } from './picking';

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
    show(frame: number): void {
      player.seek(frame);
      app.showFrame();
    },
    get marks() {
      return app.view.marks.drawn.length;
    },
    get seenThrough() {
      return app.view.bodies.faded;
    },
    get windArrows() {
      return app.view.wind.count;
    },
    get springs() {
      return app.view.springs.count;
    },
    get spheres() {
      return app.view.spheres.count;
    },
    get scale() {
      return app.view.bodies.scale;
    },
    get cutTriangles() {
      return app.view.bodies.cutTriangles;
    },
    colourOf(name: string) {
      return app.shown?.bodies.find(({ topology }) => topology.name === name)?.colour ?? null;
    },
    get arrows() {
      return app.view.arrows.count;
    },
    fit(direction?: [number, number, number]): void {
      if (direction) app.view.fitFrom(direction);
      else app.view.fit();
    },
    bounds() {
      return app.shown && boundsOnScreen(app.view, app.shown);
    },
    visible() {
      const { clientWidth, clientHeight } = app.view.canvas;
      const { left, top, right, bottom } = coveredBy();
      return { left, top, right: clientWidth - right, bottom: clientHeight - bottom };
    },
    bodyScreenPosition(name: string) {
      const body = app.shown?.bodies.find(({ topology }) => topology.name === name);
      if (!body) return null;
      const { min, max } = body.placement.box;
      return toScreen(app.view, new THREE.Vector3(...min).add(new THREE.Vector3(...max)).multiplyScalar(0.5));
    },
    contactScreenPosition(i: number) {
      return app.shown && i < app.shown.contacts.count ? contactScreenPosition(app.view, app.shown, i) : null;
    },
  };
  Object.assign(window, { carom: hook });
}
