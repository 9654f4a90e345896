import type { Liveness, LivenessNews } from '../spi/engine/liveness.ts';
import { EngineError, type ErrorSubject } from '../spi/errors.ts';
import type { MaybeAsync } from '../spi/maybe-async.ts';

/** What a client of a store says about its session. */
export type SessionNews =
  | { readonly state: 'connecting' }
  /** It was alive at a moment not before `provenAt`, and from then on lasts as long as was granted. */
  | { readonly state: 'connected'; readonly provenAt: number }
  | { readonly state: 'suspended'; readonly cause: unknown }
  | { readonly state: 'lost' };

/** A client of a store that is one session: another session needs another client. */
export interface SessionClient<Granted> {
  /** Resolves once the store has granted a session, to what it has granted. */
  ready(): Promise<Granted>;
  onStatus(heard: (news: SessionNews) => void): unknown;
  /** Ends the session. Does nothing if it has ended. */
  close(): Promise<void>;
}

/** What one engine object has, besides what all of its store have. */
export interface SessionLivenessPlan<C, Granted> {
  readonly connect: () => C;
  readonly subject: ErrorSubject;
  /** Called with each new session. */
  readonly onGranted: (granted: Granted) => void;
}

/** What differs between the stores. */
export interface SessionTerms<C> {
  /** What an error says while there is none. */
  readonly noSession: string;
  /** The session of a client that has one: its name, and how long it lasts without a sign of life. */
  readonly sessionOf: (client: C) => { readonly name: string; readonly timeoutMs: number } | undefined;
  /** The caller's error for an error of the client. */
  readonly explain: (error: unknown, subject: ErrorSubject) => unknown;
}

/** The session of one engine object whose clients are one session each: a client, and the next one when its session has ended. */
export abstract class SessionLiveness<C extends SessionClient<Granted>, Granted> implements Liveness {
  readonly #plan: SessionLivenessPlan<C, Granted>;
  readonly #terms: SessionTerms<C>;
  #heard: (news: LivenessNews) => void = () => undefined;
  #client: C | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(plan: SessionLivenessPlan<C, Granted>, terms: SessionTerms<C>) {
    this.#plan = plan;
    this.#terms = terms;
  }

  follow(heard: (news: LivenessNews) => void): void {
    this.#heard = heard;
  }

  /** The client of the session that is open. */
  client(subject: ErrorSubject): C {
    return this.#client ?? this.refuse(subject);
  }

  /** The name of the session that is open. */
  get session(): string | undefined {
    return this.#client && this.#terms.sessionOf(this.#client)?.name;
  }

  open(): MaybeAsync<void> {
    return (this.#opening ??= this.#open());
  }

  abandon(): void {
    void this.#drop()?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop()?.close();
  }

  /** The client of the session that is open, or is being opened. */
  protected get current(): C | undefined {
    return this.#client;
  }

  protected refuse(subject: ErrorSubject): never {
    throw new EngineError(`${subject.resource}: ${this.#terms.noSession}`, subject, { retryable: true });
  }

  /** Only with news of the current client. */
  protected handleNews(news: SessionNews, client: C): void {
    if (news.state === 'lost') {
      this.#drop();
      void client.close();
      if (!this.#isClosed) this.#heard({ kind: 'lost' });
    } else if (news.state === 'suspended') {
      this.#heard({ kind: 'suspended', error: news.cause });
    } else if (news.state === 'connected') {
      const { name, timeoutMs } = this.#terms.sessionOf(client)!;
      this.#heard({ kind: 'connected', session: name, sentAt: news.provenAt, timeoutMs });
    }
  }

  async #open(): Promise<void> {
    const client = this.#plan.connect();
    this.#client = client;
    client.onStatus((news) => {
      if (this.#client === client) this.handleNews(news, client);
    });
    try {
      const granted = await client.ready();
      if (this.#client === client) this.#plan.onGranted(granted);
    } catch (error) {
      if (this.#client === client) this.#drop();
      void client.close();
      throw this.#terms.explain(error, this.#plan.subject);
    }
  }

  #drop(): C | undefined {
    const client = this.#client;
    this.#client = undefined;
    this.#opening = undefined;
    return client;
  }
}
