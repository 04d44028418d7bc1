import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface JobsOptions {
  readonly from: number
  readonly count: number
  readonly jobs: number
  readonly seconds: string | null
}

const PROGRAM = fileURLToPath(import.meta.resolve('./simulate.js'))

/** Distributes seeds to processes and adds up their results. Returns whether all were good. */
export async function runJobs({ from, count, jobs, seconds }: JobsOptions): Promise<boolean> {
  const children = Array.from({ length: jobs }, (_, index) => {
    const share = Math.ceil((count - index) / jobs)
    const options = ['--from', String(from + index), '--seeds', String(share)]
    const limit = seconds === null ? [] : ['--seconds', seconds]
    return runJob([...options, '--step', String(jobs), ...limit])
  })
  const results = await Promise.all(children)
  const sum = (name: 'done' | 'bad'): number =>
    results.reduce((total, result) => total + result[name], 0)
  process.stdout.write(`${sum('done')} seeds, ${sum('bad')} with faults\n`)
  return results.every(({ isGood }) => isGood)
}

interface JobResult {
  readonly done: number
  readonly bad: number
  readonly isGood: boolean
}

/** Passes on the lines of a process, except its summary. */
async function runJob(options: readonly string[]): Promise<JobResult> {
  const child = fork(PROGRAM, options, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const counts = { done: 0, bad: 0 }
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const found = /^(\d+) seeds, (\d+) with faults/.exec(line)
      if (found === null) process.stdout.write(`${line}\n`)
      else Object.assign(counts, { done: Number(found[1]), bad: Number(found[2]) })
    }
  })
  await once(child, 'close')
  return { ...counts, isGood: child.exitCode === 0 }
}
