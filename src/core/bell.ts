import { type Agenda, Appointment } from './agenda.ts';

/** One sleeper, many reasons to wake it. Ringing while nobody sleeps is remembered for the next sleep. */
export class Bell extends Appointment {
  readonly #agenda: Agenda;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(agenda: Agenda) {
    super();
    this.#agenda = agenda;
  }

  override get keepsAlive(): boolean {
    return true;
  }

  readonly ring = (): void => {
    const wake = this.#wake;
    if (wake === undefined) {
      this.#rung = true;
      return;
    }
    this.#wake = undefined;
    this.#agenda.drop(this);
    wake();
  };

  override due(): void {
    this.ring();
  }

  /** Sleeps until it rings, at the latest at `until`. */
  async sleep(until: number): Promise<void> {
    if (this.#rung) {
      this.#rung = false;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#agenda.set(this, until);
    });
  }
}
