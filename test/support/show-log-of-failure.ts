import type { ServerProcess } from './server-process.ts'

/** After each failing test of this suite, prints the last log lines of its servers. */
export function showLogOfFailure(servers: () => readonly ServerProcess[]): void {
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return
    for (const { pid, startedInMs, lastLines } of servers()) {
      const head = `server ${pid}, which started in ${Math.round(startedInMs)} ms:`
      process.stderr.write([head, ...lastLines, ''].join('\n'))
    }
  })
}
