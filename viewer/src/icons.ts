// 16 by 16, drawn with the text's colour.

const PATHS = {
  first: '<path d="M3 3v10M13 3.5v9L6 8z"/>',
  previous: '<path d="M11.5 3.5v9L4.5 8z"/>',
  play: '<path d="M4.5 3v10l8-5z" fill="currentColor"/>',
  pause: '<path d="M5 3v10M11 3v10" stroke-width="2.6"/>',
  next: '<path d="M4.5 3.5v9l7-4.5z"/>',
  last: '<path d="M13 3v10M3 3.5v9L10 8z"/>',
  loop: '<path d="M3 7.5V7a3 3 0 0 1 3-3h7m0 0-2-2m2 2-2 2M13 8.5V9a3 3 0 0 1-3 3H3m0 0 2-2m-2 2 2 2"/>',
  surface: '<path d="M8 2l6 11H2z" fill="currentColor" fill-opacity=".55"/>',
  wireframe: '<path d="M8 2l6 11H2zM5 7.5h6L8 13z"/>',
  contacts: '<path d="M3 13 13 3"/><circle cx="8" cy="8" r="2.6" fill="currentColor"/>',
  xray: '<path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="2"/>',
  arrows: '<path d="M8 14V3m0 0L4.5 6.5M8 3l3.5 3.5"/>',
  through: '<path d="M2.5 2.5h11v11h-11z" stroke-dasharray="2 2"/><circle cx="8" cy="8" r="2.6" fill="currentColor"/>',
  menu: '<path d="M2 4.5h6m4 0h2M2 11.5h2m4 0h6"/><circle cx="10" cy="4.5" r="1.8"/><circle cx="6" cy="11.5" r="1.8"/>',
  strain: '<path d="M2 8h12M2 8l2.5-2.5M2 8l2.5 2.5M14 8l-2.5-2.5M14 8l-2.5 2.5"/>',
  force: '<path d="M2 13h12M8 2v8m0 0L5 7m3 3 3-3"/>',
  levels: '<path d="M2 2h12v12H2zM8 2v12M8 8h6M11 2v6"/>',
  springs: '<path d="M2 13l2-1 1-4 3 4 2-7 2 3 1-4 1-1"/>',
  spheres: '<circle cx="6" cy="9" r="4"/><circle cx="11" cy="6" r="3.2"/>',
  wind: '<path d="M1.5 6h8a2 2 0 1 0-2-2M1.5 10h10.5a2 2 0 1 1-2 2"/>',
  boxes: '<path d="M2.5 5.5h8v8h-8zM2.5 5.5l3-3h8l-3 3M13.5 2.5v8l-3 3"/>',
  grid: '<path d="M2 6h12M2 10h12M6 2v12M10 2v12"/>',
  fit: '<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/>',
  theme: '<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor"/>',
  help: '<circle cx="8" cy="8" r="6"/><path d="M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.3v.2"/>',
  panel: '<path d="M2 3h12v10H2zM10 3v10"/>',
  close: '<path d="M4 4l8 8M12 4l-8 8"/>',
};

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const holder = document.createElement('div');
  holder.innerHTML =
    `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5"` +
    ` stroke-linejoin="round" stroke-linecap="round" aria-hidden="true">${PATHS[name]}</svg>`;
  return holder.firstChild as SVGSVGElement;
}
