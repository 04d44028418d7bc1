import { SingleBar } from 'cli-progress'

export interface ProgressBar {
  readonly show: (done: number, total: number) => void
  readonly end: () => void
}

const FORMAT = '{bar} {percentage} % | {value} of {total} | {rate}/s | {eta_formatted} left'

export function progressBar(stream: NodeJS.WriteStream): ProgressBar {
  if (!stream.isTTY) return { show: () => undefined, end: () => undefined }
  const bar = new SingleBar({ format: FORMAT, stream, hideCursor: true })
  const startedAt = performance.now()
  let started = false
  return {
    show: (done, total) => {
      if (!started) bar.start(total, 0, { rate: 0 })
      started = true
      const seconds = Math.max(0.001, (performance.now() - startedAt) / 1_000)
      bar.update(done, { rate: Math.round(done / seconds) })
    },
    end: () => {
      if (started) bar.stop()
    },
  }
}
