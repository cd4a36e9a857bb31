// Messages to a world that runs. One is under way at a time; of the moves of a hand that wait, and of its turns, the
// last counts.

import type { Vec3 } from './frame';

export type LiveInput =
  | { grab: { hand: number; body: string; point: Vec3; vertex?: number } }
  | { move: { hand: number; target: Vec3 } }
  | { turn: { hand: number; rotation: [number, number, number, number] } } // w, x, y, z, since the grab
  | { release: { hand: number } }
  | { gravity: Vec3 }
  | { stiffness: number }
  | { reset: true };

export interface Message {
  inputs?: LiveInput[];
  pause?: boolean;
  steps?: number;
}

const MAX_INPUTS = 64; // in a message, as the server takes them

/** The inputs that matter: a move or turn that another of the same hand follows, with nothing else between, does not. */
export function withoutOldMoves(inputs: LiveInput[]): LiveInput[] {
  return inputs.filter((input, i) => {
    const next = inputs[i + 1];
    if (next && 'move' in input && 'move' in next) return next.move.hand !== input.move.hand;
    if (next && 'turn' in input && 'turn' in next) return next.turn.hand !== input.turn.hand;
    return true;
  });
}

export class Messages {
  private inputs: LiveInput[] = [];
  private rest: Message[] = [];
  private busy = false;

  constructor(private readonly tell: (problem: string) => void) {}

  input(...inputs: LiveInput[]): void {
    this.inputs = withoutOldMoves([...this.inputs, ...inputs]);
    void this.send();
  }

  control(message: Message): void {
    this.rest.push(message);
    void this.send();
  }

  private async send(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.inputs.length > 0 || this.rest.length > 0) {
        const message = this.rest.shift() ?? {};
        if (this.inputs.length > 0) message.inputs = this.inputs.splice(0, MAX_INPUTS);
        const answer = await fetch('live/message', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(message),
        });
        const said = (await answer.json()) as { error?: string; ignored?: { input: number; why: string }[] };
        if (said.error) this.tell(said.error);
        for (const { why } of said.ignored ?? []) this.tell(why);
      }
    } catch {
      this.inputs = [];
      this.rest = [];
    } finally {
      this.busy = false;
    }
  }
}
