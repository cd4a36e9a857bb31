import './theme.css';
import { CheckPage } from './check_page';
import { marksOf } from './cut_events';
import { byId } from './dom';
import { FrameAddress, parseFrameLink } from './frame_link';
import type { Vec3 } from './frame';
import { Frames, type ShownFrame } from './frames';
import { bindKeys, fillHelp, type KeyBinding } from './keys';
import { coveredBy, Layout } from './layout';
import { MOTION_TEXTS, Legend } from './legend';
import { isLive, Live } from './live';
import { Options, OPTIONS } from './options';
import { Panel } from './panel';
import { pick } from './picking';
import { Player } from './player';
import { parseRecording, RecordingError, type Recording, type View } from './recording';
import { RunCharts } from './run_charts';
import { SceneView } from './scene';
import type { Selection } from './selection';
import { SelectionCard } from './selection_card';
import { initialRecording, onDroppedFile } from './source';
import { installTestHook } from './test_hook';
import { ThemeChoice } from './theme';
import { Timeline } from './timeline';
import { Toolbar } from './toolbar';
import { ViewList } from './view_list';

class App {
  readonly options = new Options();
  readonly player = new Player();
  readonly themeChoice = new ThemeChoice((theme) => {
    this.view.setTheme(theme);
    this.charts.setTheme(theme);
    if (this.shown) this.panel.show(this.shown, theme);
    this.select(this.selection);
  });
  readonly view = new SceneView(byId<HTMLCanvasElement>('view'), this.options, coveredBy);
  selection: Selection | null = null;
  shown: ShownFrame | null = null;
  private recording: Recording | null = null;
  private frames: Frames | null = null;
  private scheduled = false;
  private played = false; // whether the run played when the frame was last shown
  private linkNote: string | null = null;
  private readonly address = new FrameAddress(() => this.followAddress());
  private readonly panel = new Panel(byId('panel'), this.options, () => this.layout.showPanel(false));
  private readonly charts = new RunCharts(this.panel.chartsPlace, (frame) => {
    this.player.pause();
    this.player.seek(frame);
  });
  private readonly legend = new Legend(byId('legend'), this.options);
  private readonly views = new ViewList(byId('views'), (view) => this.showView(view));
  readonly check = new CheckPage(byId('check'), this.view, this.options);
  private readonly card = new SelectionCard(byId('selection'), () => this.select(null));
  private readonly timeline: Timeline;
  private readonly toolbar: Toolbar;
  private readonly layout: Layout;

  constructor() {
    this.timeline = new Timeline(byId('timeline'), this.player, (frame) => this.recording?.stats[frame]?.time ?? 0);
    this.toolbar = new Toolbar(byId('toolbar'), this.options, {
      fit: () => this.view.fit(),
      theme: () => this.themeChoice.toggle(),
      help: () => toggleHelp(),
      panel: () => this.layout.togglePanel(),
    });
    this.layout = new Layout(() => this.view.resize());
    this.view.setTheme(this.themeChoice.theme);
    this.view.onState((state) => this.legend.note(state));
    this.player.onChange(() => this.schedule());
    this.bindKeyboard();
    this.bindPointer();
    onDroppedFile(byId('drop'), (file) => void file.arrayBuffer().then((data) => this.open(new Uint8Array(data))));
    byId('message').addEventListener('click', () => this.shown && showMessage());
  }

  /** A recording that came with the page begins at the frame that the address names, another one at its first. */
  open(bytes: Uint8Array, linked = false): void {
    try {
      const recording = parseRecording(bytes);
      const frames = new Frames(recording);
      this.timeline.open(marksOf(frames.events, frames.count, (body, frame) => frames.nameOf(body, frame)), frames.count);
      this.recording = recording;
      this.frames = frames;
    } catch (error) {
      showMessage('The recording cannot be shown', explain(error));
      return;
    }
    const { meta } = this.recording;
    showMessage();
    this.shown = null;
    this.selection = null;
    this.options.showAllBodies();
    this.layout.setSingle(this.frames.count === 1);
    this.toolbar.setScene(meta.scene, meta.description);
    this.panel.open(this.recording);
    this.charts.open(this.recording, this.themeChoice.theme);
    this.player.open(this.frames.count, meta.dt);
    this.views.open(meta.views);
    this.view.open(this.frames, meta.wind);
    this.view.showGround(true);
    this.view.setUp('y');
    this.showFrame();
    this.check.open(meta.check, this.frames);
    if (meta.check) this.layout.showPanel(false);
    this.select(null);
    if (linked) this.followAddress();
    else if (location.hash) this.address.set(0);
    // What lies over the picture has its size only now.
    this.view.resize();
  }

