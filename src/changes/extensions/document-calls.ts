import { callFollower, type FollowerCalls } from './call-follower.ts'
import type { DocumentCommits } from './delivery-rows.ts'

export class DocumentCalls {
  readonly document: Omit<DocumentCommits, 'commits'>
  readonly #calls: FollowerCalls
  #pending: DocumentCommits['commits']
  #failure: { readonly message: string; readonly isFinal: boolean } | null = null
  #isStopped = false
  #isDetached = false
  #running: Promise<void> | null = null
  #hasEnded = false

  constructor(calls: FollowerCalls, { commits, ...document }: DocumentCommits) {
    this.#calls = calls
    this.document = document
    this.#pending = commits
  }

  get pending(): DocumentCommits['commits'] {
    return this.#pending
  }

  get failure() {
    return this.#failure
  }

  /** Whether the stop of the server interrupted the calls. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  get isDone(): boolean {
    return this.#pending.length === 0
  }

  get isRunning(): boolean {
    return this.#running !== null && !this.#hasEnded
  }

  get running(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  detach(): void {
    this.#isDetached = true
  }

  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#hasEnded = true
    })
    return this.#running
  }

  async #runAll(): Promise<void> {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      if (this.#isDetached) return
      const outcome = await callFollower(this.#calls, this.document, next)
      if (outcome.kind === 'failed') this.#failure = outcome
      if (outcome.kind === 'stopped') this.#isStopped = true
      if (outcome.kind !== 'done') return
      this.#pending = this.#pending.slice(1)
    }
  }
}
