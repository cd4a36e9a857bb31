// Choices of the user that outlast the page. A page opened from disk may be denied storage; a choice then lasts as long
// as the page.

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // denied
  }
}