  /** Bodies of a world that runs; the camera stays where it is if they are the same scene as before. */
  openLive(frames: Frames, scene: string, description: string, wind: Vec3 | null, stay: boolean): void {
    showMessage();
    this.frames = frames;
    if (!stay) {
      this.layout.showPanel(false);
      this.toolbar.setScene(scene, description);
    }
    this.view.open(frames, wind, stay);
    if (!stay) this.view.resize();
  }

  /** A picture of a world that runs. */
  showLive(shown: ShownFrame): void {
    const first = this.shown === null;
    this.shown = shown;
    this.view.show(shown, this.selection);
    this.legend.show(shown, true);
    this.toolbar.setContacts(true);
    this.toolbar.setCloth(shown.bodies.some(({ topology }) => topology.kind === 'particles'), this.view.wind.blows, false, false);
    if (this.selection) this.card.show(shown, this.selection);
    if (first) this.view.resize();
  }

  notice(text: string | null): void {
    showNotice(text);
  }

  /** Shows the frame that the address names. */
  private followAddress(): void {
    if (!this.frames) return;
    const { frame, note } = parseFrameLink(location.hash, this.frames.count);
    if (frame !== null) {
      this.player.pause();
      this.player.seek(frame);
      this.showFrame();
    }
    this.linkNote = note;
    this.showNotices();
    if (frame !== null) this.address.set(this.player.frame);
  }

  private showNotices(): void {
    showNotice([this.recording?.notice, this.linkNote].filter((note) => note).join(' ') || null);
  }

  /** A recording of one frame without contacts, such as a mesh, says nothing about them. */
  private get withContacts(): boolean {
    return this.player.frames > 1 || (this.shown?.contacts.count ?? 0) > 0;
  }

  showView(view: View): void {
    this.player.pause();
    this.player.seek(view.frame);
    this.showFrame();
    this.select(null);
    this.options.showOnlyBodies(this.shown?.bodies.map(({ number }) => number) ?? [], view.bodies);
    this.options.set('xray', true); // what a view is about may be within the bodies
    this.view.fitContacts();
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.view.select(selection);
    if (this.shown) this.card.show(this.shown, selection);
  }

  /** Brings the page to the player's frame; does nothing if it is there. */
  showFrame(): void {
    if (!this.frames || this.shown?.number === this.player.frame) return;
    try {
      this.shown = this.frames.at(this.player.frame);
    } catch (error) {
      this.player.pause();
      showNotice(`Frame ${this.player.frame}: ${explain(error)}`);
      return;
    }
    this.linkNote = null;
    this.showNotices();
    this.view.show(this.shown, this.selection);
    this.panel.show(this.shown, this.themeChoice.theme);
    this.legend.show(this.shown, this.withContacts);
    this.toolbar.setContacts(this.withContacts);
    const { bodies, levels, spheres } = this.shown;
    this.toolbar.setCloth(bodies.some(({ topology }) => topology.kind === 'particles'), this.view.wind.blows, levels.size > 0, spheres.length > 0);
    this.charts.setFrame(this.shown.number);
    if (this.selection) this.card.show(this.shown, this.selection);
  }

