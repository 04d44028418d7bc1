import { parseArgs } from 'node:util'

export interface SoakOptions {
  readonly seconds: number
  readonly processes: number
  /** Time between two samples. */
  readonly everySeconds: number
  readonly writers: number
  readonly readers: number
  /** Clients without credentials, whose responses are cached. */
  readonly visitors: number
  readonly uploaders: number
  /** Clients that never repeat a request and upload pictures. */
  readonly strangers: number
  /** Maximum pause between two requests of a client. */
  readonly pauseMs: number
  /** True to collect garbage before each sample, so that the heap contains only live objects. */
  readonly collect: boolean
  readonly json: boolean
}

export const SOAK_USAGE = `npm run soak -- [options]   servers under mixed load, and their memory

  --seconds N     of load (3600)
  --every N       seconds between samples (60)
  --processes N   servers on one database (1; more need MONGODB_URI)
  --writers N     at once (4)
  --readers N     (4)
  --visitors N    anonymous clients with cached responses, checked against the ledger (2)
  --uploaders N   (1)
  --strangers N   clients with new names in every request, and pictures (1)
  --pause MS      maximum pause between two requests of a client (0)
  --collect       collect garbage before each sample, so that only live objects count
  --json          for programs`

/** @throws TypeError, RangeError for an unknown option or an invalid number */
export function readSoakOptions(args: readonly string[]): SoakOptions {
  const text = (preset: string) => ({ type: 'string', default: preset }) as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: text('3600'),
      every: text('60'),
      writers: text('4'),
      processes: text('1'),
      readers: text('4'),
      visitors: text('2'),
      uploaders: text('1'),
      strangers: text('1'),
      pause: text('0'),
      collect: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  return {
    seconds: wholeNumber('seconds', values.seconds, 1),
    everySeconds: wholeNumber('every', values.every, 1),
    writers: wholeNumber('writers', values.writers, 0),
    processes: wholeNumber('processes', values.processes, 1),
    readers: wholeNumber('readers', values.readers, 0),
    visitors: wholeNumber('visitors', values.visitors, 0),
    uploaders: wholeNumber('uploaders', values.uploaders, 0),
    strangers: wholeNumber('strangers', values.strangers, 0),
    pauseMs: wholeNumber('pause', values.pause, 0),
    collect: values.collect,
    json: values.json,
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && text.trim() !== '') return value
  throw new RangeError(`--${name} ${text}: expected a whole number from ${least}`)
}
