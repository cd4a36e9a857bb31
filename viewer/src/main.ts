import './theme.css';
import { byId } from './dom';
import { Frames, type ShownFrame } from './frames';
import { bindKeys, fillHelp, type KeyBinding } from './keys';
import { Legend } from './legend';
import { Options, type OptionName } from './options';
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
  readonly view = new SceneView(byId<HTMLCanvasElement>('view'), this.options);
  selection: Selection | null = null;
  shown: ShownFrame | null = null;
  private recording: Recording | null = null;
  private frames: Frames | null = null;
  private scheduled = false;
  private readonly panel = new Panel(byId('panel'), this.options);
  private readonly charts = new RunCharts(this.panel.chartsPlace, (frame) => {
    this.player.pause();
    this.player.seek(frame);
  });
  private readonly legend = new Legend(byId('legend'), this.options);
  private readonly views = new ViewList(byId('views'), (view) => this.showView(view));
  private readonly card = new SelectionCard(byId('selection'), () => this.select(null));
  private readonly toolbar: Toolbar;

  constructor() {
    new Timeline(byId('timeline'), this.player, (frame) => this.recording?.stats[frame]?.time ?? 0);
    this.toolbar = new Toolbar(byId('toolbar'), this.options, {
      fit: () => this.view.fit(),
      theme: () => this.themeChoice.toggle(),
      help: () => toggleHelp(),
      panel: () => togglePanel(),
    });
    this.view.setTheme(this.themeChoice.theme);
    this.player.onChange(() => this.schedule());
    this.bindKeyboard();
    this.bindPointer();
    onDroppedFile(byId('drop'), (file) => void file.arrayBuffer().then((data) => this.open(new Uint8Array(data))));
    byId('message').addEventListener('click', () => this.shown && showMessage());
    showPanel(window.innerWidth >= 720);
  }

  open(bytes: Uint8Array): void {
    try {
      const recording = parseRecording(bytes);
      const frames = new Frames(recording);
      this.recording = recording;
      this.frames = frames;
    } catch (error) {
      showMessage('The recording cannot be shown', explain(error));
      return;
    }
    showMessage();
    showNotice(this.recording.notice);
    this.shown = null;
    this.selection = null;
    this.options.showAllBodies();
    this.toolbar.setScene(this.recording.meta.scene);
    this.panel.open(this.recording);
    this.charts.open(this.recording, this.themeChoice.theme);
    this.view.open(this.frames);
    this.player.open(this.frames.count, this.recording.meta.dt);
    this.showFrame();
    this.select(null);
    this.views.open(this.recording.meta.views);
  }

  showView(view: View): void {
    this.player.pause();
    this.player.seek(view.frame);
    this.showFrame();
    this.select(null);
    this.options.showOnlyBodies(this.shown?.bodies.map(({ number }) => number) ?? [], view.bodies);
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
    showNotice(this.recording!.notice);
    this.view.show(this.shown, this.selection);
    this.panel.show(this.shown, this.themeChoice.theme);
    this.legend.show(this.shown);
    this.charts.setFrame(this.shown.number);
    if (this.selection) this.card.show(this.shown, this.selection);
  }

  /** Many scrub events may come between two pictures; only the last is decoded. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.showFrame();
    });
  }

  private bindPointer(): void {
    const { canvas } = this.view;
    let down: PointerEvent | null = null;
    canvas.addEventListener('pointerdown', (event) => (down = event));
    canvas.addEventListener('pointerup', (event) => {
      const still = down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 4;
      if (!still || event.button !== 0 || !this.shown) return;
      const { left, top } = canvas.getBoundingClientRect();
      this.select(pick(this.view, this.shown, this.options, { x: event.clientX - left, y: event.clientY - top }));
    });
  }

  private bindKeyboard(): void {
    const { player } = this;
    const toggle = (key: string, name: OptionName, does: string): KeyBinding => ({ keys: [key], shown: key, does, run: () => this.options.toggle(name) });
    const bindings: KeyBinding[] = [
      { keys: [' '], shown: 'space', does: 'play or pause', run: () => player.toggle() },
      { keys: ['ArrowLeft'], shown: '←', does: 'one frame back', run: () => player.step(-1) },
      { keys: ['ArrowRight'], shown: '→', does: 'one frame on', run: () => player.step(1) },
      { keys: ['Shift+ArrowLeft'], shown: 'shift ←', does: 'ten frames back', run: () => player.step(-10) },
      { keys: ['Shift+ArrowRight'], shown: 'shift →', does: 'ten frames on', run: () => player.step(10) },
      { keys: ['Home'], shown: 'home', does: 'first frame', run: () => player.step(-player.frames) },
      { keys: ['End'], shown: 'end', does: 'last frame', run: () => player.step(player.frames) },
      { keys: ['l'], shown: 'l', does: 'loop', run: () => player.setLoop(!player.loop) },
      toggle('s', 'surface', 'surfaces'),
      toggle('w', 'wireframe', 'wireframe'),
      toggle('c', 'contacts', 'contacts'),
      toggle('x', 'xray', 'contacts on top'),
      toggle('b', 'boxes', 'boxes of bodies'),
      toggle('g', 'grid', 'ground grid'),
      { keys: ['f'], shown: 'f', does: 'fit the scene', run: () => this.view.fit() },
      { keys: ['t'], shown: 't', does: 'light or dark', run: () => this.themeChoice.toggle() },
      { keys: ['p'], shown: 'p', does: 'numbers panel', run: togglePanel },
      { keys: ['Escape'], shown: 'esc', does: 'clear the selection', run: () => this.escape() },
      { keys: ['?'], shown: '?', does: 'this help', run: toggleHelp },
    ];
    bindKeys(bindings);
    fillHelp(byId<HTMLDialogElement>('help'), bindings);
  }

  private escape(): void {
    const help = byId<HTMLDialogElement>('help');
    if (help.open) help.close();
    else this.select(null);
  }
}

function toggleHelp(): void {
  const help = byId<HTMLDialogElement>('help');
  if (help.open) help.close();
  else help.showModal();
}

function togglePanel(): void {
  showPanel(byId('app').classList.contains('no-panel'));
}

function showPanel(visible: boolean): void {
  byId('app').classList.toggle('no-panel', !visible);
  byId('button-panel').setAttribute('aria-pressed', String(visible));
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
  try {
    const bytes = await initialRecording();
    if (bytes) app.open(bytes);
    else showMessage('No recording', 'Drop a .carom file on this page to open it.');
  } catch (error) {
    showMessage('The recording could not be loaded', error instanceof Error ? error.message : String(error));
  }
}

void start();
export type { App };