  /** Many scrub events may come between two pictures; only the last is decoded. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      const before = this.shown?.number;
      this.showFrame();
      const moved = this.shown?.number !== before;
      if (!this.player.playing && (moved || this.played)) this.address.set(this.player.frame);
      this.played = this.player.playing;
    });
  }

  private bindPointer(): void {
    const { canvas } = this.view;
    const down = new Set<number>();
    let tap: PointerEvent | null = null; // null: none, or a gesture of several fingers
    canvas.addEventListener('pointerdown', (event) => {
      down.add(event.pointerId);
      tap = down.size === 1 ? event : null;
    });
    canvas.addEventListener('pointercancel', (event) => {
      down.delete(event.pointerId);
      tap = null;
    });
    canvas.addEventListener('pointerup', (event) => {
      down.delete(event.pointerId);
      const touch = event.pointerType === 'touch';
      const still = tap && Math.hypot(event.clientX - tap.clientX, event.clientY - tap.clientY) < (touch ? 10 : 4);
      if (!still || event.button !== 0 || !this.shown) return;
      const { left, top } = canvas.getBoundingClientRect();
      if (this.check.click({ x: event.clientX - left, y: event.clientY - top })) return;
      this.select(pick(this.view, this.shown, this.options, { x: event.clientX - left, y: event.clientY - top }, touch));
    });
  }

  private bindKeyboard(): void {
    const { player } = this;
    const bindings: KeyBinding[] = [
      { keys: [' '], shown: 'space', does: 'play or pause', run: () => player.toggle() },
      { keys: ['ArrowLeft'], shown: '←', does: 'one frame back', run: () => player.step(-1) },
      { keys: ['ArrowRight'], shown: '→', does: 'one frame on', run: () => player.step(1) },
      { keys: ['Shift+ArrowLeft'], shown: 'shift ←', does: 'ten frames back', run: () => player.step(-10) },
      { keys: ['Shift+ArrowRight'], shown: 'shift →', does: 'ten frames on', run: () => player.step(10) },
      { keys: ['Home'], shown: 'home', does: 'first frame', run: () => player.step(-player.frames) },
      { keys: ['End'], shown: 'end', does: 'last frame', run: () => player.step(player.frames) },
      { keys: ['.'], shown: '.', does: 'the next event: a cut, or a piece that comes off', run: () => this.timeline.stepEvent(1) },
      { keys: [','], shown: ',', does: 'the event before', run: () => this.timeline.stepEvent(-1) },
      { keys: ['l'], shown: 'l', does: 'loop', run: () => player.setLoop(!player.loop) },
      { keys: ['j'], shown: 'j', does: 'the next clash of a check', run: () => this.check.step(1) },
      { keys: ['k'], shown: 'k', does: 'the clash before', run: () => this.check.step(-1) },
      { keys: ['f'], shown: 'f', does: 'fit the scene', run: () => this.view.fit() },
      { keys: ['h'], shown: 'h', does: 'fit without turning the view', run: () => this.view.fitFromHere() },
      { keys: ['t'], shown: 't', does: 'light or dark', run: () => this.themeChoice.toggle() },
      { keys: ['p'], shown: 'p', does: 'numbers panel', run: () => this.layout.togglePanel() },
      { keys: ['Escape'], shown: 'esc', does: 'clear the selection', run: () => this.escape() },
      { keys: ['?'], shown: '?', does: 'this help', run: toggleHelp },
    ];
    const toggles = OPTIONS.map(({ key, name }): KeyBinding => ({ keys: [key], run: () => this.options.toggle(name) }));
    bindKeys([...bindings, ...toggles]);
    fillHelp(byId<HTMLDialogElement>('help'), [
      { title: 'What is drawn', entries: OPTIONS.map(({ key, label, explains }) => [key, `${label}: ${explains}`]) },
      { title: 'Contacts', entries: Object.entries(MOTION_TEXTS) },
      { title: 'Keys', entries: bindings.map(({ shown, does }) => [shown!, does!]) },
      { title: 'Mouse', entries: [['drag', 'orbit'], ['right-drag', 'pan'], ['wheel', 'zoom'], ['click', 'pick a contact or a triangle'], ['drop a file', 'open a .carom recording']] },
      { title: 'Touch', entries: [['drag', 'orbit'], ['two fingers', 'pan'], ['pinch', 'zoom'], ['tap', 'pick a contact or a triangle']] },
      { title: 'Links', entries: [['#frame=60', 'at the end of the address opens frame 60; the address follows the frame shown']] },
    ]);
  }

  private escape(): void {
    const help = byId<HTMLDialogElement>('help');
    if (help.open) help.close();
    else if (this.toolbar.menuIsOpen) this.toolbar.openMenu(false);
    else this.select(null);
  }
}

function toggleHelp(): void {
  const help = byId<HTMLDialogElement>('help');
  if (help.open) help.close();
  else help.showModal();
}

function showMessage(title = '', text = ''): void {
  const message = byId('message');
  message.hidden = title === '';
  message.replaceChildren(Object.assign(document.createElement('h1'), { textContent: title }), text);
}

function showNotice(text: string | null): void {
  const notice = byId('notice');
  notice.hidden = text === null;
  notice.textContent = text;
}

function explain(error: unknown): string {
  if (error instanceof RecordingError) return error.message;
  return `Something unforeseen happened: ${error instanceof Error ? error.message : String(error)}`;
}

async function start(): Promise<void> {
  let app: App;
  try {
    app = new App();
  } catch (error) {
    showMessage('The viewer needs WebGL 2', `This browser did not provide it. ${error instanceof Error ? error.message : ''}`);
    return;
  }
  installTestHook(app);
  if (isLive()) {
    const live = new Live(app);
    Object.assign((window as unknown as { carom: object }).carom, { live });
    live.follow();
    return;
  }
  try {
    const bytes = await initialRecording();
    if (bytes) app.open(bytes, true);
    else showMessage('No recording', 'Drop a .carom file on this page to open it.');
  } catch (error) {
    showMessage('The recording could not be loaded', error instanceof Error ? error.message : String(error));
  }
}

void start();
export type { App };
