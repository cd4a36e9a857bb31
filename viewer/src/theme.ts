// Light or dark: as the system says, unless the user chose otherwise.

import type { Theme } from './palette';

const KEY = 'carom-theme';

export class ThemeChoice {
  theme: Theme;

  constructor(private readonly changed: (theme: Theme) => void) {
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    this.theme = remembered() ?? (system.matches ? 'dark' : 'light');
    system.addEventListener('change', () => {
      if (!remembered()) this.set(system.matches ? 'dark' : 'light');
    });
    document.documentElement.dataset.theme = this.theme;
  }

  toggle(): void {
    this.set(this.theme === 'dark' ? 'light' : 'dark');
    try {
      localStorage.setItem(KEY, this.theme);
    } catch {
      // Storage may be denied, as in a file opened from disk; the choice then lasts as long as the page.
    }
  }

  private set(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.changed(theme);
  }
}

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}
