// How a recording reaches the page: within it, from the server that served it, or dropped on it.

const EMBEDDED_ID = 'carom-recording';

/** Null if there is none to be had. */
export async function initialRecording(): Promise<Uint8Array | null> {
  const embedded = document.getElementById(EMBEDDED_ID);
  if (embedded) {
    const bytes = decodeBase64(embedded.textContent ?? '');
    embedded.remove();
    return bytes;
  }
  if (!location.protocol.startsWith('http')) return null;
  const answer = await fetch('recording');
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`The server did not hand out the recording (${answer.status} ${answer.statusText}).`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Piece by piece: atob of the whole would hold several copies of a large recording at once. */
export function decodeBase64(text: string): Uint8Array {
  const compact = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array(Math.max(0, Math.floor((compact.length * 3) / 4) - padding));
  const PIECE = 4 * 8192;
  let at = 0;
  for (let from = 0; from < compact.length; from += PIECE) {
    const piece = atob(compact.slice(from, from + PIECE));
    for (let i = 0; i < piece.length; i++) bytes[at++] = piece.charCodeAt(i);
  }
  return bytes;
}

export function onDroppedFile(overlay: HTMLElement, open: (file: File) => void): void {
  const carriesFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragover', (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    overlay.hidden = false;
  });
  window.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) overlay.hidden = true;
  });
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    overlay.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file) open(file);
  });
}
