import { SingleBar } from 'cli-progress'
import type { SeedObserver } from './seed-sample.ts'

export const SILENT_OBSERVER: SeedObserver = {
  begin: () => undefined,
  proceed: () => undefined,
  end: () => undefined,
}

/** A progress bar per part on a terminal, otherwise a line per finished part. */
export function showProgress(stream: NodeJS.WriteStream): SeedObserver {
  return stream.isTTY ? bars(stream) : lines(stream)
}

function bars(stream: NodeJS.WriteStream): SeedObserver {
  let bar: SingleBar | null = null
  let startedAt = 0
  const rateOf = (documents: number): string =>
    `${formatCount(computeRate(documents, (performance.now() - startedAt) / 1_000))}/s`
  return {
    begin: ({ pluralName }, count) => {
      bar = new SingleBar({
        stream,
        format: `${pluralName.padEnd(11)} {bar} {value}/{total}  {rate}`,
        barsize: 32,
        hideCursor: true,
        forceRedraw: true,
        gracefulExit: false,
        formatValue: (value, _options, type) =>
          type === 'value' || type === 'total' ? formatCount(value) : String(value),
      })
      bar.start(count, 0, { rate: '' })
      startedAt = performance.now()
    },
    proceed: ({ documents }) => bar?.update(documents, { rate: rateOf(documents) }),
    end: () => bar?.stop(),
  }
}

function lines(stream: NodeJS.WriteStream): SeedObserver {
  let name = ''
  return {
    begin: ({ pluralName }) => {
      name = pluralName
    },
    proceed: () => undefined,
    end: ({ documents, added }) => {
      stream.write(`${name}: ${formatCount(documents)}, ${formatCount(added)} of them new\n`)
    },
  }
}

/** `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

export function computeRate(count: number, seconds: number): number {
  return Math.round(count / Math.max(seconds, 0.001))
}
