// What of the scene is drawn. One place, so that buttons, keys and the scene agree.

export interface ViewOptions {
  surface: boolean;
  wireframe: boolean;
  contacts: boolean;
  xray: boolean; // contacts are drawn on top of the surfaces
  boxes: boolean;
  grid: boolean;
}

export type OptionName = keyof ViewOptions;

export class Options {
  readonly values: ViewOptions = { surface: true, wireframe: false, contacts: true, xray: true, boxes: false, grid: true };
  readonly hiddenBodies = new Set<number>();
  private readonly listeners: (() => void)[] = [];

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  toggle(name: OptionName): void {
    this.values[name] = !this.values[name];
    this.changed();
  }

  showBody(number: number, visible: boolean): void {
    if (visible) this.hiddenBodies.delete(number);
    else this.hiddenBodies.add(number);
    this.changed();
  }

  showAllBodies(): void {
    this.hiddenBodies.clear();
    this.changed();
  }

  /** None given: all. */
  showOnlyBodies(all: Iterable<number>, wanted: number[]): void {
    this.hiddenBodies.clear();
    if (wanted.length > 0) for (const number of all) if (!wanted.includes(number)) this.hiddenBodies.add(number);
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
