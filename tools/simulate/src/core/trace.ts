import { createHash } from 'node:crypto'

/** One line per event. Without `keep`, only the digest and the last lines remain. */
export class Trace {
  readonly #hash = createHash('sha256')
  readonly #lines: string[] = []
  readonly #keep: boolean
  #events = 0

  constructor(keep = false) {
    this.#keep = keep
  }

  get events(): number {
    return this.#events
  }

  add(at: number, name: string, text: string): void {
    this.#append(`${formatTime(at)} ${name} ${text}`)
  }

  addEvent(at: number, name: string, label: string): void {
    this.#events += 1
    this.#append(`${formatTime(at)} ${name} · ${label}`)
  }

  lines(): readonly string[] {
    return this.#lines
  }

  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  #append(line: string): void {
    this.#hash.update(line)
    this.#hash.update('\n')
    if (this.#keep) this.#lines.push(line)
  }
}

/** Seconds with six digits. */
function formatTime(at: number): string {
  const text = String(at).padStart(7, '0')
  return `${text.slice(0, -6)}.${text.slice(-6)}`
}
