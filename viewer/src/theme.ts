// Light or dark: as the system says, unless the user chose otherwise.

import { SCENE, type Theme } from './palette';
import { MOTIONS } from './frame';
import { recall, remember } from './storage';

const KEY = 'carom-theme';

export class ThemeChoice {
  theme: Theme;

  constructor(private readonly changed: (theme: Theme) => void) {
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    this.theme = remembered() ?? (system.matches ? 'dark' : 'light');
    system.addEventListener('change', () => {
      if (!remembered()) this.set(system.matches ? 'dark' : 'light');
    });
    apply(this.theme);
  }

  toggle(): void {
    this.set(this.theme === 'dark' ? 'light' : 'dark');
    remember(KEY, this.theme);
  }

  private set(theme: Theme): void {
    this.theme = theme;
    apply(theme);
    this.changed(theme);
  }
}

function remembered(): Theme | null {
  const value = recall(KEY);
  return value === 'light' || value === 'dark' ? value : null;
}

/** The style sheet takes the colours of contacts and cuts from the palette, so that legend, numbers and marks agree. */
function apply(theme: Theme): void {
  const { dataset, style } = document.documentElement;
  dataset.theme = theme;
  style.setProperty('--cut', SCENE[theme].cut);
  MOTIONS.forEach((motion, i) => style.setProperty(`--${motion}`, SCENE[theme].contacts[i]));
}
