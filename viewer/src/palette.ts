// Colours told apart with any colour vision (after Okabe and Ito, and Tol). Bodies are of middle lightness; contacts are
// darker than all of them in the light theme and lighter in the dark one. No contact is red: none of them is an error.

export type Theme = 'light' | 'dark';

const BODIES = ['#3f8fd2', '#e69f00', '#b184d6', '#56c7e9', '#d8c93a', '#cc79a7', '#7a8ce0', '#b98a5e'];

// What never moves is the stage, not the play.
const STATIC_BODIES = ['#8b97a7', '#a89f92', '#7e9490', '#9d93a8'];

export function bodyColour(number: number, kind: string): string {
  const colours = kind === 'static' ? STATIC_BODIES : BODIES;
  return colours[number % colours.length];
}

// Pieces are paler than whole bodies, and differ from those that came off before and after them.
const PIECES = ['#f2b8a0', '#9fd3c0', '#c9b3e6', '#e6d58a', '#93c1ec', '#e8a9c4', '#b7d48c', '#d3bfa6', '#8fd0d8', '#c3c9d1'];

/** Of the n-th piece that came off in a run. */
export function pieceColour(n: number): string {
  return PIECES[n % PIECES.length];
}

export interface SceneColours {
  background: string;
  grid: string;
  wire: string;
  highlight: string;
  outline: string; // of bodies that are seen through
  markEdge: string;
  contacts: string[]; // in the order of MOTIONS
  cut: string; // faces that cuts have made
}

export const SCENE: Record<Theme, SceneColours> = {
  light: {
    background: '#f1f3f6',
    grid: '#9aa5b4',
    wire: '#101820',
    highlight: '#c400c4',
    outline: '#2f3945',
    markEdge: '#ffffff',
    contacts: ['#9a3a00', '#005f46', '#123c9c'],
    cut: '#c2304a',
  },
  dark: {
    background: '#14171c',
    grid: '#4b5563',
    wire: '#05070a',
    highlight: '#ff5cff',
    outline: '#dfe5ec',
    markEdge: '#0b0d10',
    contacts: ['#ffcf9e', '#7df0b0', '#b9d7ff'],
    cut: '#e0506a',
  },
};

const STAGE_ORDER = ['edits', 'predict', 'bounds', 'broad', 'mid', 'narrow', 'contacts', 'respond', 'commit'];
const STAGES: Record<Theme, string[]> = {
  light: ['#8a8f98', '#88ccee', '#44aa99', '#117733', '#ddaa33', '#332288', '#cc6677', '#882255', '#aa4499'],
  dark: ['#8a8f98', '#88ccee', '#44aa99', '#4cbf73', '#e6c65c', '#8f82e8', '#ee8899', '#c9588f', '#d98bd0'],
};

export function stageColour(name: string, theme: Theme): string {
  const at = STAGE_ORDER.indexOf(name);
  return STAGES[theme][Math.max(at, 0)];
}

export function stageRank(name: string): number {
  const at = STAGE_ORDER.indexOf(name);
  return at < 0 ? STAGE_ORDER.length : at;
}
